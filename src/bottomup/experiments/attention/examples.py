"""Chapter 01: sentences whose attention weights are kept with the record, for pictures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from bottomup.data.minilang import SentencePair, detokenize, gloss, romanise, word_class
from bottomup.experiments.engine.record import Record
from bottomup.experiments.shared.recurrent import Variant

DIGITS = 4  # decimal places of a weight


@dataclass(frozen=True)
class Example:
    """A test sentence with its gold links and with the weights of several models.

    Attributes:
        source: English words.
        target: Korean tokens; `glosses` and `romanised` render them one by one.
        source_classes, target_classes: the class of each word and token.
        written: the Korean sentence as it is written.
        links: ``(target, source, sure)``.
        weights: for each kind of attention [target, source], read before each token of the
            reference is predicted. The end token of the source is left out, so that a row may sum
            to less than 1.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    glosses: tuple[str, ...]
    romanised: tuple[str, ...]
    source_classes: tuple[str, ...]
    target_classes: tuple[str, ...]
    written: str
    links: tuple[tuple[int, int, bool], ...]
    weights: Mapping[str, np.ndarray]


def find_examples(pairs: Sequence[SentencePair], wanted: Sequence[str]) -> list[SentencePair]:
    """Return for each list of words the shortest pair whose source contains them all."""
    found: list[SentencePair] = []
    for words in wanted:
        having = [pair for pair in pairs if set(words.split()) <= set(pair.source)]
        if not having:
            raise ValueError(f"examples: no test sentence contains all of {words!r}")
        found.append(min(having, key=lambda pair: len(pair.source)))
    return found


def keep_examples(
    pairs: Sequence[SentencePair], weights: Sequence[Tensor]
) -> dict[str, np.ndarray]:
    """Return pairs and weights as arrays, named ``0/source``, ``0/weights``, ``1/source``, ..."""
    arrays: dict[str, np.ndarray] = {}
    for number, (pair, rows) in enumerate(zip(pairs, weights, strict=True)):
        parts = _texts(pair) | {
            "links": np.array(pair.links, dtype=np.int16).reshape(-1, 3),
            "weights": rows.numpy().round(DIGITS),
        }
        arrays |= {f"{number}/{name}": part for name, part in parts.items()}
    return arrays


def _texts(pair: SentencePair) -> dict[str, np.ndarray]:
    texts = {
        "source": pair.source,
        "target": pair.target,
        "glosses": [gloss(token) for token in pair.target],
        "romanised": [romanise(token) for token in pair.target],
        "source_classes": [word_class(word) for word in pair.source],
        "target_classes": [word_class(token) for token in pair.target],
        "written": [detokenize(pair.target)],
    }
    return {name: np.array(tokens, dtype=np.str_) for name, tokens in texts.items()}


def examples(record: Record) -> list[Example]:
    """Return the sentences kept with a record of this experiment, in their order.

    Raises:
        LookupError: the record keeps no sentences.
    """
    seed = record.config["examples_seed"]
    kinds = {Variant.parse(name).attention: name for name in record.config["variants"]}
    prefixes = {kind: f"{name}/{seed}" for kind, name in kinds.items() if kind != "none"}
    found = list(_read(record, prefixes))
    if not found:
        raise LookupError(f"{record.name} keeps no sentences")
    return found


def _read(record: Record, prefixes: Mapping[str, str]) -> Iterator[Example]:
    first = next(iter(prefixes.values()), "")
    for number in range(len(record.config["examples"])):
        if f"{first}/{number}/source" not in record.arrays:
            return
        parts = {
            name: tuple(record.arrays[f"{first}/{number}/{name}"].tolist())
            for name in ("source", "target", "glosses", "romanised", "source_classes",
                         "target_classes")
        }  # fmt: skip
        yield Example(
            **parts,
            written=str(record.arrays[f"{first}/{number}/written"][0]),
            links=tuple(
                (target, source, bool(sure))
                for target, source, sure in record.arrays[f"{first}/{number}/links"].tolist()
            ),
            weights={
                kind: record.arrays[f"{prefix}/{number}/weights"]
                for kind, prefix in prefixes.items()
            },
        )
