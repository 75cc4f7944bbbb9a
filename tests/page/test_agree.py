"""The page's small torch and torch: the same is said of every answer that the course knows."""

import pytest

from bottomup.exercises import catalog
from tools.notebooks.paths import ROOT
from tools.page.agree import KINDS, catalogued, differing, known_differences


def test_the_page_on_the_small_torch_says_how_far_they_agree():
    page = (ROOT / "book" / "small_torch.md").read_text("utf-8")
    known = known_differences()
    counts = {kind: sum(map(len, known.get(kind, {}).values())) for kind in KINDS}
    answers = sum(1 for _job in catalogued())
    assert f"| answers that the course knows, right and wrong | {answers:,} |" in page
    other = counts["verdict"] + counts["mistake"]
    assert f"| a different verdict, or a different named mistake | {other} |" in page
    text = counts["text"] + counts["html"]
    assert f"| the same verdict and mistake, but a different text | {text} |" in page
    exercises = [each for each in catalog().values() if each.chapter == "02"]
    forms = sum(len(mistake.forms) for each in exercises for mistake in each.mistakes)
    assert f"all {len(exercises) + forms} known answers of chapter 02" in page


@pytest.mark.slow
def test_reports_differ_only_where_that_is_known():
    counts, found, told = differing()
    new = {
        (kind, slug, answer)
        for kind, exercises in found.items()
        for slug, names in exercises.items()
        for answer in names
        if answer not in known_differences().get(kind, {}).get(slug, [])
    }
    assert not new, "\n".join(told)
    assert counts["the same"] > 3000
