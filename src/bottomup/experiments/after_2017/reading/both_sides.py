"""Chapter 10: masked language models: what they hold of a visible word, and what it is good for."""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.analysis import ProbeResult, linear_probe
from bottomup.data import BatchStream, MaskedBatch, MaskedStream, Vocabulary
from bottomup.data.batching import pad, real_tokens
from bottomup.data.masking import FIRST
from bottomup.data.minilang import CLASSES, word_class
from bottomup.data.token_batches import TokenBatch, generator_of
from bottomup.data.vocabulary import EOS
from bottomup.experiments.after_2017.reading.config import Config
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.representation_analysis.networks import (
    Start,
    masked_loss,
    test_batches,
    untrained,
)
from bottomup.experiments.representation_analysis.text import Text, load_text
from bottomup.experiments.shared.training import seeded
from bottomup.models import LanguageModel
from bottomup.training import fit, warmup_then_decay

KINDS = ("mixed", "all_masked")  # 80/10/10, and 100/0/0
SHARE = 0.15  # of the tokens of a sentence that are hidden for the loss at masks
SENTENCES, CHOSEN, HELD_OUT, TWINS, LABELS, DRAWS = 1_000, 2_000, 3_000, 4_000, 5_000, 6_000

Rows = list[list[int]]  # sentences as token numbers


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
    config: Config,
    text: Text,
    kind: str,
    seed: int,
    device: torch.device | str = "cpu",
    checkpoint: Path | None = None,
) -> LanguageModel:
    """Train a masked language model; both kinds start alike, and end on the CPU."""
    encoder = config.encoder
    model = _untrained(config, text, seed).to(device)
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
    return model.cpu().eval()


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


def held_out_rows(text: Text, count: int, seed: int) -> Rows:
    """Return held-out sentences, drawn at random, without their end marks."""
    order = torch.randperm(len(text.test), generator=generator_of(LABELS, seed))
    return [list(text.test[i][0]) for i in order[:count].tolist()]


def classes_of(words: Vocabulary, rows: Rows) -> Int64[Tensor, " word"]:
    """Return the class of each word of some sentences, in a row: its place in `CLASSES`."""
    number = {name: index for index, name in enumerate(CLASSES)}
    return torch.tensor([number[word_class(word)] for row in rows for word in words.decode(row)])


class Asked(NamedTuple):
    """Which words are asked for, and of which classes.

    Attributes:
        classes: those of at least two labelled words.
        learnt: True at the labelled words of these classes.
        tested: True at the words to tell: of these classes, and in no labelled sentence.
    """

    classes: Int64[Tensor, " class"]
    learnt: Bool[Tensor, " word"]
    tested: Bool[Tensor, " tested_word"]


def asked_of(words: Vocabulary, taught: Rows, tested: Rows) -> Asked:
    """Return which words of the tested sentences are asked for."""
    labels, truth = classes_of(words, taught), classes_of(words, tested)
    classes = (torch.bincount(labels, minlength=len(CLASSES)) > 1).nonzero().flatten()
    known, met = (torch.tensor([word for row in rows for word in row]) for rows in (taught, tested))
    return Asked(
        classes,
        torch.isin(labels, classes),
        ~torch.isin(met, known) & torch.isin(truth, classes),
    )


@torch.no_grad()
def told_frozen(model: LanguageModel, words: Vocabulary, taught: Rows, tested: Rows) -> ProbeResult:
    """Return the share of words whose class a linear probe tells, of those it has not met.

    It reads the states of a network that is not trained further.
    """
    asked = asked_of(words, taught, tested)
    return linear_probe(
        states_of_words(model, taught)[asked.learnt].double(),
        torch.searchsorted(asked.classes, classes_of(words, taught)[asked.learnt]),
        test_features=states_of_words(model, tested)[asked.tested].double(),
        test_labels=torch.searchsorted(asked.classes, classes_of(words, tested)[asked.tested]),
        classes=len(asked.classes),
        shuffles=1,
    )


class Tagger(nn.Module):
    """A language model with a linear map of each state after the last layer to word classes."""

    def __init__(self, model: LanguageModel) -> None:
        super().__init__()
        self.model = model
        self.readout = nn.Linear(model.d_model, len(CLASSES))

    def forward(self, rows: Rows) -> Float[Tensor, "word class"]:
        """Return a logit for each class, of the words of all sentences in a row."""
        logits: Tensor = self.readout(states_of_words(self.model, rows))
        return logits


def states_of_words(model: LanguageModel, rows: Rows) -> Float[Tensor, "word d_model"]:
    """Return the states after the last layer of all words of some sentences, in a row."""
    ended = [[*row, EOS] for row in rows]
    real = real_tokens([len(row) for row in ended])
    words = real_tokens([len(row) for row in rows])
    device = model.embedding.weight.device
    states = model(pad(ended).to(device), real[:, None].to(device)).states[-1]
    return states[:, : words.shape[1]][words.to(device)]  # of [sentence, position, d_model]


def fine_tune(
    config: Config,
    model: LanguageModel,
    words: Vocabulary,
    rows: Rows,
    seed: int,
    device: torch.device,
) -> Tagger:
    """Train a model, which is changed, and a new linear map on labelled sentences.

    It is done on a device and ends on the CPU.
    """
    with seeded(seed):
        tagger = Tagger(model).to(device)

    def batch(step: int) -> TokenBatch:
        generator = generator_of(DRAWS + seed, step)
        drawn = torch.randint(len(rows), (config.fine_batch, 1), generator=generator)
        return TokenBatch(drawn)  # numbers of sentences

    def loss(module: nn.Module, batch: TokenBatch) -> Tensor:
        drawn = batch.sequences.flatten().tolist()
        some = [rows[i] for i in drawn]
        return F.cross_entropy(module(some), classes_of(words, some).to(device))

    fit(
        tagger,
        batch,
        steps=config.fine_steps,
        loss=loss,
        optimizer=torch.optim.AdamW(tagger.parameters(), lr=config.fine_rate),
        schedule=warmup_then_decay(warmup=config.fine_steps // 10 + 1, steps=config.fine_steps),
        seed=seed,
    )
    return tagger.cpu().eval()


def few_labels(
    config: Config,
    text: Text,
    networks: dict[str, LanguageModel],
    seed: int,
    device: torch.device,
) -> dict[str, Any]:
    """Tell the class of words that no labelled sentence has, by the number of such sentences.

    ``probe``: what `told_frozen` tells, by network; ``chance``: the share of the commonest class.
    ``tuned``: the share where the network goes on training with the labels, from ``mixed`` or
    ``untrained``.
    """
    most = max(config.labelled)
    rows = held_out_rows(text, most + config.tested, seed)
    tested, words = rows[most:], text.words
    truth = classes_of(words, tested)
    found: dict[str, Any] = {}
    for count in config.labelled:
        taught = rows[:count]
        asked = asked_of(words, taught, tested).tested
        probes = {name: told_frozen(net, words, taught, tested) for name, net in networks.items()}
        tuned = {}
        for name in ("mixed", "untrained"):
            tagger = fine_tune(config, deepcopy(networks[name]), words, taught, seed, device)
            with torch.no_grad():
                said = tagger(tested)[asked].argmax(dim=-1)
            tuned[name] = (said == truth[asked]).cpu().double().mean().item()
        found[f"labels_{count}"] = {
            "chance": probes["mixed"].chance,
            "probe": {name: result.accuracy for name, result in probes.items()},
            "tuned": tuned,
        }
    return found


def measure_both_sides(config: Config, trial: Trial) -> dict[str, Any]:
    """Train both kinds under one seed, and use them.

    By kind: see `losses`. ``preferred``: see there, of the mixed network and before its training.
    ``classes``: see `few_labels`.
    """
    text = load_text(config.encoder)
    networks = {
        kind: train_masked(
            config, text, kind, trial.seed, trial.device, trial.checkpoint.with_suffix(f".{kind}")
        )
        for kind in KINDS
    }
    found: dict[str, Any] = {kind: losses(model, text) for kind, model in networks.items()}
    networks["untrained"] = _untrained(config, text, trial.seed)
    found["preferred"] = {
        name: preferred(networks[name], text, config.twins) for name in ("mixed", "untrained")
    }
    found["classes"] = few_labels(config, text, networks, trial.seed, trial.device)
    for kind in KINDS:
        trial.checkpoint.with_suffix(f".{kind}").unlink(missing_ok=True)
    return found
