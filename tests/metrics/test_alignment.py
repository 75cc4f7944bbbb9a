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


def test_links_from_weights_refuses_nan():
    with pytest.raises(ValueError, match="negative one or NaN"):
        links_from_weights(torch.tensor([[0.5, float("nan")]]))


def test_error_rate_by_hand():
    # |A| = 3: one sure link, one that is only possible, one wrong. 1 - (1 + 2) / (3 + 2).
    links = {(0, 0), (2, 1), (3, 3)}
    assert alignment_error_rate([links], [SURE], [POSSIBLE]) == pytest.approx(2 / 5)


def test_error_rate_counts_over_all_sentences_together():
    # 1 - (1 + 1 + 0 + 1) / (1 + 1 + 3 + 0), not the mean 1/3 of the sentences' 0 and 2/3.
    links = [{(0, 0)}, {(0, 1), (1, 1), (2, 2)}]
    sure = [{(0, 0)}, set()]
    possible = [{(0, 0)}, {(0, 1)}]
    assert alignment_error_rate(links, sure, possible) == pytest.approx(2 / 5)


@pytest.mark.parametrize(
    "links, sure, possible, error, message",
    [
        ([SURE], [POSSIBLE], [SURE], ValueError, r"sure\[0\].* got \(2, 1\).* swapped"),
        ([set()], [set()], [POSSIBLE], ValueError, "0 / 0"),
        ([SURE], [SURE, SURE], [SURE], ValueError, "same number of sentences.* got 1, 2, 1"),
        (SURE, [SURE], [SURE], ValueError, "links, sure, possible: expected the same number"),
        ([7], [SURE], [SURE], TypeError, r"links\[0\]: expected a set of pairs .* got 7"),
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
