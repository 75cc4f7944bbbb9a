"""Drawings of chapter 07: their words and counts are what the package computes."""

import re

import torch

from bottomup.analysis import reached
from bottomup.attention import fixed_masks, strided_masks, strided_scores
from bottomup.drawings import Drawing, sparse_transformers
from bottomup.masks import window_mask
from tests.drawings.words import written

WORDS, HUNGRY, WAS = sparse_transformers.WORDS, 8, 7


def numbers(drawing: Drawing, after: str) -> list[int]:
    """Return the numbers that stand before a word in the panels."""
    found = (re.search(rf"(\d+) {after}", word) for word in written(drawing))
    return [int(each[1]) for each in found if each]


def boxes(drawing: Drawing, panel: int, look: str) -> int:
    return drawing.panels[panel].svg.count(f'class="box {look}"')


def test_two_windows_reach_what_the_masks_reach():
    window, _column = strided_masks(9, 3)
    one, two = window[HUNGRY], reached(window, window)[HUNGRY]
    drawn = sparse_transformers.two_windows()
    assert boxes(drawn, 0, "second") == boxes(drawn, 1, "second") == one.sum()
    assert boxes(drawn, 1, "lit") == (two & ~one).sum()
    names = ", ".join(word for word, there in zip(WORDS, two.tolist(), strict=True) if there)
    assert names in drawn.says and "cat" not in names


def test_window_and_column_reach_all_nine_words():
    window, column = strided_masks(9, 3)
    assert reached(window, column)[HUNGRY].all()
    steps = [sparse_transformers._column_of_hungry(step).svg for step in range(3)]
    assert [svg.count("<polygon") for svg in steps] == [2, 8, 2]  # arrows


def test_fixed_attention_loses_what_the_masks_lose():
    own, summaries = fixed_masks(9, 3, 1)
    lost = ~reached(own, summaries)[WAS]
    drawn = sparse_transformers.fixed_hops()
    for word, gone in zip(WORDS[: WAS + 1], lost.tolist(), strict=False):
        assert gone == (word in ("it", "was"))
    assert boxes(drawn, 1, "lit") + boxes(drawn, 1, "second") == (~lost[: WAS + 1]).sum()
    assert "it and was it keeps by the stream" in drawn.says


def test_the_scores_that_are_drawn_are_those_that_are_counted():
    triangle = [n * (n + 1) // 2 for n in (9, 18, 36)]
    assert numbers(sparse_transformers.bill(), "scores") == triangle
    window, column = strided_masks(16, 4)
    strided = [int(mask.sum()) for mask in (window, column, window | column)]
    assert numbers(sparse_transformers.strided_sets(), "scores") == strided
    assert strided[-1] == strided_scores(16, 4).needed
    own, summaries = fixed_masks(16, 4, 1)
    fixed = [int(mask.sum()) for mask in (own, summaries, own | summaries)]
    assert numbers(sparse_transformers.fixed_sets(), "scores") == fixed
    assert numbers(sparse_transformers.a_mask_saves_nothing(), "computed") == [256, 112]


def test_the_wide_window_has_at_least_the_scores_of_strided_attention():
    window, wide, block = numbers(sparse_transformers.controls(), "scores")
    assert window == window_mask(16, 3).tril().sum() and block == fixed_masks(16, 4, 1)[0].sum()
    narrower = window_mask(16, 5).tril().sum()
    assert narrower < strided_scores(16, 4).needed <= wide == window_mask(16, 6).tril().sum()


def test_the_factors_multiply_to_the_triangle():
    window, column = strided_masks(9, 3)
    ones = [int(table.sum()) for table in (column, window)]
    assert numbers(sparse_transformers.factors(), "ones") == [*ones, 45]
    assert torch.equal(column.int() @ window.int(), torch.ones(9, 9, dtype=torch.int).tril())


def test_the_last_two_patterns_follow_what_is_drawn():
    drawn = sparse_transformers.four_patterns()
    cells = [panel.svg.count("M") for panel in drawn.panels]
    assert len(set(cells)) == 1  # each pixel once
    lit = [re.search(r'class="cell lit" d="([^"]+)" style="--part:1"', panel.svg)
           for panel in drawn.panels]  # fmt: skip
    assert [each[1].count("M") for each in lit if each][-1] == 3


def test_what_is_printed_too_much_is_what_the_masks_lack():
    window, column = strided_masks(9, 3)
    own, summaries = fixed_masks(9, 3, 1)
    printed, _ = strided_masks(9, 3, paper_window=True)
    i, j = torch.arange(9)[:, None], torch.arange(9)
    literal = [printed, (i - j) % 3 == 0, i // 3 == j // 3, (j % 3 == 2).expand(9, 9)]
    right = (window, column, own, summaries)
    extra = [int((a & ~b).sum()) for a, b in zip(literal, right, strict=True)]
    assert numbers(sparse_transformers.as_printed(), "too many") == extra


def test_a_tile_holds_the_band_of_its_window():
    band = strided_masks(16, 8)[0][8:]
    drawn = sparse_transformers.tile_of_window()
    keys = int(band.any(dim=0).sum())
    assert f"{keys} keys needed, {int(band.sum())} scores of {band.numel()}" in written(drawn)


def test_the_pairs_in_both_sets_are_those_of_the_masks():
    pairs = [int((a & b).sum()) for a, b in (strided_masks(9, 3), fixed_masks(9, 3, 1))]
    assert numbers(sparse_transformers.in_both_sets(), "pairs twice") == pairs
