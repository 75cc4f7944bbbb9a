"""Chapter 02: does a layer learn with scores that are not scaled, and from which width on not?

One layer of attention answers for the colour of a thing that its sentence has named: the sentences
are chapter 02b's. Variants are ``scaled_64`` and ``unscaled_64`` with the width of queries and
keys. Both start from the same parameters, see the same batches, and have the same learning rate.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from bottomup.attention import scaled_dot_product_attention
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.shared.sentences import COLOURS, NOUNS, Questions, Sentences
from bottomup.experiments.shared.training import fit_adam, seeded

TRAINING_SEEDS = 100  # batches come from seeds of their own, apart from those of the parameters
SCALES = {"scaled": None, "unscaled": 1.0}  # of the scores; None is 1 / sqrt(d_key)


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        widths: d_key that are compared, ascending.
        things: in a sentence.
        d_model: of the words.
        sentences: evaluated.
        steps, batch_size, warmup, learning_rate: of every training.
    """

    widths: tuple[int, ...] = (4, 16, 64, 256, 1024)
    things: int = 8
    d_model: int = 64
    sentences: int = 2_000
    steps: int = 400
    batch_size: int = 64
    warmup: int = 20
    learning_rate: float = 1e-3


PRESETS = {
    "tiny": Config(
        widths=(2, 5), things=3, d_model=7, sentences=11, steps=3, batch_size=5, warmup=2
    ),
    "laptop": Config(widths=(16, 1024)),
    "recorded": Config(),
    "full": Config(steps=4_000),
}


class Asker(nn.Module):
    """One layer of attention, read at the last word.

    ``q = W_Q x_n``, ``k_j = W_K x_j``, ``v_j = W_V x_j``;
    ``logits = W softmax(scale q k^T) v + b``
    """

    def __init__(self, *, d_model: int, d_key: int, scale: float | None) -> None:
        super().__init__()
        self.noun = nn.Embedding(NOUNS, d_model)
        self.colour = nn.Embedding(COLOURS + 1, d_model)
        self.W_Q = nn.Linear(d_model, d_key, bias=False)
        self.W_K = nn.Linear(d_model, d_key, bias=False)
        self.W_V = nn.Linear(d_model, d_model, bias=False)
        self.answer = nn.Linear(d_model, COLOURS)
        self.scale = scale

    def forward(
        self, nouns: Int64[Tensor, "batch position"], colours: Int64[Tensor, "batch position"]
    ) -> tuple[Float[Tensor, "batch answer"], Float[Tensor, "batch position"]]:
        """Return logits, and what the last word reads."""
        x = self.noun(nouns) + self.colour(colours)  # [batch, position, d_model]
        read, weights = scaled_dot_product_attention(
            self.W_Q(x[:, -1:]), self.W_K(x), self.W_V(x), scale=self.scale
        )
        return self.answer(read[:, 0]), weights[:, 0]


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one layer under one seed.

    ``largest_at_start``: mean over sentences of the largest weight before training. ``accuracy``:
    share of right answers after it.
    """
    kind, width = variant.split("_")
    with seeded(trial.seed):
        model = Asker(d_model=config.d_model, d_key=int(width), scale=SCALES[kind]).to(trial.device)
    task = Questions(config.things, config.things, config.batch_size, TRAINING_SEEDS + trial.seed)
    held_out = task.evaluation(config.things, config.sentences).to(trial.device)
    with torch.no_grad():
        _, weights = model(held_out.nouns, held_out.colours)
    fit_adam(model, task, _loss, config, trial, steps=config.steps)
    with torch.no_grad():
        logits, _ = model(held_out.nouns, held_out.colours)
    right = logits.argmax(dim=-1) == held_out.answers[:, 0]
    return Outcome(
        {
            "largest_at_start": weights.max(dim=-1).values.cpu().double().mean().item(),
            "accuracy": right.cpu().double().mean().item(),
        }
    )


def _loss(model: nn.Module, batch: Sentences) -> Tensor:
    logits, _ = model(batch.nouns, batch.colours)
    return F.cross_entropy(logits, batch.answers[:, 0])


def variants(config: Config) -> Sequence[str]:
    """Return the layers that are compared."""
    return [f"{kind}_{width}" for width in config.widths for kind in SCALES]
