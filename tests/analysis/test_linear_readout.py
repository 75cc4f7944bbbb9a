"""What a linear readout can name: the proof's inequalities, and what the programme finds."""

from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.analysis import linear_readout_margin, margin_by_share, one_head_margin
from bottomup.analysis.linear_readout import _differences
from tests.properties.strategies import seeds

ZERO = pytest.approx(0, abs=1e-8)
SHARES = [0.0, 0.1, 0.25, 1 / 3, 0.49, 0.5, 0.6, 0.9, 1.0]
shares = st.floats(min_value=0, max_value=1)


@pytest.mark.parametrize("symbols", [2, 3, 4])
def test_one_head_cannot_whatever_its_weights(symbols):
    assert margin_by_share(symbols, SHARES) == [ZERO] * len(SHARES)


@pytest.mark.parametrize("symbols", [3, 4])
def test_nor_where_the_two_symbols_always_differ_from_three_symbols_on(symbols):
    pairs = permutations(range(symbols), 2)
    assert margin_by_share(symbols, SHARES, pairs=pairs) == [ZERO] * len(SHARES)


def test_two_symbols_that_always_differ_are_told_apart_by_unequal_weights():
    # h(y) - h(x) is at most 2 in absolute value, and the two pairs differ by (w_a - w_b) of it
    expected = [2 * abs(1 - 2 * share) for share in SHARES]
    assert margin_by_share(2, SHARES, pairs=[(0, 1), (1, 0)]) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("symbols", [2, 3, 5])
def test_one_head_can_on_the_pairs_in_ascending_order(symbols):
    ascending = list(combinations_with_replacement(range(symbols), 2))
    assert one_head_margin(symbols, 0.6, 0.4, pairs=ascending) > 0.1
    assert one_head_margin(symbols, 0.6, 0.4, pairs=[*ascending, (1, 0)]) == ZERO


@pytest.mark.parametrize("symbols", [2, 3, 5])
def test_two_heads_can(symbols):
    # G is at most 1 in size, so a head that reads one position alone separates by 2
    assert linear_readout_margin(symbols, [(1, 0), (0, 1)]) == pytest.approx(2)
    assert linear_readout_margin(symbols, [(0.9, 0.05), (0.1, 0.8)]) > 1


def test_two_heads_whose_weights_are_multiples_are_one_head():
    assert linear_readout_margin(3, [(0.6, 0.3), (0.4, 0.2)]) == ZERO
    assert linear_readout_margin(3, [(0.6, 0.3), (0.4, 0.3)]) > 0.01


def test_a_head_that_reads_both_alike_is_enough_beside_one_that_does_not():
    assert linear_readout_margin(3, [(0.5, 0.5), (1.0, 0.0)]) == pytest.approx(1)


def test_the_order_of_the_two_positions_does_not_matter():
    heads = [(0.7, 0.1), (0.3, 0.5)]
    turned = [(b, a) for a, b in heads]
    assert linear_readout_margin(3, heads) == pytest.approx(linear_readout_margin(3, turned))


def row(symbols: int, weights: np.ndarray, pair: tuple[int, int], wrong: int) -> np.ndarray:
    """The coefficients of score_q - score_wrong for the pair (p, q)."""
    others = [symbol for symbol in range(symbols) if symbol != pair[1]]
    return _differences(symbols, weights, [pair])[others.index(wrong)]


@pytest.mark.parametrize(("w_a", "w_b"), [(0.7, 0.3), (0.5, 0.5), (1.0, 0.0), (0.4, 0.1)])
def test_the_proof_s_inequalities_add_up_to_a_contradiction(w_a, w_b):
    weights = np.array([[w_a, w_b]])
    x, y = 0, 1
    mixed = row(2, weights, (x, y), x) + row(2, weights, (y, x), y)
    alike = row(2, weights, (y, y), x) + row(2, weights, (x, x), y)
    # both sums should be positive, and with factors >= 0 they add up to nothing at all
    np.testing.assert_allclose((w_a + w_b) * mixed + (w_a - w_b) * alike, 0, atol=1e-12)


@pytest.mark.parametrize(("w_a", "w_b"), [(0.7, 0.3), (0.5, 0.5), (1.0, 0.0), (0.4, 0.1)])
def test_so_do_those_with_a_third_symbol(w_a, w_b):
    weights = np.array([[w_a, w_b]])
    x, y, z = 0, 1, 2
    mixed = row(3, weights, (x, y), x) + row(3, weights, (y, x), y)
    third = row(3, weights, (z, y), x) + row(3, weights, (z, x), y)
    np.testing.assert_allclose(w_b * mixed + (w_a - w_b) * third, 0, atol=1e-12)


@settings(max_examples=50)
@given(symbols=st.integers(min_value=2, max_value=5), share=shares, seed=seeds)
def test_no_drawn_readout_of_one_head_is_right_on_every_pair(symbols, share, seed):
    own, other = sorted([share, 1 - share])  # the slot whose position is read less fails
    generator = np.random.default_rng(seed)
    G = generator.normal(size=(symbols, symbols)) + 3 * np.eye(symbols)
    c = generator.normal(size=symbols)
    scores = {(p, q): other * G[:, p] + own * G[:, q] + c for p, q in np.ndindex(symbols, symbols)}
    assert not all(np.argmax(score) == q for (_p, q), score in scores.items())


def test_the_rows_of_the_programme_are_differences_of_scores():
    generator = np.random.default_rng(0)
    symbols, heads = 3, np.array([[0.6, 0.3], [0.2, 0.7]])
    G, c = generator.normal(size=(2, symbols, symbols)), generator.normal(size=symbols)
    unknowns = np.concatenate([G.ravel(), c])
    expected = []
    for p, q in permutations(range(symbols), 2):
        score = sum(w[0] * G[h][:, p] + w[1] * G[h][:, q] for h, w in enumerate(heads)) + c
        expected += [score[q] - score[s] for s in range(symbols) if s != q]
    rows = _differences(symbols, heads, permutations(range(symbols), 2))
    np.testing.assert_allclose(rows @ unknowns, expected)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="symbols: expected an integer of at least 2, got 1"):
        one_head_margin(1, 0.5, 0.5)
    with pytest.raises(ValueError, match="heads: expected the weights of at least one head"):
        linear_readout_margin(3, [])
    with pytest.raises(ValueError, match=r"heads\[1\]: expected two weights \(w_a, w_b\)"):
        linear_readout_margin(3, [(0.5, 0.5), (1.0,)])
    with pytest.raises(ValueError, match=r"w_b: expected a number >= 0, got -0.1"):
        one_head_margin(3, 0.5, -0.1)
    with pytest.raises(ValueError, match=r"w_a \+ w_b: expected a number <= 1"):
        one_head_margin(3, 0.7, 0.7)
    with pytest.raises(ValueError, match="pairs: expected at least one pair, got none"):
        one_head_margin(3, 0.5, 0.5, pairs=[])
    with pytest.raises(ValueError, match=r"pairs: expected two symbols in \[0, 3\), got \(1, 3\)"):
        one_head_margin(3, 0.5, 0.5, pairs=[(0, 1), (1, 3)])
    with pytest.raises(TypeError, match=r"w_b: expected a number, got None"):
        one_head_margin(3, 0.5, None)
    with pytest.raises(ValueError, match="shares: expected a number >= 0 and <= 1, got 1.5"):
        margin_by_share(3, [0.5, 1.5])


def test_a_solver_that_fails_is_not_taken_for_an_answer(monkeypatch):
    class Failed:
        success, message = False, "time limit"

    monkeypatch.setattr(
        "bottomup.analysis.linear_readout.linprog", lambda *arguments, **options: Failed()
    )
    with pytest.raises(RuntimeError, match="linprog: expected an optimum, got: time limit"):
        one_head_margin(3, 0.5, 0.5)
