"""Chapter 01: the fixed vector of an encoder that reads in one direction, source turned or not.

``forward`` reads the source as it stands, ``turned`` from its last word to its first. The chapter's
encoder reads both ways, so that turning the source only exchanges its halves; Sutskever et al.
(2014) and Luong et al. (2015) turn it for encoders that read one way. The vector is the state after
the last word that is read, and holds best what was read last. The decoder is the chapter's: it gets
the vector as its first state and again at each step; theirs get it once.

No pilot: the same trainings with an encoder that reads both ways are in `attention_lengths`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from bottomup.data import BatchStream
from bottomup.experiments.attention.lengths.experiment import turned
from bottomup.experiments.engine.runner import Experiment
from bottomup.experiments.engine.units import Outcome
from bottomup.experiments.shared.recurrent import cross_entropy, last_loss
from bottomup.experiments.shared.translation import load_data, parameter_count, translation_metrics
from bottomup.models import RNNSeq2Seq, Seq2SeqConfig
from bottomup.training import fit, warmup_then_decay

NAME = "attention_turned"
TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment, those of the chapter's main record.

    Attributes:
        bins: ranges of source lengths (words, full stop included), both ends included.
        steps: of every training.
        corpus_size: of the mini-language; its seed is 0.
        tokens_per_batch, warmup, learning_rate, d_embedding: as in the chapter.
        d_state: width of the encoder's one state and of the decoder's.
    """

    bins: tuple[tuple[int, int], ...] = ((4, 7), (8, 11), (12, 15), (16, 20))
    steps: int = 600
    corpus_size: int = 60_000
    tokens_per_batch: int = 1024
    warmup: int = 50
    learning_rate: float = 3e-3
    d_embedding: int = 64
    d_state: int = 128


PRESETS = {
    "tiny": Config(
        bins=((4, 9), (10, 20)),
        steps=6,
        corpus_size=400,
        tokens_per_batch=32,
        warmup=2,
        d_embedding=5,
        d_state=8,
    ),
    "laptop": Config(steps=200),
    "recorded": Config(),
    "full": Config(steps=2400),
}


class OneDirection(RNNSeq2Seq):
    """The chapter's translator, but ``h_j = GRU(h_(j-1), x_j)`` of the whole width d_state.

    ``h_j`` [batch, d_state] knows the words up to j alone, and the fixed vector is the last of
    them. Source: Sutskever et al. (2014), section 3.3, and Luong et al. (2015), with LSTMs of four
    layers; one GRU layer here, as in the chapter.
    """

    def __init__(self, config: Seq2SeqConfig) -> None:
        super().__init__(config)
        self.encoder.gru = nn.GRU(config.d_embedding, config.d_state, batch_first=True)


def variants(config: Config) -> Sequence[str]:
    """Return the orders in which the source is read."""
    return ("forward", "turned")


def measure(
    config: Config, variant: str, seed: int, device: torch.device, checkpoint: Path
) -> Outcome:
    """Train on one order of the source under one seed; measure the test translations."""
    data = load_data(config.corpus_size, 0)
    if variant == "turned":
        data = turned(data)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = OneDirection(
            Seq2SeqConfig(
                source_vocabulary=len(data.source_words),
                target_vocabulary=len(data.target_tokens),
                attention="none",
                d_embedding=config.d_embedding,
                d_state=config.d_state,
            )
        ).to(device)
    history = fit(
        model,
        BatchStream(
            data.train, tokens_per_batch=config.tokens_per_batch, seed=TRAINING_SEEDS + seed
        ),
        steps=config.steps,
        loss=cross_entropy,
        optimizer=torch.optim.Adam(model.parameters(), lr=config.learning_rate),
        schedule=warmup_then_decay(warmup=config.warmup, steps=config.steps),
        seed=seed,
        checkpoint=checkpoint,
    )
    found = {"loss": last_loss(history), "parameters": parameter_count(model)}
    return Outcome(found | translation_metrics(model, data, config.bins))


EXPERIMENT = Experiment(NAME, PRESETS, variants, measure)
run = EXPERIMENT.run
