"""Chapter 02b: what three precursors gain by attention inside one sentence.

The chapter's question, the colour of one of the things that a sentence named, is answered by an
LSTM (``lstm``, and four times as wide ``wide_lstm``), by an LSTM with a tape (``lstmn``), without
recurrence (``no_recurrence``), and by an LSTM that reads its own earlier states
(``reads_itself``). ``with_distances`` and ``without_distances`` name the word to their left. All
see the same batches under one seed, for the same number of steps.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.intra_attention.readers import NETWORKS, Reader
from bottomup.experiments.shared.sentences import Neighbours, Questions, Sentences
from bottomup.experiments.shared.training import fit_adam, seeded

VARIANTS = tuple(NETWORKS)
TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        least, most: things in a sentence of training.
        asked: numbers of things at which questions are evaluated; the first is within the trained
            range and small, the second `most`, the last beyond it.
        words: in a sentence whose words name their left neighbours.
        sentences: evaluated of each kind and length.
        steps, batch_size, warmup, learning_rate: of every training; as in the chapter.
    """

    least: int = 2
    most: int = 8
    asked: tuple[int, int, int] = (2, 8, 12)
    words: int = 8
    sentences: int = 2_000
    steps: int = 600
    batch_size: int = 64
    warmup: int = 20
    learning_rate: float = 2e-2


PRESETS = {
    "tiny": Config(most=3, asked=(2, 3, 5), words=3, sentences=7, steps=3, batch_size=5, warmup=2),
    "laptop": Config(sentences=500),
    "recorded": Config(),
    "full": Config(sentences=10_000, steps=6_000),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one network under one seed; measure the share of right answers by length.

    ``parameters``: of the network alone, without vectors of words and the layer that answers.
    """
    with seeded(trial.seed):
        model = Reader(variant).to(trial.device)
    task: Questions | Neighbours
    if variant.endswith("_distances"):
        task, lengths = (
            Neighbours(config.words, config.batch_size, _stream(trial.seed)),
            [config.words],
        )
    else:
        task = Questions(config.least, config.most, config.batch_size, _stream(trial.seed))
        lengths = list(config.asked)
    fit_adam(model, task, answer_cross_entropy, config, trial, steps=config.steps)
    return Outcome(
        {
            "parameters": sum(parameter.numel() for parameter in model.network.parameters()),
            "accuracy": {
                length: accuracy(model, task.evaluation(length, config.sentences).to(trial.device))
                for length in lengths
            },
        }
    )


def _stream(seed: int) -> int:
    return TRAINING_SEEDS + seed


def _logits(model: nn.Module, batch: Sentences) -> Tensor:
    logits: Tensor = model(batch.nouns, batch.colours)
    return logits[:, -batch.answers.shape[1] :]  # [batch, answer, class]


def answer_cross_entropy(model: nn.Module, batch: Sentences) -> Tensor:
    """Return the mean negative log-probability of the right answers, in nats."""
    return F.cross_entropy(_logits(model, batch).flatten(0, 1), batch.answers.flatten())


def accuracy(model: nn.Module, batch: Sentences) -> float:
    """Return the share of right answers."""
    with torch.no_grad():
        right = _logits(model, batch).argmax(dim=-1) == batch.answers
    return right.cpu().double().mean().item()
