"""The pattern painter: what is shown first, and the table for viewers that run no script."""

import json
import re

import pytest

from bottomup.analysis import reached, reached_share
from bottomup.attention import fixed_masks, strided_masks
from bottomup.explorables import pattern_painter

PATTERNS = ["dense", "window", "strided", "fixed"]


def payload(*arguments, **options) -> dict:
    return json.loads(pattern_painter(*arguments, **options).data)


def rows(n: int, stride: int, summary: int) -> dict[str, list[str]]:
    """The cells of each pattern's row."""
    html = pattern_painter(n, stride=stride, summary=summary).fallback
    found = re.findall(r'<th scope="row"[^>]*>(\w+)</th>(.*?)</tr>', html)
    return {name: re.findall(r">([^<]*)</td>", cells) for name, cells in found}


def test_payload_holds_what_is_shown_first_and_nothing_that_can_be_counted():
    made = payload(36, stride=7, summary=3, pattern="fixed")
    assert made["start"] == {"n": 36, "stride": 7, "summary": 3, "pattern": "fixed", "query": 33}
    assert made["sizes"] == [16, 24, 36, 64]
    assert made["patterns"] == list(made["labels"]["patterns"]) == PATTERNS
    assert sorted(made) == ["labels", "patterns", "sizes", "start"]
    assert payload()["start"] == {
        "n": 16, "stride": 4, "summary": 1, "pattern": "strided", "query": 13,
    }  # fmt: skip


def test_each_pattern_has_a_name_sets_and_a_word_on_how_it_is_printed():
    labels = payload()["labels"]
    assert [len(labels["sets"][pattern]) for pattern in PATTERNS] == [1, 1, 2, 2]
    assert list(labels["as_printed"]) == PATTERNS


def test_table_holds_the_counts_worked_out_by_hand():
    """n = 16, l = 4: window 10 + 12 · 4, column 16 + 12 + 8 + 4, of which 16 are in both.

    Fixed: four blocks of 10 and 4 · (1 + 2 + 3) earlier summaries. Its own blocks are missed
    without residual connections, but for the rows that end one.
    """
    assert rows(16, 4, 1) == {
        "dense": ["136", "100 %", "–", "100 %", "100 %", "100 %", "100 %"],
        "window": ["58", "43 %", "–", "66 %", "66 %", "66 %", "66 %"],
        "strided": ["82", "60 %", "3", "100 %", "100 %", "100 %", "100 %"],
        "fixed": ["64", "47 %", "4", "82 %", "20 %", "100 %", "47 %"],
    }


@pytest.mark.parametrize("n, stride, summary", [(24, 7, 3), (36, 5, 5), (16, 16, 2), (64, 8, 1)])
def test_table_counts_what_the_masks_hold(n, stride, summary):
    made = rows(n, stride, summary)
    for pattern, (first, second) in {
        "strided": strided_masks(n, stride),
        "fixed": fixed_masks(n, stride, summary),
    }.items():
        assert made[pattern][0] == str(int((first | second).sum()))
        shares = [
            reached_share(reached(*order, residual=residual))
            for residual in (False, True)
            for order in ((first, second), (second, first))
        ]
        assert made[pattern][3:] == [f"{int(100 * share)} %" for share in shares]


@pytest.mark.parametrize("n, summary", [(24, 1), (36, 4)])
def test_fewest_is_that_of_the_masks_and_no_block_is_shorter_than_its_summaries(n, summary):
    made = rows(n, 9, summary)

    def needed(pattern: str, stride: int) -> int:
        sets = strided_masks(n, stride) if pattern == "strided" else fixed_masks(n, stride, summary)
        return int((sets[0] | sets[1]).sum())

    for pattern, least in (("strided", 1), ("fixed", summary)):
        counts = {stride: needed(pattern, stride) for stride in range(least, n + 1)}
        assert int(made[pattern][2]) == min(counts, key=lambda stride: (counts[stride], stride))


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        ({"n": 20}, ValueError, "n: expected one of 16, 24, 36, 64, got 20"),
        ({"n": 16.0}, TypeError, "n: expected an integer, got 16.0"),
        ({"stride": 0}, ValueError, "stride: expected an integer of at least 1, got 0"),
        ({"stride": 17}, ValueError, "stride: expected an integer below 17, got 17"),
        ({"summary": 5}, ValueError, "summary: expected an integer below 5, got 5"),
        ({"summary": True}, TypeError, "summary: expected an integer, got True"),
        ({"pattern": "block"}, ValueError, "pattern: expected one of 'dense', .* got 'block'"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments, error, message):
    with pytest.raises(error, match=message):
        payload(**arguments)
