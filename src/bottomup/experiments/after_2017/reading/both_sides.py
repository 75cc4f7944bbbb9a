"""Chapter 10: masked language models: what they hold of a visible word, and what it is good for."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.analysis import linear_probe
from bottomup.data import BatchStream, MaskedBatch, MaskedStream
from bottomup.data.batching import pad, real_tokens
from bottomup.data.masking import FIRST
from bottomup.data.minilang.lexicon.topics import TOPICS
from bottomup.data.token_batches import TokenBatch, generator_of
from bottomup.data.vocabulary import EOS
from bottomup.experiments.after_2017.reading.config import Config
from bottomup.experiments.after_2017.reading.topics import Labelled, labelled_sentences
from bottomup.experiments.representation_analysis.networks import (
    Start,
    masked_loss,
    test_batches,
    untrained,
)
from bottomup.experiments.representation_analysis.text import Text, load_text
from bottomup.models import LanguageModel
from bottomup.training import fit, warmup_then_decay

KINDS = ("mixed", "all_masked")  # 80/10/10, and 100/0/0
SHARE = 0.15  # of the tokens of a sentence that are hidden for the loss at masks
SENTENCES, CHOSEN, HELD_OUT, TWINS, TOPIC, DRAWS = 1_000, 2_000, 3_000, 4_000, 5_000, 6_000

Rows = list[list[int]]  # sentences as token numbers, each ends with EOS
Vectors = Float[Tensor, "sentence d"]


def masked_stream(config: Config, text: Text, kind: str, seed: int) -> Callable[[int], MaskedBatch]:
    """Return the batches of a kind: both choose the same tokens of the same sentences.

    With "mixed" BERT's 80 % of the chosen tokens are hidden, 10 % exchanged and 10 % left; with
    "all_masked" all are hidden.
    """
    sentences = BatchStream(
        text.train, tokens_per_batch=config.encoder.tokens_per_batch, seed=SENTENCES + seed
    )
    mixed = MaskedStream(
        sentences, mask_id=text.mask_id, vocabulary=len(text.words), seed=CHOSEN + seed
    )

    def all_masked(step: int) -> MaskedBatch:
        batch = mixed(step)
        hidden = batch.original.masked_fill(batch.chosen, text.mask_id)
        return MaskedBatch(hidden, batch.original, batch.chosen)

    return mixed if kind == "mixed" else all_masked


def train_masked(
    config: Config, text: Text, kind: str, seed: int, checkpoint: Path | None = None
) -> LanguageModel:
    """Train a masked language model; both kinds start alike."""
    encoder = config.encoder
    model = _untrained(config, text, seed)
    fit(
        model,
        masked_stream(config, text, kind, seed),
        steps=encoder.steps,
        loss=masked_loss,
        optimizer=torch.optim.AdamW(
            model.parameters(), lr=encoder.learning_rate, betas=(0.9, 0.98), weight_decay=0.0
        ),
        schedule=warmup_then_decay(warmup=encoder.warmup, steps=encoder.steps),
        seed=seed,
        checkpoint=checkpoint,
    )
    return model.eval()


def _untrained(config: Config, text: Text, seed: int) -> LanguageModel:
    model = untrained(config.encoder, text, "mlm", Start(seed))
    if not isinstance(model, LanguageModel):
        raise TypeError(f"expected a masked language model, got {type(model).__name__}")
    return model.eval()


@torch.no_grad()
def losses(model: LanguageModel, text: Text) -> dict[str, float]:
    """Return what a model says of held-out words, in nats each.

    ``hidden``: of words behind a mask, 15 % of each sentence. ``visible``: of words that it reads,
    in sentences of which nothing is hidden.
    """
    total = {"hidden": 0.0, "visible": 0.0}
    counted = dict.fromkeys(total, 0)
    for number, tokens in enumerate(test_batches(text, torch.device("cpu"))):
        ordinary = tokens >= FIRST
        uniform = torch.rand(tokens.shape, generator=generator_of(HELD_OUT, number))
        for name, asked in (("hidden", ordinary & (uniform < SHARE)), ("visible", ordinary)):
            read = tokens.masked_fill(asked, text.mask_id) if name == "hidden" else tokens
            logits = model(read).logits[asked]
            total[name] += F.cross_entropy(logits, tokens[asked], reduction="sum").item()
            counted[name] += int(asked.sum())
    return {name: total[name] / counted[name] for name in total}


@torch.no_grad()
def pseudo_log_likelihood(
    model: LanguageModel, sentence: Int64[Tensor, " position"], mask_id: int
) -> float:
    """Return the sum of the log-probabilities of each word, hidden alone; the end mark is left."""
    n = len(sentence) - 1
    rows = sentence.repeat(n, 1)  # [hidden position, position]
    places = torch.arange(n)
    rows[places, places] = mask_id
    said = model(rows).logits[places, places].log_softmax(dim=-1)
    return said[places, sentence[:n]].sum().item()


def twin(
    sentence: Int64[Tensor, " position"], generator: torch.Generator
) -> Int64[Tensor, " position"] | None:
    """Return a sentence in which two different words, drawn at random, have changed places."""
    words = torch.randperm(len(sentence) - 2, generator=generator)  # neither full stop nor end
    for i, j in zip(words.tolist(), words.tolist()[1:], strict=False):
        if sentence[i] != sentence[j]:
            swapped = sentence.clone()
            swapped[[i, j]] = sentence[[j, i]]
            return swapped
    return None


def preferred(model: LanguageModel, text: Text, count: int) -> float:
    """Return the share of held-out sentences that a model finds likelier than their twins."""
    won = []
    for number, (source, _target) in enumerate(text.test[:count]):
        sentence = torch.tensor([*source, EOS])
        other = twin(sentence, generator_of(TWINS, number))
        if other is not None:
            one, two = (pseudo_log_likelihood(model, s, text.mask_id) for s in (sentence, other))
            won.append(one > two)
    return sum(won) / len(won)


def encode(text: Text, sentences: list[Labelled]) -> tuple[Rows, Int64[Tensor, " sentence"]]:
    """Return sentences as token numbers, and their topics."""
    rows = [[*text.words.encode(words), EOS] for words, _topic in sentences]
    return rows, torch.tensor([topic for _words, topic in sentences])


def pooled(
    model: LanguageModel,
    tokens: Int64[Tensor, "sentence position"],
    real: Bool[Tensor, "sentence position"],
) -> Vectors:
    """Return the mean state of each sentence after the last layer."""
    states = model(tokens, real[:, None]).states[-1]  # [sentence, position, d_model]
    return (states * real[..., None]).sum(dim=1) / real.sum(dim=1, keepdim=True)


@torch.no_grad()
def frozen(model: LanguageModel, rows: Rows) -> Vectors:
    """Return what a probe reads of a model that is not trained further."""
    return pooled(model, pad(rows), real_tokens([len(row) for row in rows]))


def word_counts(rows: Rows, vocabulary: int) -> Vectors:
    """Return how often each word stands in a sentence: the control that needs no network."""
    return torch.stack(
        [torch.bincount(torch.tensor(r), minlength=vocabulary) for r in rows]
    ).double()


class Classifier(nn.Module):
    """A language model with a linear map of its mean state to topics."""

    def __init__(self, model: LanguageModel) -> None:
        super().__init__()
        self.model = model
        self.readout = nn.Linear(model.d_model, len(TOPICS))

    def forward(self, rows: Rows) -> Float[Tensor, "sentence topic"]:
        """Return a logit for each topic."""
        real = real_tokens([len(row) for row in rows])
        logits: Tensor = self.readout(pooled(self.model, pad(rows), real))
        return logits


def fine_tune(
    config: Config,
    model: LanguageModel,
    rows: Rows,
    topics: Int64[Tensor, " sentence"],
    seed: int,
) -> Classifier:
    """Train a model, which is changed, and a new linear map on labelled sentences."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        classifier = Classifier(model)

    def batch(step: int) -> TokenBatch:
        generator = generator_of(DRAWS + seed, step)
        drawn = torch.randint(len(rows), (config.fine_batch, 1), generator=generator)
        return TokenBatch(drawn)  # numbers of sentences

    def loss(module: nn.Module, batch: TokenBatch) -> Tensor:
        drawn = batch.sequences.flatten()
        return F.cross_entropy(module([rows[i] for i in drawn.tolist()]), topics[drawn])

    fit(
        classifier,
        batch,
        steps=config.fine_steps,
        loss=loss,
        optimizer=torch.optim.AdamW(classifier.parameters(), lr=config.fine_rate),
        schedule=warmup_then_decay(warmup=config.fine_steps // 10 + 1, steps=config.fine_steps),
        seed=seed,
    )
    return classifier.eval()


def few_labels(
    config: Config,
    text: Text,
    networks: dict[str, LanguageModel],
    state: dict[str, Tensor],
    seed: int,
) -> dict[str, Any]:
    """Return the share of tested sentences whose topic is told, by the number of labels a topic.

    ``probe``: a linear map on frozen states of each network and, ``words``, on counts of words.
    ``tuned``: networks that went on training, from ``mixed`` and from the start, ``untrained``.
    """
    most = max(config.labelled)
    each = most + config.tested
    rows, topics = encode(text, labelled_sentences(each, TOPIC + seed))
    place = torch.arange(len(rows)) % each
    tested = (place >= most).nonzero().flatten().tolist()
    features = {name: frozen(model, rows).double() for name, model in networks.items()}
    features["words"] = word_counts(rows, len(text.words))
    found: dict[str, Any] = {}
    for labels in config.labelled:
        taught = (place < labels).nonzero().flatten().tolist()
        probes = {
            name: linear_probe(
                vectors[taught],
                topics[taught],
                test_features=vectors[tested],
                test_labels=topics[tested],
                classes=len(TOPICS),
                shuffles=1,
                seed=seed,
            ).accuracy
            for name, vectors in features.items()
        }
        tuned = {}
        for name in ("mixed", "untrained"):
            model = _untrained(config, text, seed)
            if name == "mixed":
                model.load_state_dict(state)
            classifier = fine_tune(config, model, [rows[i] for i in taught], topics[taught], seed)
            with torch.no_grad():
                said = classifier([rows[i] for i in tested]).argmax(dim=-1)
            tuned[name] = (said == topics[tested]).double().mean().item()
        found[f"labels_{labels}"] = {"probe": probes, "tuned": tuned}
    return found


def measure_both_sides(config: Config, seed: int, checkpoint: Path) -> dict[str, Any]:
    """Train both kinds under one seed, and use the first.

    By kind: see `losses`. ``topics``: see `few_labels`. ``preferred``: see there, of the mixed
    network, ``untrained`` beside it.
    """
    text = load_text(config.encoder)
    networks = {
        kind: train_masked(config, text, kind, seed, checkpoint.with_suffix(f".{kind}"))
        for kind in KINDS
    }
    found: dict[str, Any] = {kind: losses(model, text) for kind, model in networks.items()}
    start = _untrained(config, text, seed)
    found["preferred"] = {
        "mixed": preferred(networks["mixed"], text, config.twins),
        "untrained": preferred(start, text, config.twins),
    }
    state = networks["mixed"].state_dict()
    read = {"mixed": networks["mixed"], "untrained": start}
    found["topics"] = few_labels(config, text, read, state, seed)
    for kind in KINDS:
        checkpoint.with_suffix(f".{kind}").unlink(missing_ok=True)
    return found
