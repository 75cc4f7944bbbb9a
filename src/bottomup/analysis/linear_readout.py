"""What a linear readout can recover from one head, and from two: the proof.

Two positions are asked for. A head reads symbol p at the first with weight w_a
and symbol q at the second with weight w_b; the weights depend on the positions
and not on what stands there. The other positions hold fixed symbols. What a
linear readout makes of it, in the slot that shall name the second symbol, is a
score for each symbol s:

``score_s(p, q) = w_a G[s, p] + w_b G[s, q] + c_s``

G is embedding, value map, output map and readout in one, and c_s holds the
biases and the other positions. The slot is right if ``score_q(p, q)`` is the
largest for every p and q.

**One head cannot, where p and q are free.** Take two symbols x and y, let
``w_a >= w_b >= 0``, and look at ``d(p, q) = score_y(p, q) - score_x(p, q)``,
which shall be positive for q = y and negative for q = x. With
``h(s) = G[y, s] - G[x, s]`` it is ``w_a h(p) + w_b h(q) + c_y - c_x``. With
``D = h(y) - h(x)``:

- xy needs y and yx needs x: ``d(x, y) > 0 > d(y, x)`` gives
  ``(w_a - w_b) D < 0``.
- yy needs y and xx needs x: ``d(y, y) > 0 > d(x, x)`` gives
  ``(w_a + w_b) D > 0``.

Both cannot be. If w_b > w_a, the slot for the first symbol fails in the same
way.

**Nor where p and q always differ, from three symbols on.** Then xx and yy never
occur, but a third symbol z serves as well: zy needs y and zx needs x, and
``d(z, y) > 0 > d(z, x)`` gives ``w_b D > 0``. With two symbols that always
differ there are only two pairs, and any ``w_a != w_b`` tells them apart.

**What is left to one head** is more than half of the n^2 pairs: for every n
that was tried the margin is above zero on the n (n + 1) / 2 pairs with
``p <= q``. Trained with cross-entropy, it ends far lower: it finds the two
symbols and divides its probability between the two orders.

**Two heads can** if the weights of one are no multiple of the other's: some
combination of the two readings then holds the second symbol alone. One head
can, too, if its readout is not linear: with ``w_a != w_b`` the sums
``w_a v_p + w_b v_q`` are in general all different, and an MLP can learn which
sum means which pair.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from bottomup.checks import check_integer, check_number

Numbers = NDArray[np.float64]
Pairs = Iterable[tuple[int, int]]


def linear_readout_margin(
    symbols: int,
    heads: Sequence[tuple[float, float]],
    *,
    pairs: Pairs | None = None,
) -> float:
    """Return the largest margin that names both symbols of every pair.

    ``max over G, c of
    min over p, q, s != right of score_right(p, q) - score_s(p, q)``, each entry
    of G between -1 and 1, where
    ``score_s(p, q) = sum_h w_ha G_h[s, p] + w_hb G_h[s, q] + c_s``; the smaller
    of the margins of the two slots, each with G and c of its own

    A linear programme finds it, so the answer holds for every embedding, value
    map, output map and readout of any width. All-zero G and c give the margin
    0: a margin of 0 says that no choice is right on every pair.

    Args:
        symbols: number n of different symbols, at least 2.
        heads: for each head its weights on the two positions, (w_a, w_b), not
            negative, their sum at most 1.
        pairs: the pairs (p, q) that occur, of symbols from 0 to n - 1; by
            default all n^2, as in `PairRetrieval`.
            ``itertools.permutations(range(n), 2)`` are those without repeats.

    Returns:
        The margin, at least 0. The solver's precision is about 1e-9.

    Raises:
        RuntimeError: the solver found no optimum.

    Chapter 03 derives it.

    Example:
        >>> two_heads = [(1.0, 0.0), (0.0, 1.0)]  # each reads one place
        >>> round(linear_readout_margin(3, two_heads), 3)
        2.0
    """
    check_integer("symbols", symbols, at_least=2)
    _check_heads(heads)
    weights = np.array(heads, dtype=np.float64)  # [head, 2]
    chosen = _chosen(symbols, pairs)
    # The first symbol's slot is the second's with the positions exchanged.
    exchanged = [(q, p) for p, q in chosen]
    first = _slot_margin(symbols, weights[:, ::-1], exchanged)
    return min(first, _slot_margin(symbols, weights, chosen))


def one_head_margin(
    symbols: int, w_a: float, w_b: float, *, pairs: Pairs | None = None
) -> float:
    """Return `linear_readout_margin` of one head with the weights w_a and w_b.

    On all pairs it is 0, whatever the weights.

    Raises:
        RuntimeError: as `linear_readout_margin`.

    Chapter 03 derives it.

    Example:
        >>> one_head_margin(3, w_a=0.7, w_b=0.3)
        0.0
        >>> rising = [(0, 1), (0, 2), (1, 2)]
        >>> round(one_head_margin(3, w_a=0.7, w_b=0.3, pairs=rising), 3)
        0.6
    """
    for name, weight in {"w_a": w_a, "w_b": w_b}.items():
        check_number(name, weight, at_least=0)
    check_number("w_a + w_b", w_a + w_b, at_most=1 + 1e-9)
    return linear_readout_margin(symbols, [(w_a, w_b)], pairs=pairs)


def margin_by_share(
    symbols: int, shares: Sequence[float], *, pairs: Pairs | None = None
) -> list[float]:
    """Return `one_head_margin` by the share that the second position gets.

    ``w_b = share``, ``w_a = 1 - share``: between 0 and 1 every ratio of the two
    weights occurs.

    Raises:
        RuntimeError: as `linear_readout_margin`.

    Chapter 03 plots it.

    Example:
        >>> rising = [(0, 1), (0, 2), (1, 2)]
        >>> margins = margin_by_share(3, [0.0, 0.25, 0.5], pairs=rising)
        >>> [round(margin, 3) for margin in margins]
        [0.0, 0.5, 1.0]
    """
    check_integer("symbols", symbols, at_least=2)
    for share in shares:
        check_number("shares", share, at_least=0, at_most=1)
    chosen = _chosen(symbols, pairs)
    return [one_head_margin(symbols, 1 - w, w, pairs=chosen) for w in shares]


def _slot_margin(symbols: int, weights: Numbers, pairs: Pairs) -> float:
    """Solve for the slot that names the second symbol; weights [head, 2]."""
    differences = _differences(symbols, weights, pairs)
    rows, unknowns = differences.shape
    # The unknowns are G, c and the margin: margin - difference <= 0.
    constraints = np.hstack([-differences, np.ones((rows, 1))])
    bounds = [(-1, 1)] * (unknowns - symbols) + [(None, None)] * (symbols + 1)
    objective = np.append(np.zeros(unknowns), -1)  # linprog minimises
    from scipy.optimize import linprog  # needed here alone

    found = linprog(objective, constraints, np.zeros(rows), bounds=bounds)
    if not found.success:
        raise RuntimeError(
            f"linprog: expected an optimum, got: {found.message}"
        )
    return max(0.0, -float(found.fun))


def _differences(symbols: int, weights: Numbers, pairs: Pairs) -> Numbers:
    """Return ``score_right - score_s`` for each pair and wrong symbol s.

    A row's entries multiply G [head, scored symbol, read symbol], flattened,
    and c behind it.
    """
    rows = []
    for p, q in pairs:
        scores = _scores(symbols, weights, p, q)
        rows += [scores[q] - scores[s] for s in range(symbols) if s != q]
    return np.array(rows)


def _scores(symbols: int, weights: Numbers, p: int, q: int) -> Numbers:
    """Return the coefficients of score_s(p, q): [scored symbol, unknown]."""
    table = np.zeros((symbols, len(weights), symbols, symbols))
    s = np.arange(symbols)
    for head, (w_a, w_b) in enumerate(weights):
        table[s, head, s, p] += w_a
        table[s, head, s, q] += w_b
    return np.hstack([table.reshape(symbols, -1), np.eye(symbols)])


def _chosen(symbols: int, pairs: Pairs | None) -> list[tuple[int, int]]:
    every = [(p, q) for p in range(symbols) for q in range(symbols)]
    chosen = every if pairs is None else list(pairs)
    if not chosen:
        raise ValueError("pairs: expected at least one pair, got none")
    for pair in chosen:
        if pair not in every:
            raise ValueError(
                f"pairs: expected two symbols in [0, {symbols}), got {pair}"
            )
    return chosen


def _check_heads(heads: Sequence[tuple[float, float]]) -> None:
    if len(heads) == 0:
        raise ValueError(
            "heads: expected the weights of at least one head, got none"
        )
    for number, weights in enumerate(heads):
        name = f"heads[{number}]"
        if len(weights) != 2:
            raise ValueError(
                f"{name}: expected two weights (w_a, w_b), got {weights}"
            )
        for weight in weights:
            check_number(name, weight, at_least=0)
        check_number(f"{name}: w_a + w_b", sum(weights), at_most=1 + 1e-9)
