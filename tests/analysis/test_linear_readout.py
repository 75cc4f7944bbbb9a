"""What a linear readout can name: what the programme finds, and its rows."""

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
    with pytest.raises(ValueError, match="heads: expected the weights of at least one head"):
        linear_readout_margin(3, [])
    with pytest.raises(ValueError, match=r"heads\[1\]: expected two weights \(w_a, w_b\)"):
        linear_readout_margin(3, [(0.5, 0.5), (1.0,)])
    with pytest.raises(ValueError, match="pairs: expected at least one pair, got none"):
        one_head_margin(3, 0.5, 0.5, pairs=[])
    with pytest.raises(ValueError, match=r"pairs: expected two symbols in \[0, 3\), got \(1, 3\)"):
        one_head_margin(3, 0.5, 0.5, pairs=[(0, 1), (1, 3)])


def test_a_solver_that_fails_is_not_taken_for_an_answer(monkeypatch):
    class Failed:
        success, message = False, "time limit"

    monkeypatch.setattr("scipy.optimize.linprog", lambda *arguments, **options: Failed())
    with pytest.raises(RuntimeError, match="linprog: expected an optimum, got: time limit"):
        one_head_margin(3, 0.5, 0.5)
