"""Exercise: one more token with a cache of keys and values (Shazeer, 2019, section 2.4)."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.compare import difference, name_of_kind
from bottomup.i18n import _

TOKENS = _("x (token after token)")


def read_one_token(
    x: torch.Tensor, positions: torch.Tensor,
    W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor,
    keys: torch.Tensor, values: torch.Tensor, length: int,
) -> tuple[torch.Tensor, int]:  # fmt: skip
    x = x + positions[length]
    keys[:, length] = x @ W_K.T
    values[:, length] = x @ W_V.T
    filled = slice(length + 1)
    scores = torch.einsum("bd,brd->br", x @ W_Q.T, keys[:, filled])
    weights = torch.softmax(scores / keys.shape[-1] ** 0.5, dim=1)
    return torch.einsum("br,brv->bv", weights, values[:, filled]), length + 1


Pair = tuple[Tensor, int]


def with_torch(
    x: Tensor, positions: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor,
    keys: Tensor, values: Tensor, length: int,
) -> Pair:  # fmt: skip
    x, length = x + positions[length], length + 1
    keys[:, length - 1 : length] = F.linear(x, W_K)[:, None]
    values[:, length - 1 : length] = F.linear(x, W_V)[:, None]
    query = F.linear(x, W_Q)[:, None]
    output = F.scaled_dot_product_attention(query, keys[:, :length], values[:, :length])
    return output.squeeze(1), length


def with_a_mask(
    x: Tensor, positions: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor,
    keys: Tensor, values: Tensor, length: int,
) -> Pair:  # fmt: skip
    placed = positions[length : length + 1] + x
    keys.select(1, length).copy_(placed @ W_K.T)
    values.select(1, length).copy_(placed @ W_V.T)
    unfilled = torch.arange(keys.shape[1]) > length
    scores = keys @ (placed @ W_Q.T).unsqueeze(-1) / keys.shape[2] ** 0.5
    weights = scores.masked_fill(unfilled[:, None], float("-inf")).softmax(dim=1)
    return (weights * values).sum(dim=1), length + 1


def with_loops(
    x: Tensor, positions: Tensor, W_Q: Tensor, W_K: Tensor, W_V: Tensor,
    keys: Tensor, values: Tensor, length: int,
) -> Pair:  # fmt: skip
    outputs = []
    for b, word in enumerate(x):
        vector = word + positions[length]
        keys[b, length], values[b, length] = W_K @ vector, W_V @ vector
        query = W_Q @ vector / len(W_Q) ** 0.5
        shares = torch.stack([query.dot(keys[b, i]).exp() for i in range(length + 1)])
        mixed = sum(share * values[b, i] for i, share in enumerate(shares))
        outputs.append(mixed / shares.sum())
    return torch.stack(outputs), length + 1


# ---- Mistakes: where to write, at which position, what to read

HAND = _("three tokens, queries zero: the mean of the values so far")
HAND_QUERIES = _("two tokens, a query that prefers the second")
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
    Mistake(
        "cache-not-advanced",
        _step(advance=0),
        (
            _step(written=lambda n: 0),
            _step(written=lambda n: 0, read=lambda n: slice(1)),
            _step(advance=0, read=lambda n: slice(1)),
        ),
        case=HAND,
    ),
    Mistake(
        "new-row-not-kept",
        _kept(key=False, value=False),
        (_kept(key=True, value=False), _kept(key=False, value=True)),
        case=HAND,
    ),
    Mistake(
        "written-one-row-late",
        _step(written=lambda n: n + 1, read=lambda n: slice(n + 2)),
        (
            _step(written=lambda n: n + 1),
            _step(
                position=lambda positions, n: positions[n + 1],
                written=lambda n: n + 1,
                read=lambda n: slice(n + 2),
            ),
            _step(position=lambda positions, n: positions[n + 1], written=lambda n: n + 1),
        ),
        case=HAND,
    ),
    Mistake("key-and-value-exchanged", _exchanged),
)

POSITIONS = (
    Mistake(
        "every-token-at-position-zero",
        _step(position=lambda positions, n: positions[0]),
        (_step(position=lambda positions, n: torch.zeros_like(positions[0])),),
        case=HAND,
    ),
    Mistake(
        "position-not-in-all-three",
        _placed("q", "k"),
        (_placed("k", "v"), _placed("q", "v"), _placed("q"), _placed("k"), _placed("v")),
        case=HAND_QUERIES,
    ),
    Mistake(
        "position-off-by-one",
        _step(position=lambda positions, n: positions[n + 1]),
        (_step(position=lambda positions, n: positions[n - 1]),),
        case=HAND,
    ),
)

READING = (
    Mistake("is-causal-with-one-query", _causal_flag, (_step(read=lambda n: slice(1)),), case=HAND),
    Mistake(
        "unfilled-rows-read",
        _step(read=lambda n: slice(None)),
        (
            _step(read=lambda n: slice(n + 2)),
            _masked(before=False),
            _masked(before=True),
        ),
        case=HAND,
    ),
    Mistake("own-key-missing", _step(read=lambda n: slice(n)), case=HAND),
    Mistake("newest-row-only", _step(read=lambda n: slice(n, n + 1)), case=HAND),
)

WEIGHTS = (
    Mistake(
        "another-scale",
        _step(divisor=lambda x, keys: 1.0),
        (
            _step(divisor=lambda x, keys: keys.shape[-1]),
            _step(divisor=lambda x, keys: x.shape[-1] ** 0.5),
        ),
        case=HAND_QUERIES,
    ),
    Mistake("softmax-over-the-batch", _step(axis=0)),
)

MISTAKES = (*WRITING, *POSITIONS, *READING, *WEIGHTS)


# ---- Cases


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Let the answer read the case's tokens one after the other, with one cache.

    What is no pair of a tensor and a whole number is returned as it came.
    """
    tokens, *maps, keys, values, length = case.inputs.values()
    keys, values = keys.clone(), values.clone()  # the answer is to write into them
    outputs = []
    for i in range(tokens.shape[1]):
        returned = answer(tokens[:, i], *maps, keys, values, length)
        if not _is_pair(returned):
            return returned
        output, length = returned
        length = length.item() if isinstance(length, Tensor) else length
        outputs.append(output)
    return {"output": outputs, "length": length, "keys": keys, "values": values}


def _is_pair(returned: Any) -> bool:
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        return False
    output, length = returned
    is_number = isinstance(length, int) or (isinstance(length, Tensor) and length.numel() == 1)
    return isinstance(output, Tensor) and is_number


def compare(got: Any, expected: dict[str, Any], case: Case) -> str | None:
    """Name the first output that differs, else the length or the cache."""
    if got is None:
        return difference(got, expected)
    if not isinstance(got, dict):
        return _no_pair(got)
    for number, pair in enumerate(zip(got["output"], expected["output"], strict=True), start=1):
        differs = difference(*pair)
        if differs is not None:
            where = _("In the output of token {number}: {sentence}")
            return where.format(number=number, sentence=differs)
    for name in ("length", "keys", "values"):
        differs = difference(got[name], expected[name])
        if differs is not None:
            return _("In {name}: {sentence}").format(name=name, sentence=differs)
    return None


def _no_pair(got: Any) -> str:
    several = isinstance(got, tuple | list) and 2 <= len(got) <= 4
    kinds = ", ".join(map(name_of_kind, got)) if several else name_of_kind(got)
    sentence = _("It returned {got}, expected a tensor and a number: output, length.")
    return sentence.format(got=kinds)


def _by_hand(tokens: list[float], query: float, d_head: int) -> Callable[..., Inputs]:
    """Words and values of one number; the rows that are not filled hold 100."""

    def make(generator: torch.Generator) -> Inputs:
        return {
            TOKENS: torch.tensor(tokens)[None, :, None],
            "positions": torch.arange(1.0, 6.0)[:, None],
            "W_Q": torch.full((d_head, 1), query),
            "W_K": torch.full((d_head, 1), 0.25),
            "W_V": torch.tensor([[1.0]]),
            "keys": torch.full((1, 4, d_head), 100.0),
            "values": torch.full((1, 4, 1), 100.0),
            "length": 0,
        }

    return make


def _random(
    batch: int, tokens: int, rows: int, length: int = 0, *,
    sizes: tuple[int, int, int] = (7, 2, 3), dtype: torch.dtype = torch.float32,
) -> Callable[[torch.Generator], Inputs]:  # fmt: skip
    """Sizes are d_model, d_head and d_value."""
    d_model, d_head, d_value = sizes

    def make(generator: torch.Generator) -> Inputs:
        def draw(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=dtype)

        return {
            TOKENS: draw(batch, tokens, d_model),
            "positions": draw(rows + 2, d_model),
            "W_Q": draw(d_head, d_model) / d_model**0.5,
            "W_K": draw(d_head, d_model) / d_model**0.5,
            "W_V": draw(d_value, d_model) / d_model**0.5,
            "keys": draw(batch, rows, d_head),
            "values": draw(batch, rows, d_value),
            "length": length,
        }

    return make


CASES = (
    Case(HAND, _by_hand([10.0, 20.0, 30.0], 0.0, 1)),
    Case(HAND_QUERIES, _by_hand([1.0, 2.0], 0.5, 4)),
    Case(_("five tokens, an empty cache"), _random(2, 5, 11), seed=1),
    Case(_("three tokens were read before"), _random(2, 5, 11, 3), seed=2),
    Case(_("the cache becomes full"), _random(3, 5, 7, 2), seed=3),
    Case(_("all sizes are equal"), _random(3, 3, 5, 1, sizes=(3, 3, 3)), seed=4),
    Case(_("one token more"), _random(5, 1, 13, 7, sizes=(2, 5, 3)), seed=5),
    Case(_("float64"), _random(2, 3, 5, sizes=(3, 2, 5), dtype=torch.float64), seed=6),
)

ANSWERS = Answers(
    solution=read_one_token,
    alternatives=(with_torch, with_a_mask, with_loops),
    mistakes=MISTAKES,
    cases=CASES,
    run=run,
    compare=compare,
)
