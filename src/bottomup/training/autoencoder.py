"""Train a sparse autoencoder whose decoder's columns keep the length 1."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor, nn

from bottomup.checks import check_number, checked
from bottomup.data.batching import TensorBatch
from bottomup.models import SparseAutoencoder, autoencoder_loss
from bottomup.training.loop import fit
from bottomup.training.run import History
from bottomup.training.schedules import warmup_then_decay


@dataclass(frozen=True, eq=False)
class VectorBatch(TensorBatch):
    """Vectors, as `fit` wants a batch."""

    x: Float[Tensor, "*leading width"]

    @property
    def tokens(self) -> int:
        """Number of vectors."""
        return self.x.shape[:-1].numel()


def fit_autoencoder(
    model: SparseAutoencoder,
    vectors: Callable[[int], Tensor],
    *,
    steps: int,
    penalty: int | float = 0.0,
    learning_rate: float = 3e-3,
    warmup: int = 0,
    checkpoint: str | Path | None = None,
) -> History:
    """Train `model` in place with Adam and return what happened at each step.

    One step: the gradient of `autoencoder_loss`, less its part along the
    decoder's columns; Adam; then every column is brought back to length 1. The
    learning rate rises in `warmup` steps and falls linearly to 0 at `steps`.
    Gradients are not clipped, and dead units are left as they are.

    Args:
        model: the autoencoder.
        vectors: gives the vectors [sample, d_input] of a step, the same each
            time it is asked.
        steps: number of steps.
        penalty: lambda of the L1 penalty; 0 for a TopK autoencoder.
        learning_rate: the largest.
        warmup: steps in which it rises.
        checkpoint: file to write and to go on from, as for `fit`.

    Raises:
        FloatingPointError: loss or gradient is infinite or NaN; names the step.

    Source: Bricken et al. (2023), appendix, "Interaction Between Adam and
    Decoder Normalization", for the two changes to the step. Chapter 04 trains
    with it.
    """
    if not isinstance(model, SparseAutoencoder):
        raise TypeError(
            f"model: expected a SparseAutoencoder, got {type(model).__name__}"
        )
    check_number("penalty", penalty, at_least=0, below=torch.inf)
    check_number("learning_rate", learning_rate, above=0, at_most=1e30)

    def loss(model: nn.Module, batch: VectorBatch) -> Tensor:
        x_hat, activations = model(batch.x)
        return autoencoder_loss(batch.x, x_hat, activations, penalty=penalty)

    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    keep_unit_norm(model, optimizer)
    return fit(
        model,
        lambda step: _batch(vectors(step)),
        steps=steps,
        loss=loss,
        optimizer=optimizer,
        schedule=warmup_then_decay(warmup=warmup, steps=steps),
        max_norm=None,
        checkpoint=checkpoint,
    )


def keep_unit_norm(
    model: SparseAutoencoder, optimizer: torch.optim.Optimizer
) -> None:
    """Have each step of `optimizer` keep the decoder's columns at length 1.

    Before the step the gradient loses its part along the columns; after it they
    are projected.

    Source: Bricken et al. (2023), appendix, "Interaction Between Adam and
    Decoder Normalization". Chapter 04 trains with it.
    """
    optimizer.register_step_pre_hook(
        lambda *step: model.remove_gradient_along_directions()
    )
    optimizer.register_step_post_hook(lambda *step: model.project_decoder())


@checked
def _batch(vectors: Float[Tensor, "sample d_input"]) -> VectorBatch:
    return VectorBatch(vectors)
