"""Chapter 03: how many heads it takes to read two positions, with a linear readout and with an MLP.

Every model sees the same batches under one seed, for the same number of steps, and has the same
width; more heads make each head narrower.
"""

from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bottomup.data import PairRetrieval, RetrievalBatch
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.shared.training import fit_adam, seeded
from bottomup.models import PairReader, PairReaderConfig

EVALUATION_SEED = 7
TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters
LAST_STEPS = 20  # over which the loss is averaged


@dataclass(frozen=True)
class Kind:
    """What a variant's name says: number of heads, readout, and perhaps width of the values.

    ``2_linear`` has two heads, ``64_linear_v4`` has 64 with values of width 4.
    """

    heads: int
    readout: str
    d_value: int | None = None

    @classmethod
    def parse(cls, name: str) -> "Kind":
        """Read a variant's name."""
        heads, readout, *values = name.split("_")
        return cls(int(heads), readout, int(values[0][1:]) if values else None)


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        variants: numbers of heads with their readout, see `Kind`.
        positions, symbols: of the sequences.
        steps: training steps of every model.
        questions: number evaluated.
        d_model, batch_size, warmup, learning_rate: of every model.
    """

    variants: tuple[str, ...] = (
        "1_linear", "2_linear", "4_linear", "32_linear", "64_linear", "64_linear_v4", "1_mlp"
    )  # fmt: skip
    positions: int = 12
    symbols: int = 16
    steps: int = 1200
    questions: int = 4096
    d_model: int = 64
    batch_size: int = 256
    warmup: int = 50
    learning_rate: float = 3e-3


PRESETS = {
    "tiny": Config(
        variants=("1_linear", "2_linear", "4_linear", "8_linear", "8_linear_v2", "1_mlp"),
        positions=5,
        symbols=3,
        steps=12,
        questions=53,
        d_model=8,
        batch_size=7,
        warmup=3,
    ),
    "laptop": Config(variants=("1_linear", "2_linear", "1_mlp")),
    "recorded": Config(),
    "full": Config(
        variants=("1_linear", "2_linear", "4_linear", "8_linear", "64_linear", "1_mlp", "2_mlp"),
        steps=9600,
    ),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one variant under one seed; measure the questions answered and the positions read.

    ``loss``: mean over the last steps, in nats for each symbol. ``chance``: `both` of a uniform
    guess. The rest is what `answered` gives.
    """
    kind = Kind.parse(variant)
    task = PairRetrieval(
        config.positions, config.symbols, config.batch_size, TRAINING_SEEDS + trial.seed
    )
    model = _build(config, kind, trial.seed).to(trial.device)
    history = fit_adam(model, task, pair_cross_entropy, config, trial, steps=config.steps)
    last = history.loss[-LAST_STEPS:]
    batch = task.evaluation(config.questions, seed=EVALUATION_SEED).to(trial.device)
    return Outcome(
        {
            "loss": sum(last) / len(last),
            "chance": config.symbols**-2,
            **answered(model, batch),
        }
    )


def pair_cross_entropy(model: nn.Module, batch: RetrievalBatch) -> Tensor:
    """Return the mean negative log-probability of the right symbols, in nats for each symbol."""
    logits = model(batch.symbols, batch.asked).logits
    return F.cross_entropy(logits.flatten(0, 1), batch.answer.flatten())


def answered(model: PairReader, batch: RetrievalBatch) -> dict[str, Any]:
    """Return the shares of questions answered and the weights read.

    - ``both``: both symbols are right; ``first`` and ``second``: the one of that slot is.
    - ``unordered``: of the questions whose two symbols differ, those where in each slot these two
      have the largest logits, in whatever order.
    - ``reads_first`` and ``reads_second``: mean weight of each head, by its number from 0, on the
      first and on the second position asked for.
    - ``reads_better`` and ``reads_worse``: mean weight over the heads on the position of the slot
      that is answered more often, and on the other.
    """
    with torch.no_grad():
        logits, weights = model(batch.symbols, batch.asked)
    right = (logits.argmax(dim=-1) == batch.answer).cpu().double()  # [batch, slot]
    heads = weights.shape[1]
    asked = batch.asked[:, None].expand(-1, heads, -1)
    read = weights.gather(2, asked).cpu().double().mean(dim=0)  # [head, slot]
    better = int(right[:, 1].mean() > right[:, 0].mean())
    return {
        "both": right.prod(dim=1).mean().item(),
        "first": right[:, 0].mean().item(),
        "second": right[:, 1].mean().item(),
        "unordered": _found_unordered(logits, batch.answer),
        "reads_first": dict(enumerate(read[:, 0].tolist())),
        "reads_second": dict(enumerate(read[:, 1].tolist())),
        "reads_better": read[:, better].mean().item(),
        "reads_worse": read[:, 1 - better].mean().item(),
    }


def _found_unordered(logits: Tensor, answer: Tensor) -> float:
    differ = answer[:, 0] != answer[:, 1]
    largest = logits[differ].topk(2, dim=-1).indices.sort(dim=-1).values  # [question, slot, 2]
    wanted = answer[differ].sort(dim=-1).values[:, None]
    return (largest == wanted).all(dim=-1).all(dim=-1).cpu().double().mean().item()


def _build(config: Config, kind: Kind, seed: int) -> PairReader:
    with seeded(seed):
        return PairReader(
            PairReaderConfig(
                positions=config.positions,
                symbols=config.symbols,
                d_model=config.d_model,
                num_heads=kind.heads,
                d_value=kind.d_value,
                readout=kind.readout,
            )
        )
