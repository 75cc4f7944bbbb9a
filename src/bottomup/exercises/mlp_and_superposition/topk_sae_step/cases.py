"""Cases of one step of a TopK autoencoder."""

from math import sqrt
from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import case, normal, tensor
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _

compare = compare_named("codes", "reconstruction", "W_dec")


def longer_and_shorter(W_dec: Tensor) -> Tensor:
    """Columns longer and shorter than 1."""
    d_input, dictionary = W_dec.shape
    return W_dec * torch.linspace(0.4, 2.5, dictionary, dtype=W_dec.dtype) / d_input**0.5


def random(
    samples: int,
    d_input: int,
    dictionary: int,
    k: int,
    *,
    shift: float = 0.0,
    dtype: torch.dtype | None = None,
) -> dict[str, Any]:
    """Inputs whose biases matter; `shift` makes every unit speak more or less readily."""
    return {
        "x": normal(samples, d_input, dtype=dtype),
        "W_enc": normal(dictionary, d_input, dtype=dtype),
        "b_enc": normal(dictionary, dtype=dtype).then(lambda b_enc: b_enc + shift),
        "W_dec": normal(d_input, dictionary, dtype=dtype).then(longer_and_shorter),
        "b_dec": normal(d_input, dtype=dtype),
        "k": k,
    }


CASES = (
    # without b_enc unit 1 would be kept, with it unit 2; its direction is (.6, .8)
    case(
        _("one sample, three units, one kept"),
        x=tensor([[3.0, 1.0]]),
        W_enc=tensor([[1.0, 0.0], [0.0, 1.0], [-3.0, -1.0]]),
        b_enc=tensor([0.0, 4.0, 0.0]),
        W_dec=tensor([[2.0, 3.0, 0.0], [0.0, 4.0, 0.5]]),
        b_dec=tensor([1.0, 0.0]),
        k=1,
        # x - b_dec = (2, 1); scores (2, 1 + 4, -7)
        gives=(
            tensor([[0.0, 5.0, 0.0]]),
            tensor([[5 * 0.6 + 1, 5 * 0.8]]),
            tensor([[1.0, 0.6, 0.0], [0.0, 0.8, 1.0]]),
        ),
    ),
    case(
        _("a strong sample and a weak one"),
        x=tensor([[8.0, 5.0], [2.0, 1.0]]),
        W_enc=tensor([[1.0, 0.0], [0.0, 1.0]]),
        b_enc=tensor([-0.5, 0.75]),
        W_dec=tensor([[3.0, -4.0], [4.0, 3.0]]),
        b_dec=tensor([1.0, -1.0]),
        k=1,
        # scores (7 - .5, 6 + .75) and (1 - .5, 2 + .75)
        gives=(
            tensor([[0.0, 6.75], [0.0, 2.75]]),
            tensor([[1 - 6.75 * 0.8, 6.75 * 0.6 - 1], [1 - 2.75 * 0.8, 2.75 * 0.6 - 1]]),
            tensor([[0.6, -0.8], [0.8, 0.6]]),
        ),
    ),
    case(_("two of seven units for each of five samples"), seed=1, **random(5, 3, 7, 2)),
    case(_("as many units as inputs"), seed=2, **random(3, 5, 5, 2)),
    case(
        _("fewer than k positive numbers"),
        x=tensor([[2.0, 1.0]]),
        W_enc=tensor([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]),
        b_enc=tensor([0.0, 0.0, -0.5]),
        W_dec=tensor([[2.0, 1.0, 0.0], [0.0, 1.0, 4.0]]),
        b_dec=tensor([1.0, 1.0]),
        k=2,
        # scores (1, -1, -.5), of which 1 and -.5 are kept
        gives=(
            tensor([[1.0, 0.0, 0.0]]),
            tensor([[2.0, 1.0]]),
            tensor([[1.0, sqrt(0.5), 0.0], [0.0, sqrt(0.5), 1.0]]),
        ),
    ),
    case(_("many kept, few positive"), seed=3, **random(5, 2, 7, 5, shift=-0.3)),
    case(_("as many samples as units"), seed=4, **random(7, 3, 7, 3)),
    case(_("as many units kept as there are samples"), seed=5, **random(3, 2, 11, 3)),
    case(_("a dictionary smaller than the input"), seed=6, **random(5, 7, 3, 1)),
    case(_("every unit may be kept"), seed=7, **random(2, 3, 5, 5)),
    case(_("one sample"), seed=8, **random(1, 5, 11, 3)),
    case(
        _("every number positive and kept, and a very short column"),
        x=tensor([[3.0, 2.0]]),
        W_enc=tensor([[1.0, 0.0], [0.0, 1.0]]),
        b_enc=tensor([0.0, 0.0]),
        W_dec=tensor([[3e-7, 0.0], [4e-7, 2.0]]),
        b_dec=tensor([1.0, -1.0]),
        k=2,
        # scores (2, 3); directions (.6, .8) and (0, 1)
        gives=(
            tensor([[2.0, 3.0]]),
            tensor([[2 * 0.6 + 1, 2 * 0.8 + 3 - 1]]),
            tensor([[0.6, 0.0], [0.8, 1.0]]),
        ),
    ),
    case(
        _("one unit and inputs of one number, one of them large"),
        x=tensor([[51.0], [1.0]]),
        W_enc=tensor([[2.0]]),
        b_enc=tensor([-1.0]),
        W_dec=tensor([[-4.0]]),
        b_dec=tensor([1.0]),
        k=1,
        # scores 2 * 50 - 1 and 2 * 0 - 1
        gives=(
            tensor([[99.0], [0.0]]),
            tensor([[-99.0 + 1], [1.0]]),
            tensor([[-1.0]]),
        ),
    ),
    case(_("float64"), seed=9, **random(3, 2, 5, 2, dtype=torch.float64)),
)
