"""Cases of the mean loss of real tokens."""

from math import log

import torch

from bottomup.exercises.engine import Case, case, integers, normal, tensor
from bottomup.i18n import _
from bottomup.masks import padding_mask


def sentences(name: str, lengths: list[int], words: int, *, seed: int) -> Case:
    """Sentences of these lengths, padded to the longest."""
    pairs, places = len(lengths), max(lengths)
    logits = normal(pairs, places, words, scale=2.0)
    return case(
        name,
        seed=seed,
        log_p=logits.then(lambda drawn: drawn.log_softmax(dim=-1)),
        target=integers(pairs, places, high=words),
        real=tensor(lengths).then(padding_mask).then(lambda mask: mask[:, 0]),
    )


CASES = (
    case(
        _("one sentence of two tokens"),
        log_p=tensor([[[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]]]).then(torch.log),
        target=tensor([[0, 2]]),
        real=tensor([[True, True]]),
        gives=tensor(2 * log(2)),  # of -ln 1/2 = ln 2 and -ln 1/8 = 3 ln 2
    ),
    sentences(_("two sentences of different length"), [1, 3], 2, seed=1),
    sentences(_("five sentences"), [7, 2, 3, 5, 1], 11, seed=2),
    sentences(_("three of equal length"), [3, 3, 3], 5, seed=3),
    sentences(_("as many words as places"), [2, 5], 5, seed=4),
    case(
        _("padding in front and between, and a word that is hardly expected"),
        log_p=tensor(
            [
                [[0.0, -300.0], [-200.0, 0.0], [-log(2), -log(2)]],
                [[-log(2), -log(2)], [0.0, -300.0], [0.0, -300.0]],
            ]
        ),
        target=tensor([[1, 0, 1], [0, 1, 0]]),
        real=tensor([[False, True, True], [True, False, True]]),
        gives=tensor((200 + 2 * log(2)) / 4),  # 200 and ln 2; ln 2 and 0
    ),
)
