"""What a linear readout can recover from one head, and from two: the proof and its check.

Two positions are asked for. A head reads symbol p at the first with weight w_a and symbol q at the
second with weight w_b; the weights depend on the positions and not on what stands there. The other
positions hold fixed symbols. What a linear readout makes of it, in the slot that shall name the
second symbol, is a score for each symbol s:

``score_s(p, q) = w_a G[s, p] + w_b G[s, q] + c_s``

G is embedding, value map, output map and readout in one, and c_s holds the biases and the other
positions. The slot is right if ``score_q(p, q)`` is the largest for every p and q.

**One head cannot, where p and q are free.** Take two symbols x and y, let ``w_a >= w_b >= 0``, and
look at ``d(p, q) = score_y(p, q) - score_x(p, q)``, which shall be positive for q = y and negative
for q = x. With ``h(s) = G[y, s] - G[x, s]`` it is ``w_a h(p) + w_b h(q) + c_y - c_x``: the four
pairs lie on one line, at xx, xy, yx, yy in this order if h(y) > h(x), in the reverse order if not.
Along the line the answer should change from x to y, back to x, and to y again. A number that rises
or falls all the way changes its sign at most once. In inequalities, with ``D = h(y) - h(x)``:

- xy needs y and yx needs x: ``d(x, y) > 0 > d(y, x)`` gives ``(w_a - w_b) D < 0``.
- yy needs y and xx needs x: ``d(y, y) > 0 > d(x, x)`` gives ``(w_a + w_b) D > 0``.

Both cannot be. If w_b > w_a, the slot for the first symbol fails in the same way.

**Nor where p and q always differ, from three symbols on.** Then xx and yy never occur, but a third
symbol z serves as well:

- zy needs y and zx needs x: ``d(z, y) > 0 > d(z, x)`` gives ``w_b D > 0``.

With two symbols that always differ there are only two pairs, and any ``w_a != w_b`` tells them
apart.

**What is left to one head** is more than half of the n^2 pairs: for every n that was tried the
margin is above zero on the n (n + 1) / 2 pairs with ``p <= q``. The proof says that no readout gets
all pairs, not where training ends. Trained with cross-entropy, one head ends far lower: it finds
the two symbols and divides its probability between the two orders.

**Two heads can** if the weights of one are no multiple of the other's: some combination of the two
readings then holds the second symbol alone. One head can, too, if its readout is not linear: with
``w_a != w_b`` the sums ``w_a v_p + w_b v_q`` are in general all different, and an MLP can learn
which sum means which pair.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from bottomup.checks import check_integer, check_number

Numbers = NDArray[np.float64]
Pairs = Iterable[tuple[int, int]]


def linear_readout_margin(
    symbols: int,
    heads: Sequence[tuple[float, float]],
    *,
    pairs: Pairs | None = None,
) -> float:
    """Return the largest margin with which a linear readout names both symbols of every pair.

    ``max over G, c of min over p, q, s != right of score_right(p, q) - score_s(p, q)``, each entry
    of G between -1 and 1, where ``score_s(p, q) = sum_h w_ha G_h[s, p] + w_hb G_h[s, q] + c_s``;
    the smaller of the margins of the two slots, each with G and c of its own

    A linear programme finds it, so the answer holds for every embedding, value map, output map and
    readout of any width. All-zero G and c give the margin 0: a margin of 0 says that no choice is
    right on every pair.

    Args:
        symbols: number n of different symbols, at least 2.
        heads: for each head its weights on the two positions, (w_a, w_b).
        pairs: the pairs (p, q) that occur, of symbols from 0 to n - 1; by default all n^2, as in
            `PairRetrieval`. ``itertools.permutations(range(n), 2)`` are those without repeats.

    Returns:
        The margin, at least 0. The solver's precision is about 1e-9.

    Raises:
        TypeError: `symbols` is not an integer, or a weight no number.
        ValueError: `symbols` is below 2, there is no head or no pair, a pair holds something else
            than two symbols, or the weights of a head are negative or sum to more than 1.
        RuntimeError: the solver found no optimum.

    Chapter 03 derives it.
    """
    check_integer("symbols", symbols, at_least=2)
    weights = _checked(heads)
    chosen = _chosen(symbols, pairs)
    # the slot for the first symbol is that for the second with the two positions exchanged
    exchanged = [(q, p) for p, q in chosen]
    first = _slot_margin(symbols, weights[:, ::-1], exchanged)
    return min(first, _slot_margin(symbols, weights, chosen))


def one_head_margin(
    symbols: int, w_a: float, w_b: float, *, pairs: Pairs | None = None
) -> float:
    """Return `linear_readout_margin` of one head with the weights w_a and w_b.

    On all pairs it is 0, whatever the weights.

    Raises:
        TypeError, ValueError, RuntimeError: as `linear_readout_margin`.

    Chapter 03 derives it.
    """
    return linear_readout_margin(symbols, [(w_a, w_b)], pairs=pairs)


def margin_by_share(
    symbols: int, shares: Sequence[float], *, pairs: Pairs | None = None
) -> list[float]:
    """Return `one_head_margin` of heads that give the second position a share of all they read.

    ``w_b = share``, ``w_a = 1 - share``: between 0 and 1 every ratio of the two weights occurs.

    Raises:
        TypeError, ValueError, RuntimeError: as `linear_readout_margin`; a share lies outside
            [0, 1].

    Chapter 03 plots it.
    """
    for share in shares:
        check_number("shares", share, at_least=0, at_most=1)
    chosen = _chosen(symbols, pairs)
    return [
        one_head_margin(symbols, 1 - share, share, pairs=chosen)
        for share in shares
    ]


def _chosen(symbols: int, pairs: Pairs | None) -> list[tuple[int, int]]:
    every = [(p, q) for p in range(symbols) for q in range(symbols)]
    if pairs is None:
        return every
    chosen = list(pairs)
    if not chosen:
        raise ValueError("pairs: expected at least one pair, got none")
    for pair in chosen:
        if pair not in every:
            raise ValueError(
                f"pairs: expected two symbols in [0, {symbols}), got {pair}"
            )
    return chosen


def _checked(heads: Sequence[tuple[float, float]]) -> Numbers:
    if len(heads) == 0:
        raise ValueError(
            "heads: expected the weights of at least one head, got none"
        )
    for number, weights in enumerate(heads):
        if len(weights) != 2:
            raise ValueError(
                f"heads[{number}]: expected two weights (w_a, w_b), got {weights}"
            )
        for weight in weights:
            check_number(f"heads[{number}]", weight, at_least=0)
        check_number(
            f"heads[{number}]: w_a + w_b", sum(weights), at_most=1 + 1e-9
        )
    return np.array(heads, dtype=np.float64)


def _slot_margin(symbols: int, weights: Numbers, pairs: Pairs) -> float:
    """Solve for the slot that names the second symbol; weights [head, 2]."""
    differences = _differences(symbols, weights, pairs)
    rows, unknowns = differences.shape
    # variables: G, c and the margin; margin - difference <= 0 for every pair and wrong symbol
    constraints = np.hstack([-differences, np.ones((rows, 1))])
    entries = unknowns - symbols
    bounds = [(-1, 1)] * entries + [(None, None)] * (symbols + 1)
    objective = np.zeros(unknowns + 1)
    objective[-1] = -1  # linprog minimises
    found = linprog(
        objective, A_ub=constraints, b_ub=np.zeros(rows), bounds=bounds
    )
    if not found.success:
        raise RuntimeError(
            f"linprog: expected an optimum, got: {found.message}"
        )
    return max(0.0, -float(found.fun))


def _differences(symbols: int, weights: Numbers, pairs: Pairs) -> Numbers:
    """Return a row for each pair and wrong symbol: score of the right one less that of the wrong.

    Its entries multiply G [head, scored symbol, read symbol], flattened, and c behind it.
    """
    rows = []
    for p, q in pairs:
        scores = _scores(symbols, weights, p, q)
        rows += [scores[q] - scores[s] for s in range(symbols) if s != q]
    return np.array(rows)


def _scores(symbols: int, weights: Numbers, p: int, q: int) -> Numbers:
    """Return the coefficients of score_s(p, q) for each s: [scored symbol, unknown]."""
    heads = len(weights)
    table = np.zeros((symbols, heads, symbols, symbols))
    every = np.arange(symbols)
    for head, (w_a, w_b) in enumerate(weights):
        table[every, head, every, p] += w_a
        table[every, head, every, q] += w_b
    return np.hstack([table.reshape(symbols, -1), np.eye(symbols)])
