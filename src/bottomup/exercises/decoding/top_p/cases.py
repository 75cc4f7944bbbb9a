"""Cases of the nucleus, what top-p keeps (Holtzman et al., 2020, section 3.1)."""

import torch
from torch import Tensor

from bottomup.exercises.engine import Drawn, case, normal, tensor
from bottomup.i18n import _


def drawn(
    rows: int,
    tokens: int,
    *,
    sharpness: float = 1.0,
    impossible: int = 0,
    dtype: torch.dtype | None = None,
) -> Drawn:
    """The last `impossible` tokens have no probability."""

    def softmax(logits: Tensor) -> Tensor:
        logits[:, tokens - impossible :] = -torch.inf
        return logits.softmax(-1)

    return normal(rows, tokens, scale=sharpness, dtype=dtype).then(softmax)


CASES = (
    case(
        _("four tokens, p = 0.6: the second token crosses the border"),
        probabilities=tensor([[0.25, 0.5, 0.0625, 0.1875]]),
        p=0.6,
        gives=tensor([[1 / 3, 2 / 3, 0.0, 0.0]]),
    ),
    case(
        _("four tokens, p = 0.75: two tokens hold exactly p"),
        probabilities=tensor([[0.0625, 0.5, 0.1875, 0.25]]),
        p=0.75,
        gives=tensor([[0.0, 2 / 3, 0.0, 1 / 3]]),
    ),
    case(
        _("four tokens, p = 0.75: two tokens hold a little less than p"),
        probabilities=tensor([[0.5, 0.2499, 0.1501, 0.1]]),
        p=0.75,
        gives=tensor([[0.5 / 0.9, 0.2499 / 0.9, 0.1501 / 0.9, 0.0]]),
    ),
    case(
        _("one certain and one uncertain row"),
        probabilities=tensor([[0.9, 0.04, 0.06], [0.3, 0.2, 0.5]]),
        p=0.7,
        gives=tensor([[1.0, 0.0, 0.0], [0.375, 0.0, 0.625]]),  # 3 : 5
    ),
    case(_("five rows"), seed=1, probabilities=drawn(5, 11), p=0.8),
    case(_("p below the best token"), seed=2, probabilities=drawn(3, 7), p=0.05),
    case(
        _("everything is kept"),
        probabilities=tensor([[0.65, 0.32, 0.03]]),  # in float32 they add up to less than 1
        p=1.0,
        gives=tensor([[0.65, 0.32, 0.03]]),
    ),
    case(_("tokens without probability"), seed=4, probabilities=drawn(3, 13, impossible=5), p=0.9),
    case(_("as many rows as tokens"), seed=5, probabilities=drawn(5, 5, sharpness=2.0), p=0.6),
    case(_("a certain model"), seed=6, probabilities=drawn(7, 17, sharpness=3.0), p=0.95),
    case(_("a large vocabulary"), seed=8, probabilities=drawn(2, 101, sharpness=0.5), p=0.9),
    case(_("float64"), seed=7, probabilities=drawn(2, 7, dtype=torch.float64), p=0.5),
)
