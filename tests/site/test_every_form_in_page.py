"""Every known form of every known mistake of chapter 02, checked in its page by the real worker."""

import pytest
from playwright.sync_api import Page

from bottomup.exercises import Exercise
from tests.site.test_answer_here import CHAPTER, EXERCISES, SET, block, made

__all__ = ["made"]  # a fixture

# Check an answer, and wait for the report: its verdict and the mistake that it names.
CHECKED = """block => new Promise(done => {
  const report = block.querySelector("[data-exercise-report]");
  report.removeAttribute("data-verdict");
  new MutationObserver((_, watching) => {
    if (!report.dataset.verdict) return;
    watching.disconnect();
    done([report.dataset.verdict, report.dataset.misconception ?? null]);
  }).observe(report, { attributes: true });
  block.querySelector("[data-exercise-check]").click();
})"""


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.slug)
@pytest.mark.usefixtures("made")
def test_the_page_says_of_every_form_what_the_notebook_says(
    page: Page, site: str, exercise: Exercise
):
    known = {exercise.source: ["passed", None]}
    for mistake in exercise.mistakes:
        known |= {form.source: ["named", mistake.slug] for form in mistake.forms}
    page.goto(f"{site}/{CHAPTER}.html")
    here = block(page, exercise.slug)
    here.get_by_role("button", name="Answer here").click()
    said = {}
    for text in known:
        here.locator("[data-exercise-input]").evaluate(SET, text)
        said[text] = here.evaluate(CHECKED)
    assert said == known
