"""The pattern painter: what is shown first, and the table for viewers that run no script."""

import json
import re

from bottomup.explorables import pattern_painter

PATTERNS = ["dense", "window", "strided", "fixed"]


def test_payload_holds_what_is_shown_first_and_nothing_that_can_be_counted():
    made = json.loads(pattern_painter().data)
    assert made["start"] == {
        "n": 16, "stride": 4, "summary": 1, "pattern": "strided", "query": 13,
    }  # fmt: skip
    assert made["sizes"] == [16, 24, 36, 64]
    assert made["patterns"] == list(made["labels"]["patterns"]) == PATTERNS
    assert sorted(made) == ["labels", "patterns", "sizes", "start"]


def test_each_pattern_has_a_name_sets_and_a_word_on_how_it_is_printed():
    labels = pattern_painter().payload["labels"]
    assert [len(labels["sets"][pattern]) for pattern in PATTERNS] == [1, 1, 2, 2]
    assert list(labels["as_printed"]) == PATTERNS


def test_table_holds_the_counts_worked_out_by_hand():
    """n = 16, l = 4: window 10 + 12 · 4, column 16 + 12 + 8 + 4, of which 16 are in both.

    Fixed: four blocks of 10 and 4 · (1 + 2 + 3) earlier summaries. Its own blocks are missed
    without residual connections, but for the rows that end one.
    """
    found = re.findall(r'<th scope="row"[^>]*>(\w+)</th>(.*?)</tr>', pattern_painter().fallback)
    assert {name: re.findall(r">([^<]*)</td>", cells) for name, cells in found} == {
        "dense": ["136", "100 %", "–", "100 %", "100 %", "100 %", "100 %"],
        "window": ["58", "43 %", "–", "66 %", "66 %", "66 %", "66 %"],
        "strided": ["82", "60 %", "3", "100 %", "100 %", "100 %", "100 %"],
        "fixed": ["64", "47 %", "4", "82 %", "20 %", "100 %", "47 %"],
    }
