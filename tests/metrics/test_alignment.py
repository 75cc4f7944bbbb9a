from typing import NamedTuple

import pytest
import torch

from bottomup.metrics import (
    alignment_error_rate,
    link_accuracy,
    links_from_weights,
    split_gold,
)

SURE = {(0, 0), (1, 2)}
POSSIBLE = SURE | {(2, 1), (3, 1)}


class Link(NamedTuple):
    target: int
    source: int
    sure: bool


def test_split_gold_keeps_sure_links_among_the_possible_ones():
    links = [Link(0, 3, True), Link(1, 2, False), Link(1, 0, True)]
    assert split_gold(links) == ({(0, 3), (1, 0)}, {(0, 3), (1, 2), (1, 0)})
    assert split_gold([]) == (set(), set())


def test_links_from_weights_takes_the_largest_of_each_row():
    weights = torch.tensor([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3]])
    assert links_from_weights(weights) == {(0, 1), (1, 0)}


def test_links_from_weights_takes_the_first_of_equal_weights():
    assert links_from_weights(torch.full((2, 3), 1 / 3)) == {(0, 0), (1, 0)}


def test_links_from_weights_gives_no_link_for_a_row_of_zeros():
    assert links_from_weights(torch.tensor([[0.0, 0.0], [0.0, 1.0]])) == {(1, 1)}


def test_links_from_weights_of_no_target_is_empty():
    assert links_from_weights(torch.zeros(0, 3)) == set()


def test_links_from_weights_works_on_weights_that_need_gradients():
    assert links_from_weights(torch.eye(2, requires_grad=True)) == {(0, 0), (1, 1)}


@pytest.mark.parametrize(
    "weights, error, message",
    [
        (torch.zeros(2, 3, 4), ValueError, "weights: expected axes"),
        (torch.zeros(2, 0), ValueError, "axis source must not be empty"),
        (torch.tensor([[0.5, -0.1]]), ValueError, "at least 0, got a negative one or NaN"),
        (torch.tensor([[0.5, float("nan")]]), ValueError, "negative one or NaN"),
        (torch.ones(2, 2, dtype=torch.int64), TypeError, "floating-point"),
        ([[1.0]], TypeError, "torch.Tensor"),
    ],
)
def test_links_from_weights_refuses_bad_weights(weights, error, message):
    with pytest.raises(error, match=message):
        links_from_weights(weights)


def test_error_rate_by_hand():
    # |A| = 3: one sure link, one that is only possible, one wrong. 1 - (1 + 2) / (3 + 2).
    links = {(0, 0), (2, 1), (3, 3)}
    assert alignment_error_rate([links], [SURE], [POSSIBLE]) == pytest.approx(2 / 5)


def test_error_rate_is_0_for_all_sure_and_any_possible_links():
    for links in (SURE, SURE | {(2, 1)}, POSSIBLE):
        assert alignment_error_rate([links], [SURE], [POSSIBLE]) == 0.0


def test_error_rate_is_1_without_a_right_link():
    assert alignment_error_rate([{(0, 9)}], [SURE], [POSSIBLE]) == 1.0
    assert alignment_error_rate([set()], [SURE], [POSSIBLE]) == 1.0


def test_error_rate_counts_over_all_sentences_together():
    # 1 - (1 + 1 + 0 + 1) / (1 + 1 + 3 + 0), not the mean 1/3 of the sentences' 0 and 2/3.
    links = [{(0, 0)}, {(0, 1), (1, 1), (2, 2)}]
    sure = [{(0, 0)}, set()]
    possible = [{(0, 0)}, {(0, 1)}]
    assert alignment_error_rate(links, sure, possible) == pytest.approx(2 / 5)


def test_error_rate_without_sure_links_is_one_minus_precision():
    links = [{(0, 1), (1, 1), (2, 2)}]
    assert alignment_error_rate(links, [set()], [{(0, 1)}]) == pytest.approx(2 / 3)


def test_error_rate_counts_a_link_given_twice_once():
    assert alignment_error_rate([[(0, 0), (0, 0)]], [[(0, 0)]], [[(0, 0)]]) == 0.0


@pytest.mark.parametrize(
    "links, sure, possible, error, message",
    [
        ([SURE], [POSSIBLE], [SURE], ValueError, r"sure\[0\].* got \(2, 1\).* swapped"),
        ([set()], [set()], [POSSIBLE], ValueError, "0 / 0"),
        ([], [], [], ValueError, "at least one, got 0, 0, 0"),
        ([SURE], [SURE, SURE], [SURE], ValueError, "same number of sentences.* got 1, 2, 1"),
        (SURE, [SURE], [SURE], ValueError, "links, sure, possible: expected the same number"),
        ([[(0, 0, True)]], [SURE], [SURE], TypeError, r"links\[0\]: expected pairs"),
        ([[(0, -1)]], [SURE], [SURE], ValueError, r"links\[0\]: expected an integer of at least 0"),
        ([7], [SURE], [SURE], TypeError, r"links\[0\]: expected a set of pairs .* got 7"),
        ([[(0.5, 1)]], [SURE], [SURE], TypeError, r"links\[0\]: expected an integer, got 0.5"),
    ],
)
def test_error_rate_refuses_bad_links(links, sure, possible, error, message):
    with pytest.raises(error, match=message):
        alignment_error_rate(links, sure, possible)


def test_link_accuracy_by_hand():
    # Targets with gold: 0, 1, 2, 3. Right: 0 and 2. Target 1 is wrong, target 3 has no link, and
    # target 4 has no gold link, so that it does not count.
    links = {(0, 0), (1, 1), (2, 1), (4, 0)}
    assert link_accuracy([links], [POSSIBLE]) == pytest.approx(2 / 4)


def test_link_accuracy_needs_one_of_several_gold_links():
    gold = {(0, 1), (0, 2), (1, 0)}
    assert link_accuracy([{(0, 2), (1, 0)}], [gold]) == 1.0


def test_link_accuracy_counts_over_all_sentences_together():
    links = [{(0, 0)}, {(0, 1), (1, 1), (2, 2)}]
    gold = [{(0, 0)}, {(0, 0), (1, 1), (2, 0)}]
    assert link_accuracy(links, gold) == pytest.approx(2 / 4)


@pytest.mark.parametrize(
    "links, gold, message",
    [
        ([{(0, 0), (0, 1)}], [POSSIBLE], r"links\[0\]: expected at most one link a target"),
        ([SURE], [set()], "gold: expected at least one gold link"),
        ([SURE], [], "links, gold: expected the same number of sentences"),
    ],
)
def test_link_accuracy_refuses_bad_links(links, gold, message):
    with pytest.raises(ValueError, match=message):
        link_accuracy(links, gold)
