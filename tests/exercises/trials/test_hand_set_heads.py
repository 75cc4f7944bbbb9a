"""An exercise of chapter 03: two heads set by hand."""

import pytest
import torch

from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.multi_head_attention.two_heads_by_hand import cases as network
from tests.attention.heads import multi_head_attention
from tests.drawn import seeded

TWO_HEADS_BY_HAND = catalog()["two-heads-by-hand"]
two_heads = TWO_HEADS_BY_HAND.solution


def test_what_two_hand_set_heads_answer_and_read():
    found = network.behaviour(two_heads(3, 2), 2, ["011"])
    rows = [list(row) for row in ("0101", "0102", "1010", "1112", "1020", "1121")]
    assert found.tolist() == [rows]
    assert network.right_answers(["011"]).tolist() == [[row[:2] for row in rows]]


def test_all_questions_and_all_sequences_are_asked():
    assert len(network.questions(5)) == 5 * 4
    sequences = network.every_sequence(3, 2)
    assert sequences == ("000", "001", "010", "011", "100", "101", "110", "111")


def test_level_scores_are_all_named():
    W_Q, W_K, W_V, _W_O = two_heads(2, 3)
    found = network.behaviour((W_Q, W_K, W_V, torch.zeros(6, 6)), 3, ["02"])
    assert found.tolist() == [[["all", "all", "0", "1"], ["all", "all", "1", "0"]]]
    flat = network.behaviour((0 * W_Q, W_K, W_V, torch.eye(6)), 3, ["02"])
    assert flat.tolist() == [[["0/2", "0/2", "all", "all"]] * 2]


def test_a_score_that_is_no_number_leads_nowhere():
    W_Q, W_K, W_V, W_O = two_heads(2, 3)
    found = network.behaviour((W_Q * torch.nan, W_K, W_V, W_O), 3, ["02"])
    assert found.tolist() == [[["none"] * 4] * 2]


@pytest.mark.parametrize("sharpness", [1.0, 30.0, 1000.0])
def test_a_wrong_network_is_described_as_if_its_heads_were_sharp(sharpness: float):
    _W_Q, W_K, W_V, W_O = two_heads(3, 3)
    both = sharpness * torch.eye(3).repeat(2, 2)
    found = network.behaviour((both, W_K, W_V, W_O), 3, ["012"])
    assert found[0, 0].tolist() == ["0/1"] * 4


def test_heads_that_are_only_too_flat_are_described_as_they_are():
    W_Q, W_K, W_V, W_O = two_heads(4, 3)
    found = network.behaviour((W_Q / 30, W_K, W_V, W_O), 3, ["0222"])
    assert found[0, 0].tolist() == ["2", "2", "0", "1"]


def test_the_network_is_the_library_s_attention_where_the_widths_agree():
    generator = seeded(3)

    def randn(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    positions, symbols, d_head, d_value = 2, 4, 3, 5
    # the queries are 4 wide; keys are padded with zeros, and so are the columns of W_K
    query, key, value = randn(7, 2, 4), randn(7, 2, positions), randn(7, 2, symbols)
    W_Q, W_K = randn(2 * d_head, 4), randn(2 * d_head, positions)
    W_V, W_O = randn(2 * d_value, symbols), randn(2 * symbols, 2 * d_value)
    output, read = network.two_heads_read(query, key, value, (W_Q, W_K, W_V, W_O))
    padded_key = torch.cat([key, torch.zeros_like(key)], dim=-1)
    padded_W_K = torch.cat([W_K, torch.zeros_like(W_K)], dim=-1)
    for half in (slice(None, symbols), slice(symbols, None)):
        expected, weights = multi_head_attention(
            query, padded_key, value, num_heads=2, W_Q=W_Q, W_K=padded_W_K, W_V=W_V, W_O=W_O[half]
        )
        torch.testing.assert_close(output[..., half], expected)
        torch.testing.assert_close(read, weights)


def test_one_head_that_does_both_is_told_an_example():
    def answer(positions, symbols):
        W_Q, W_K, W_V, W_O = two_heads(positions, symbols)
        W_Q[positions:] = 0
        W_Q[:positions, positions:] = 30 * torch.eye(positions)
        return W_Q, W_K, W_V, W_O

    report = examine(TWO_HEADS_BY_HAND, answer)
    assert not report.passed
    assert "Asked for positions 0 1 of 3 0 2, it answers 0/3 0/2/3, expected 3 0" in report.message
    assert (
        "Head 1 reads positions 0 and 1 alike, head 2 reads all positions alike." in report.message
    )


def test_what_two_heads_that_read_both_positions_answer_is_described():
    mistakes = {mistake.slug: mistake for mistake in TWO_HEADS_BY_HAND.mistakes}
    evidence = examine(TWO_HEADS_BY_HAND, mistakes["each-head-reads-both"].answers[0]).evidence
    assert evidence is not None
    assert "it answers 0/3 0/3, expected 3 0." in evidence.difference
    assert evidence.got is not None and "-1" not in evidence.got


@pytest.mark.parametrize(
    "spoil, sentence",
    [
        (lambda W: W[:3], "It returned a value of type tuple, expected four tensors"),
        (lambda W: W[0], "It returned a tensor, expected four tensors"),
        (lambda W: None, "It returned None. Is a `return` missing?"),
        (
            lambda W: (W[0][:, :-1], *W[1:]),
            "The weights do not fit: W_Q: expected axes [2d_head, 2positions=6], got shape (6, 5)",
        ),
        (
            lambda W: (W[0][:-1], W[1][:-1], *W[2:]),
            "The weights do not fit: num_heads: expected a divisor of width=5, got 2",
        ),
        (
            lambda W: (*W[:3], W[3][:4]),
            "The weights do not fit: W_O: expected axes [2symbols=8, 2d_value=8], got shape (4, 8)",
        ),
    ],
)
def test_weights_that_do_not_fit_are_described(spoil, sentence: str):
    report = examine(TWO_HEADS_BY_HAND, lambda *sizes: spoil(two_heads(*sizes)))
    assert report.mistake is None
    assert sentence in report.message
