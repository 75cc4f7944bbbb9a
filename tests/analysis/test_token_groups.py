import re

import pytest
import torch

from bottomup.analysis.canonical_correlation import FewSamplesWarning
from bottomup.analysis.pwcca import pwcca_distance
from bottomup.analysis.token_groups import change_by_group, frequency_groups
from tests.analysis.representations import E1, E2, E3, columns, draw, related
from tests.drawn import seeded

TOKENS = torch.tensor([3, 5, 3, 0, 5, 3, 1])  # 3 thrice, 5 twice, 0 and 1 once


# groups by frequency


@pytest.mark.parametrize(
    ("bounds", "wanted"),
    [
        ((1, 2, 3), [0, 1, 0, 2, 1, 0, 3]),  # 0 stands before 1, which is as frequent
        ((2,), [0, 0, 0, 1, 0, 0, 1]),
        ((3, 7), [0, 0, 0, 0, 0, 0, 1]),
        ((), [0] * 7),
    ],
)
def test_groups_by_hand(bounds, wanted):
    assert frequency_groups(TOKENS, bounds).tolist() == wanted


def test_counts_of_another_text_decide():
    counts = torch.tensor([2, 0, 13, 1, 0, 7])  # ranks 2, 4, 0, 3, 5, 1
    assert frequency_groups(TOKENS, (1, 3), counts).tolist() == [2, 1, 2, 1, 1, 2, 2]
    assert frequency_groups(TOKENS, (4, 5), counts).tolist() == [0, 0, 0, 0, 0, 0, 1]


def test_groups_count_ranks_as_a_sorted_list_does(generator):
    counts = torch.randint(0, 29, (211,), generator=generator)
    order = sorted(range(211), key=lambda number: (-counts[number].item(), number))
    wanted = torch.empty(211, dtype=torch.int64)
    for rank, number in enumerate(order):
        wanted[number] = (rank >= 10) + (rank >= 40) + (rank >= 150)
    found = frequency_groups(torch.arange(211), (10, 40, 150), counts)
    assert torch.equal(found, wanted)
    assert found.bincount().tolist() == [10, 30, 110, 61]


# how much a layer changes the tokens of a group


def test_change_by_hand():
    # .24 one way and .2 the other, as in the tests of pwcca; group 1 turns by nothing
    before = torch.cat([columns(2 * E1, 3 * E2), columns(E1, E3)])
    after = torch.cat([columns(E1, 0.6 * E2 + 0.8 * E3), columns(5 * E1, -E3)])
    groups = torch.tensor([0] * 8 + [1] * 8)
    found = change_by_group(
        before, after, groups, rows=8, generator=seeded(11), few_samples="allow"
    )
    assert list(found) == [0, 1]
    assert found[0] == pytest.approx(0.22)
    assert found[1] == pytest.approx(0, abs=1e-9)


def test_tokens_without_a_group_do_not_count():
    before = torch.cat([columns(2 * E1, 3 * E2), 100 * columns(E1, E3)])
    after = torch.cat([columns(E1, 0.6 * E2 + 0.8 * E3), columns(E3, 7 * E2)])
    groups = torch.tensor([0] * 8 + [-1] * 8)
    order = torch.randperm(16, generator=seeded(3))  # the groups need not stand together
    found = change_by_group(
        before[order], after[order], groups[order], rows=17, generator=seeded(11),
        few_samples="allow",
    )  # fmt: skip
    assert found == {0: pytest.approx(0.22)}


@pytest.mark.parametrize(("rows", "taken"), [(331, 331), (5000, 401)])
def test_every_group_is_measured_on_as_many_tokens(generator, rows, taken):
    before, after = related(generator, 1101, 3, 3)
    groups = torch.tensor([1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 1]).repeat(101)[:1101]
    groups[groups.nonzero().flatten()[401:]] = 2
    sizes = groups.bincount().tolist()
    assert min(sizes) > 200
    rows, taken = min(rows, 5000), min(taken, min(sizes))
    found = change_by_group(before, after, groups, rows=rows, generator=seeded(11))
    copy = seeded(11)
    for number, size in enumerate(sizes):
        picked = (groups == number).nonzero().flatten()
        picked = picked[torch.randperm(size, generator=copy)[:taken]]
        wanted = pwcca_distance(before[picked], after[picked], symmetric=True)
        assert found[number] == pytest.approx(wanted)
    assert len({round(value, 6) for value in found.values()}) == 3


@pytest.mark.parametrize(
    ("rows", "text"),
    [(311, "300 in all, got 100; group 1 has 100"), (50, "in all, got 50; group 1 has 100")],
)
def test_few_tokens_warn_and_name_the_smallest_group(generator, rows, text):
    before, after = related(generator, 500, 3, 3)
    groups = torch.tensor([0, 1, 0, 0, 0]).repeat(100)
    with pytest.warns(FewSamplesWarning, match=text) as seen:
        change_by_group(before, after, groups, rows=rows, generator=seeded(11))
    assert [warning.filename for warning in seen] == [__file__]


# refusals


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((TOKENS - 1, (2,)), ValueError, "tokens: expected numbers of at least 0, got -1"),
        ((TOKENS, (0, 2)), ValueError, "bounds: expected an integer of at least 1, got 0"),
        ((TOKENS, (5, 3)), ValueError, "bounds: expected rising numbers, got (5, 3)"),
        ((TOKENS, (2,), torch.ones(5).long()), ValueError, "tokens: expected numbers below 5, go"),
        ((TOKENS, (2,), -torch.ones(7).long()), ValueError, "counts: expected numbers of at least"),
    ],
)
def test_bad_groupings_are_refused(arguments, error, text):
    with pytest.raises(error, match=re.escape(text)):
        frequency_groups(*arguments)


STATES = draw(seeded(11), 90, 3)
HALVES = torch.tensor([0] * 41 + [1] * 49)


@pytest.mark.parametrize(
    ("wrong", "error", "text"),
    [
        ({"groups": 2 * HALVES}, ValueError, "groups: expected states to compare for group 1,"),
        ({"groups": HALVES - 2}, ValueError, "groups: expected numbers of at least -1, got -2"),
        ({"groups": 0 * HALVES - 1}, ValueError, "groups: expected a token with a group from 0"),
        ({"groups": (HALVES.cumsum(0) > 29).long()}, ValueError, "30 in all, got 20; group 1 has"),
        ({"rows": 29}, ValueError, "rows: expected an integer of at least 30, got 29"),
    ],
)
def test_bad_states_and_groups_are_refused(wrong, error, text):
    options = {"before": STATES, "after": STATES, "groups": HALVES, "rows": 90}
    options |= {"generator": seeded(11)} | wrong
    with pytest.raises(error, match=re.escape(text)):
        change_by_group(**options)
