"""Chapter 03: chapter 02's reader of pronouns with heads; how many of them it takes.

Two layers of the same width name the noun that a pronoun stands for. More heads make each head
narrower: the number of parameters stays the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from bottomup.data import (
    LabelledBatch,
    Vocabulary,
    make_labelled_batch,
    minilang,
)
from bottomup.data.minilang import SentencePair
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.multi_head_attention.config import Config
from bottomup.experiments.self_attention.pronouns import (
    label_antecedents,
    train_to_name,
    with_pronoun,
)
from bottomup.models import AttentionOnly, AttentionOnlyConfig

LAYERS = 2


@dataclass(frozen=True)
class Score:
    """How well pronouns are read: the share named rightly, and the mean loss in nats."""

    accuracy: float
    loss: float


class Questions:
    """Sentences with a pronoun; each asks for the noun of its first pronoun.

    Args:
        pairs: sentences; those without a pronoun are left out.
        words: the vocabulary of the network.
        device: where the batch lies.
    """

    def __init__(
        self, pairs: Sequence[SentencePair], words: Vocabulary, device: torch.device
    ) -> None:
        self.pairs = with_pronoun(pairs)
        self.batch: LabelledBatch = make_labelled_batch(
            label_antecedents(self.pairs, words)
        ).to(device)  # fmt: skip
        self._rows = torch.arange(len(self.pairs), device=device)
        pronouns = [pair.antecedents[0][0] for pair in self.pairs]
        self._pronouns = torch.tensor(pronouns, device=device)

    def score(self, model: AttentionOnly, head_mask: Tensor | None = None) -> Score:
        """Ask a network; `head_mask` [layer, head] is True where a head is on."""
        batch = self.batch
        with torch.no_grad():
            output = model(batch.source, batch.source_mask[:, None], head_mask=head_mask)
        logits = output.logits[self._rows, self._pronouns].cpu().double()
        labels = batch.labels[self._rows, self._pronouns].cpu()
        return Score(
            accuracy=(logits.argmax(dim=-1) == labels).double().mean().item(),
            loss=torch.nn.functional.cross_entropy(logits, labels).item(),
        )


@dataclass(frozen=True)
class Reader:
    """A trained network, the questions that choose and those that measure."""

    model: AttentionOnly
    validation: Questions
    test: Questions


def train_reader(config: Config, heads: int, trial: Trial) -> Reader:
    """Train two layers with `heads` heads each under one seed."""
    corpus = minilang.load(config.corpus_size, seed=0)
    words = Vocabulary.build(pair.source for pair in corpus.train)
    model = train_to_name(
        AttentionOnlyConfig(
            vocabulary=len(words),
            outputs=len(words),
            d_model=config.d_model,
            num_layers=LAYERS,
            num_heads=heads,
        ),
        label_antecedents(with_pronoun(corpus.train), words),
        config,
        trial,
        batch_size=config.batch_size,
        steps=config.reader_steps,
    )
    return Reader(
        model,
        Questions(corpus.validation, words, trial.device),
        Questions(corpus.test, words, trial.device),
    )


def measure_heads(config: Config, heads: int, trial: Trial) -> dict[str, float]:
    """Train a reader with `heads` heads in each layer; score it on validation and test."""
    reader = train_reader(config, heads, trial)
    validation, test = (part.score(reader.model) for part in (reader.validation, reader.test))
    return {
        "d_head": config.d_model // heads,
        "parameters": sum(parameter.numel() for parameter in reader.model.parameters()),
        "validation_accuracy": validation.accuracy,
        "validation_loss": validation.loss,
        "accuracy": test.accuracy,
        "loss": test.loss,
    }
