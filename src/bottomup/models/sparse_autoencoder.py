"""A sparse autoencoder: write vectors as sums of few directions out of many.

Two kinds: ReLU activations that the loss keeps few (L1), and the k largest
activations (TopK).
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.checks import (
    check_choice,
    check_integer,
    check_number,
    checked,
    shown,
)
from bottomup.precision import in_float32

KINDS = ("l1", "topk")


class SparseAutoencoderOutput(NamedTuple):
    """The vectors rebuilt, and the activations that they are built from."""

    x_hat: Float[Tensor, "*leading d_input"]
    activations: Float[Tensor, "*leading d_dictionary"]


@checked
def top_k(
    pre_activations: Float[Tensor, "*leading d_dictionary"], k: int
) -> Float[Tensor, "*leading d_dictionary"]:
    """Keep the k largest numbers of every row and set the others to zero.

    A row is what one sample gives: the choice never looks at another sample.
    Where equal numbers compete for the last places, those of lower index get
    them, so that exactly k stay, the same ones every time.

    Args:
        pre_activations: one row for each sample.
        k: how many to keep, from 1 to the length of a row.

    Source: Gao et al. (2024), section 2.3; the rule for ties is ours. Chapter
    04 derives it.
    """
    _check_k(k, pre_activations.shape[-1])
    smallest = pre_activations.detach().topk(k, dim=-1).values[..., -1:]
    larger = ~(pre_activations <= smallest)  # NaN too: `>` would drop it
    equal = pre_activations == smallest
    places_left = k - larger.sum(dim=-1, keepdim=True)
    keep = larger | (equal & (equal.cumsum(dim=-1) <= places_left))
    return torch.where(keep, pre_activations, torch.zeros_like(pre_activations))


class SparseAutoencoder(nn.Module):
    """Encode a vector by few active units, rebuild it from their directions.

    ``f(x) = ReLU(E (x - b_dec) + b_enc)`` for kind "l1",
    ``f(x) = ReLU(top_k(E (x - b_dec) + b_enc))`` for kind "topk",
    ``x_hat = D f(x) + b_dec``

    E: encoder [d_dictionary, d_input]; D: decoder [d_input, d_dictionary];
    b_enc [d_dictionary]; b_dec [d_input]. Column j of D is the direction of
    unit j. Columns have length 1; otherwise the L1 penalty could be evaded by
    small activations and long columns. An optimizer changes the length, so
    `project_decoder` follows each step (`bottomup.training.fit_autoencoder`
    sees to it).

    In a TopK autoencoder k units are kept for each sample. The ReLU then
    silences those that are kept with a negative number: at most k units are
    active, fewer where fewer point the right way.

    At the start the columns of D are random directions, E is the transpose of
    D, and the biases are zero.

    Args:
        d_input: width of the vectors.
        d_dictionary: number of units.
        kind: "l1" or "topk".
        k: units kept for each sample, from 1 to d_dictionary; for kind "topk"
            alone.

    Source: Bricken et al. (2023), appendix "Advice for Training Sparse
    Autoencoders: Autoencoder Architecture"; Gao et al. (2024), section 2.3 for
    TopK and appendix A.1 for the start. Chapter 04 derives it.
    """

    def __init__(
        self,
        d_input: int,
        d_dictionary: int,
        *,
        kind: str = "l1",
        k: int | None = None,
    ) -> None:
        super().__init__()
        check_integer("d_input", d_input, at_least=1)
        check_integer("d_dictionary", d_dictionary, at_least=1)
        check_choice("kind", kind, KINDS)
        if kind == "topk":
            _check_k(k, d_dictionary)
        elif k is not None:
            got = shown(k)
            raise ValueError(f"k: expected None for kind 'l1', got {got}")
        self.d_input, self.d_dictionary = d_input, d_dictionary
        self.kind, self.k = kind, k
        self.D = nn.Parameter(torch.randn(d_input, d_dictionary))
        self.project_decoder()
        self.E = nn.Parameter(self.D.detach().T.clone())
        self.b_enc = nn.Parameter(torch.zeros(d_dictionary))
        self.b_dec = nn.Parameter(torch.zeros(d_input))

    @property
    def directions(self) -> Float[Tensor, "d_dictionary d_input"]:
        """The directions of the units, one a row, without a gradient."""
        return self.D.detach().T

    @checked
    def encode(
        self, x: Float[Tensor, "*leading d_input"]
    ) -> Float[Tensor, "*leading d_dictionary"]:
        """Return the activations ``f(x)``, none below zero."""
        pre_activations = (x - self.b_dec) @ self.E.T + self.b_enc
        if self.k is not None:
            pre_activations = top_k(pre_activations, self.k)
        return pre_activations.relu()

    @checked
    def decode(
        self, activations: Float[Tensor, "*leading d_dictionary"]
    ) -> Float[Tensor, "*leading d_input"]:
        """Return ``D f + b_dec``."""
        return activations @ self.D.T + self.b_dec

    @checked
    def forward(
        self, x: Float[Tensor, "*leading d_input"]
    ) -> SparseAutoencoderOutput:
        """Encode and rebuild."""
        activations = self.encode(x)  # [..., d_dictionary]
        return SparseAutoencoderOutput(self.decode(activations), activations)

    @torch.no_grad()
    def project_decoder(self) -> None:
        """Give each column of D the length 1 again."""
        lengths = self.D.norm(dim=0)  # [d_dictionary]
        if not lengths.is_meta and not bool((lengths > 0).all()):
            column = lengths.argmin()
            raise ValueError(
                f"D: expected no column of zeros, got column {column}"
            )
        self.D.div_(lengths)

    @torch.no_grad()
    def remove_gradient_along_directions(self) -> None:
        """Take from D's gradient what would change the length of a column.

        ``g_j <- g_j - (g_j . d_j) d_j`` for each column d_j of length 1 and its
        gradient g_j

        Before an optimizer with moments, such as Adam, so that they do not
        gather what the projection undoes at each step. Without a gradient
        nothing happens.

        Source: Bricken et al. (2023), appendix, "Interaction Between Adam and
        Decoder Normalization".
        """
        if self.D.grad is not None:
            self.D.grad -= (self.D.grad * self.D).sum(dim=0) * self.D


@checked
@in_float32
def autoencoder_loss(
    x: Float[Tensor, "*leading d_input"],
    x_hat: Float[Tensor, "*leading d_input"],
    activations: Float[Tensor, "*leading d_dictionary"],
    *,
    penalty: int | float = 0.0,
) -> Float[Tensor, ""]:
    """Return squared error plus L1 penalty, the mean over samples.

    ``L = mean over x of ||x - x_hat||^2 + lambda sum_j |f_j(x)|``

    Args:
        x: the vectors.
        x_hat: the vectors rebuilt.
        activations: f(x), one row for each sample.
        penalty: lambda, at least 0; a TopK autoencoder needs none.

    Source: Bricken et al. (2023), appendix "Advice for Training Sparse
    Autoencoders: Autoencoder Architecture"; Cunningham et al. (2023). Chapter
    04 derives it.
    """
    largest = torch.finfo(x.dtype).max
    check_number("penalty", penalty, at_least=0, at_most=largest)
    error = (x - x_hat).square().sum(dim=-1)  # [...]
    return (error + penalty * activations.abs().sum(dim=-1)).mean()


@checked
def dead_units(
    activations: Float[Tensor, "sample d_dictionary"],
) -> Bool[Tensor, " d_dictionary"]:
    """Say which units are active in none of the samples.

    The window in which a unit must be active to count as alive is the samples
    given: a unit for a rare feature looks dead in a short one, so say the
    number of samples with the count.

    Source: Bricken et al. (2023), appendix, "Neuron Resampling", with a window
    of 12,500 steps.
    """
    return (activations == 0).all(dim=0)


def _check_k(k: int | None, dictionary: int) -> None:
    check_integer("k", k, at_least=1)
    if k is not None and k > dictionary:
        wanted = f"at most {dictionary}, the size of the dictionary"
        raise ValueError(f"k: expected {wanted}, got {k}")
