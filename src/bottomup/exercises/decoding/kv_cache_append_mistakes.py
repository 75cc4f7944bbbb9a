"""Mistakes with a cache of keys and values: where to write, at which position, what to read."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("The cache")
HAND = _("three tokens, queries zero: the mean of the values so far")
HAND_QUERIES = _("two tokens, a query that prefers the second")

Pair = tuple[Tensor, int]
Answer = Callable[..., Pair]


def _step(
    *, position: Callable[[Tensor, int], Tensor] = lambda positions, n: positions[n],
    written: Callable[[int], int] = lambda n: n,
    read: Callable[[int], slice] = lambda n: slice(n + 1),
    divisor: Callable[[Tensor, Tensor], float] = lambda x, keys: keys.shape[-1] ** 0.5,
    axis: int = 1, advance: int = 1,
) -> Answer:  # fmt: skip
    """Right but for the row of the position, the row written, the rows read, or the softmax."""

    def wrong(
        x: Tensor, positions: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor,
        keys: Tensor, values: Tensor, length: int,
    ) -> Pair:  # fmt: skip
        x = x + position(positions, length)
        keys[:, written(length)], values[:, written(length)] = x @ W_K.T, x @ W_V.T
        rows = read(length)
        scores = torch.einsum("bd,brd->br", x @ W_Q.T, keys[:, rows]) / divisor(x, keys)
        weights = scores.softmax(dim=axis)
        return torch.einsum("br,brv->bv", weights, values[:, rows]), length + advance

    return wrong


def _causal_flag(
    x: Tensor, positions: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor,
    keys: Tensor, values: Tensor, length: int,
) -> Pair:  # fmt: skip
    x = x + positions[length]
    keys[:, length], values[:, length] = x @ W_K.T, x @ W_V.T
    filled = slice(length + 1)
    output = F.scaled_dot_product_attention(
        (x @ W_Q.T)[:, None], keys[:, filled], values[:, filled], is_causal=True
    )
    return output[:, 0], length + 1


def _kept(*, key: bool, value: bool) -> Answer:
    """The new row is joined on for this token; only what is kept is also written."""

    def wrong(
        x: Tensor, positions: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor,
        keys: Tensor, values: Tensor, length: int,
    ) -> Pair:  # fmt: skip
        x = x + positions[length]
        new_key, new_value = x @ W_K.T, x @ W_V.T
        all_keys = torch.cat([keys[:, :length], new_key[:, None]], 1)
        all_values = torch.cat([values[:, :length], new_value[:, None]], 1)
        if key:
            keys[:, length] = new_key
        if value:
            values[:, length] = new_value
        output = F.scaled_dot_product_attention((x @ W_Q.T)[:, None], all_keys, all_values)
        return output[:, 0], length + 1

    return wrong


def _masked(*, before: bool) -> Answer:
    """Scores of zero for the unfilled rows, or no weight for them after the softmax."""

    def wrong(
        x: Tensor, positions: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor,
        keys: Tensor, values: Tensor, length: int,
    ) -> Pair:  # fmt: skip
        x = x + positions[length]
        keys[:, length], values[:, length] = x @ W_K.T, x @ W_V.T
        filled = (torch.arange(keys.shape[1]) <= length).to(x)
        scores = torch.einsum("bd,brd->br", x @ W_Q.T, keys) / keys.shape[-1] ** 0.5
        weights = (scores * filled).softmax(-1) if before else scores.softmax(-1) * filled
        return torch.einsum("br,brv->bv", weights, values), length + 1

    return wrong


def _placed(*parts: str) -> Answer:
    """The position is added to x for these of query, key and value alone."""

    def wrong(
        x: Tensor, positions: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor,
        keys: Tensor, values: Tensor, length: int,
    ) -> Pair:  # fmt: skip
        q, k, v = (x + positions[length] if part in parts else x for part in "qkv")
        keys[:, length], values[:, length] = k @ W_K.T, v @ W_V.T
        filled = slice(length + 1)
        output = F.scaled_dot_product_attention(
            (q @ W_Q.T)[:, None], keys[:, filled], values[:, filled]
        )
        return output[:, 0], length + 1

    return wrong


def _exchanged(
    x: Tensor, positions: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor,
    keys: Tensor, values: Tensor, length: int,
) -> Pair:  # fmt: skip
    return _step()(x, positions, W_Q, W_V, W_K, keys, values, length)


WRITING = (
    Misconception(
        "cache-not-advanced",
        _step(advance=0),
        _(
            "Every token is written into the same row, over the one before it. The model then "
            "forgets its own words and repeats itself. Write into row length, and return "
            "length + 1."
        ),
        SECTION,
        (
            _step(written=lambda n: 0),
            _step(written=lambda n: 0, read=lambda n: slice(1)),
            _step(advance=0, read=lambda n: slice(1)),
        ),
        HAND,
    ),
    Misconception(
        "new-row-not-kept",
        _kept(key=False, value=False),
        _(
            "The new key and value serve this token and are then lost: they were joined to a copy, "
            "and the cache itself has nothing in their row. The first output is right, the later "
            "ones read whatever stood there. Assign to keys[:, length] and values[:, length]."
        ),
        SECTION,
        (_kept(key=True, value=False), _kept(key=False, value=True)),
        HAND,
    ),
    Misconception(
        "written-one-row-late",
        _step(written=lambda n: n + 1, read=lambda n: slice(n + 2)),
        _(
            "The new row is written one place too late, as it happens where length is raised "
            "before the writing. A row that nobody filled then lies between, and a full cache has "
            "no place left. Rows are counted from zero: the first free one is number length."
        ),
        SECTION,
        (
            _step(written=lambda n: n + 1),
            _step(
                position=lambda positions, n: positions[n + 1],
                written=lambda n: n + 1,
                read=lambda n: slice(n + 2),
            ),
            _step(position=lambda positions, n: positions[n + 1], written=lambda n: n + 1),
        ),
        HAND,
    ),
    Misconception(
        "key-and-value-exchanged",
        _exchanged,
        _(
            "Keys and values have changed places. Where d_head and d_value differ it does not even "
            "fit; where they agree it runs, and the model reads what was meant for matching. "
            "W_K x goes into keys, W_V x into values."
        ),
        SECTION,
    ),
)

POSITIONS = (
    Misconception(
        "every-token-at-position-zero",
        _step(position=lambda positions, n: positions[0]),
        _(
            "Every token gets the row of position 0, or none. A call sees one token, but that "
            "token is not the first of its sentence: the order of the words is lost, though no "
            "error is raised and short sentences still look right. Add positions[length]."
        ),
        SECTION,
        (_step(position=lambda positions, n: torch.zeros_like(positions[0])),),
        HAND,
    ),
    Misconception(
        "position-not-in-all-three",
        _placed("q", "k"),
        _(
            "The position is missing from one of query, key and value, or from two. Query, key and "
            "value are all made from x plus its position, as in training, where the position is "
            "added before the first layer. Add positions[length] once, before the three products."
        ),
        SECTION,
        (_placed("k", "v"), _placed("q", "v"), _placed("q"), _placed("k"), _placed("v")),
        HAND_QUERIES,
    ),
    Misconception(
        "position-off-by-one",
        _step(position=lambda positions, n: positions[n + 1]),
        _(
            "The token gets a neighbour's position. With length tokens before it, counted from "
            "zero, its own row is number length. In training the same token stood one row further, "
            "so the cached logits differ from the full ones."
        ),
        SECTION,
        (_step(position=lambda positions, n: positions[n - 1]),),
        HAND,
    ),
)

READING = (
    Misconception(
        "is-causal-with-one-query",
        _causal_flag,
        _(
            "The query reads key 0 and no other. `is_causal=True` lays the triangle into the upper "
            "left corner: query 0 may see key 0. Here the one query is the newest token, and all "
            "that is filled lies before it. It needs no mask but the end of the filled rows."
        ),
        SECTION,
        (_step(read=lambda n: slice(1)),),
        HAND,
    ),
    Misconception(
        "unfilled-rows-read",
        _step(read=lambda n: slice(None)),
        _(
            "The query reads rows that nobody has written yet. Memory that is taken beforehand "
            "holds anything, often an earlier sentence; even scores of zero take a share of the "
            "softmax. Read the first length + 1 rows, and take the softmax over them alone."
        ),
        SECTION,
        (
            _step(read=lambda n: slice(n + 2)),
            _masked(before=False),
            _masked(before=True),
        ),
        HAND,
    ),
    Misconception(
        "own-key-missing",
        _step(read=lambda n: slice(n)),
        _(
            "The token does not read itself: the slice ends before the new row, or attention came "
            "before the writing. The first token then has nothing to read. In training the "
            "diagonal of the causal mask is open. Read the first length + 1 rows."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "newest-row-only",
        _step(read=lambda n: slice(n, n + 1)),
        _(
            "The token reads its own row alone, with weight 1. The cache is filled and never used, "
            "and the model translates word by word. The query is one; the keys are all that were "
            "written so far."
        ),
        SECTION,
        case=HAND,
    ),
)

WEIGHTS = (
    Misconception(
        "another-scale",
        _step(divisor=lambda x, keys: 1.0),
        _(
            "The scores are not divided by sqrt(d_head), or by something else. The weights are "
            "then sharper or flatter than those that the model was trained with. d_head is the "
            "size of a key, the last axis of keys."
        ),
        SECTION,
        (
            _step(divisor=lambda x, keys: keys.shape[-1]),
            _step(divisor=lambda x, keys: x.shape[-1] ** 0.5),
        ),
        HAND_QUERIES,
    ),
    Misconception(
        "softmax-over-the-batch",
        _step(axis=0),
        _(
            "The softmax runs over the batch. The weights of one query then do not sum to one, and "
            "a sentence's result depends on its neighbours; with one sentence every weight is 1. "
            "Take it over the rows of the cache."
        ),
        SECTION,
    ),
)

MISCONCEPTIONS = (*WRITING, *POSITIONS, *READING, *WEIGHTS)
