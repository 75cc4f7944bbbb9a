import pytest
import torch

from bottomup.attention import alibi_bias, alibi_slopes


def test_the_slopes_of_eight_heads_are_those_of_the_paper():
    assert alibi_slopes(8).tolist() == [2.0**-h for h in range(1, 9)]
    assert alibi_slopes(2).tolist() == [1 / 16, 1 / 256]


def test_between_powers_of_two_the_next_one_fills_in():
    assert alibi_slopes(1).tolist() == [1 / 256]
    assert alibi_slopes(3).tolist() == [1 / 16, 1 / 256, 1 / 4]
    assert alibi_slopes(6).tolist() == [2.0**-h for h in (2, 4, 6, 8, 1, 3)]
    expected = [2.0**-h for h in (1, 2, 3, 4, 5, 6, 7, 8, 0.5, 1.5, 2.5, 3.5)]
    torch.testing.assert_close(alibi_slopes(12), torch.tensor(expected, dtype=torch.float64))


def test_the_bias_by_hand():
    bias = alibi_bias(2, 3)
    expected = [[0, 1, 2], [-1, 0, 1], [-2, -1, 0]]
    assert (bias[0] * 16).tolist() == expected
    assert (bias[1] * 256).tolist() == expected


def test_the_last_queries_have_the_last_rows():
    assert torch.equal(alibi_bias(3, 7, first=5), alibi_bias(3, 7)[:, 5:])


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match="first: expected a position among 3 keys, got 3"):
        alibi_bias(2, 3, first=3)
