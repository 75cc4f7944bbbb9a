"""A trained translator as a script: header and parameters, which ``payload.js`` reads."""

import base64
import json
from functools import cache
from typing import Any

import numpy as np

from bottomup import results
from bottomup.data.minilang import gloss
from bottomup.data.minilang.corpus import LONGEST as MOST_WORDS
from bottomup.data.minilang.patterns import BEGIN, ITSELF, trained_patterns
from bottomup.data.minilang.tables import classes, senses, writing_tables
from bottomup.experiments import Record
from bottomup.experiments.decoding.search.config import PREFIX
from bottomup.experiments.decoding.search.translator import KEPT_SEED
from bottomup.experiments.encoder_decoder.config import Config
from bottomup.experiments.encoder_decoder.training import largest
from bottomup.experiments.shared.translation import LONGEST
from bottomup.i18n import _
from bottomup.results.translator import EXAMPLES, STATEMENTS_ONLY, Translator

MODELS = ("encoder_decoder", "decoding_search")  # the records that keep a translator
BIG_ENDIAN_HALF = ">f2"
CONFIG = (
    *("d_model", "num_heads", "d_ff", "encoder_layers", "decoder_layers", "max_length"),
    *("norm", "activation", "positions", "shared"),
)

# The global holds each model under its name: a page may show more than one.
_SCRIPT = "(globalThis.bottomupModels ??= {{}}).{name} = {payload};\n"


@cache
def model_script(name: str) -> str:
    """Return a translator as a classic script, the same text for the same record and package.

    It may stand in a file of the site or between two tags.

    Args:
        name: one of `MODELS`.
    """
    text = json.dumps(model_payload(name), ensure_ascii=False, separators=(",", ":"))
    return _SCRIPT.format(name=name, payload=text.replace("<", "\\u003c"))


def model_payload(name: str) -> dict[str, Any]:
    """Return the translator that a record keeps, as JSON can express it.

    Its `weights` are all parameters, one after the other in the order of `parameters`, as 16-bit
    floats in base64: first the upper bytes of all, with sign and exponent, then the lower ones. So
    they are compressed to 574 kB and not to 597. The record keeps 16 bits, too: nothing is lost.

    Args:
        name: one of `MODELS`.
    """
    if name not in MODELS:
        raise ValueError(f"name: expected one of {MODELS}, got {name!r}")
    record = results.load(f"{name}.json")
    made = Translator.from_record(record)
    words, tokens = made.source_words.tokens, made.target_tokens.tokens
    parameters = {key: p.detach().numpy() for key, p in made.model.named_parameters()}
    numbers = np.concatenate([array.ravel() for array in parameters.values()])
    halves = numbers.astype(BIG_ENDIAN_HALF)
    if not (halves == numbers).all():
        raise ValueError(f"name: expected parameters that 16 bits hold, got others in {name}")
    return {
        "name": name,
        "config": {key: getattr(made.model.config, key) for key in CONFIG},
        "parameters": [[key, [*array.shape]] for key, array in parameters.items()],
        "source_words": [*words],
        "target_tokens": [*tokens],
        "longest": LONGEST,
        "most_words": MOST_WORDS,
        "training": {**training(record), "parameters": numbers.size},
        "glosses": [gloss(token) for token in tokens],
        "senses": senses(words, tokens),
        "classes": classes(words, tokens),
        "patterns": {"begin": BEGIN, "itself": [*ITSELF], "after": trained_patterns()},
        "korean": writing_tables(),
        "messages": messages(),
        "examples": [text for text in EXAMPLES if all(word in words for word in text.split())],
        "weights": base64.b64encode(halves.view("u1").reshape(-1, 2).T.tobytes()).decode("ascii"),
    }


def training(record: Record) -> dict[str, Any]:
    """Return how the translator of a record was trained, and how often it was right."""
    if record.experiment == "encoder_decoder":
        config = Config(**record.config)
        trained, seed = largest(config), config.examples_seed
        variant, steps, chapter = trained.name, trained.steps, "05"
    else:
        steps, seed, chapter = record.config["kept"], KEPT_SEED, "06"
        variant = f"{PREFIX}{steps}"
    metrics = next(run["metrics"] for run in record.runs if run["seed"] == seed)[variant]
    found = {"chapter": chapter, "steps": steps, "seed": seed}
    found |= {"sentences": record.config["corpus_size"]}
    return found | {name: metrics[name] for name in ("exact", "bleu") if name in metrics}


def messages() -> dict[str, str]:
    """Return what the translator says of a sentence it cannot read, or should not have to."""
    return {
        "no_word": _("sentence: expected at least one word, got none."),
        "too_long": _(
            "sentence: expected at most {most} words as in training, full stop and commas "
            "counted, got {got}"
        ),
        "unknown": _("The model does not know {words}."),
        "count": _("It knows {count} words."),
        "near": _("Near: {words}."),
        "statements_only": STATEMENTS_ONLY,
        "example": _("Try: {sentence}"),
        "new_start": _(
            "No training sentence begins with these kinds of words: “{words}”. The translation may "
            "be nonsense."
        ),
        "new_pattern": _(
            "No training sentence has these kinds of words in a row: “{words}”. The translation "
            "may be nonsense."
        ),
    }
