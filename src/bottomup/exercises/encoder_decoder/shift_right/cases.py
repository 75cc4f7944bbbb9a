"""Cases of what the decoder reads and what it is asked for, one place apart."""

from typing import Any

import torch
from torch import Tensor

from bottomup.exercises.engine import case, integers, tensor
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


def random_sentences(
    lengths: list[int], width: int, bos: int = 1, eos: int = 2, pad: int = 0
) -> dict[str, Any]:
    """Sentences over 17 tokens, without the three special numbers."""

    def sentences(drawn: Tensor) -> Tensor:
        words = torch.tensor([number for number in range(17) if number not in (bos, eos, pad)])
        padded = torch.arange(width) >= torch.tensor(lengths)[:, None]
        return words[drawn].masked_fill(padded, pad)

    drawn = integers(len(lengths), width, high=14)
    return {"target": drawn.then(sentences), "bos": bos, "eos": eos, "pad": pad}


NUMBERS: dict[str, Any] = {"bos": 1, "eos": 2, "pad": 0}

CASES = (
    case(
        _("a sentence of three tokens and one of a single token"),
        target=tensor([[5, 6, 7], [8, 0, 0]]),
        **NUMBERS,
        gives=(tensor([[1, 5, 6, 7], [1, 8, 0, 0]]), tensor([[5, 6, 7, 2], [8, 2, 0, 0]])),
    ),
    case(_("one sentence without padding"), target=tensor([[9, 4, 9]]), **NUMBERS),
    case(_("a padded batch"), seed=1, **random_sentences([7, 2, 5, 3, 1], 7)),
    case(
        _("zero is a token of a sentence, and padding is 9"),
        target=tensor([[4, 0, 3, 9, 9], [0, 5, 9, 9, 9]]),
        bos=1,
        eos=2,
        pad=9,
        gives=(
            tensor([[1, 4, 0, 3, 9, 9], [1, 0, 5, 9, 9, 9]]),
            tensor([[4, 0, 3, 2, 9, 9], [0, 5, 2, 9, 9, 9]]),
        ),
    ),
    case(
        _("other special numbers"), seed=6, **random_sentences([3, 5, 2], 5, bos=13, eos=3, pad=11)
    ),
    case(_("one token in each sentence"), target=tensor([[4], [3]]), **NUMBERS),
    case(
        _("the same token again and again"),
        target=tensor([[3, 3, 3, 3, 3], [3, 3, 0, 0, 0]]),
        **NUMBERS,
    ),
    case(_("padding beyond the longest sentence"), seed=3, **random_sentences([2, 3, 1], 7)),
    case(_("an empty sentence"), seed=4, **random_sentences([3, 0, 2], 3)),
    case(
        _("32-bit numbers"),
        target=tensor([[7, 11, 0, 0, 0], [3, 5, 7, 13, 0]], dtype=torch.int32),
        **NUMBERS,
    ),
)

compare = compare_named("target_in", "target_out")
