"""Exercises answered in their page: editor, buttons, report, and the progress it keeps.

What the page does is tested with a worker that reads a verdict off the text: it is quick, and needs
no files but the page's own. What the real one says is asked of it where its files were made.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from bottomup.exercises import catalog, progress
from tests.site.accessibility import findings_in_both_modes
from tests.site.visit import DESKTOP, FIND_OVERFLOW, PHONE, set_mode

CHAPTER = "chapters/02_self_attention"
FILES = "**/_static/answer_here/"
SIZES = {"first": 6_400_000, "chapter": {"self_attention": 60_000}}
EXERCISES = [exercise for exercise in catalog().values() if exercise.chapter == "02"]
TESTS = [exercise for exercise in EXERCISES if exercise.test_minutes]
MASK = catalog()["causal-mask"]
RIGHT = "def causal_mask(n):\n    i = torch.arange(n)\n    return i <= i[:, None]\n"
WRONG = RIGHT.replace("<=", "<")
ENDLESS = "def causal_mask(n):\n    while True:\n        pass\n"
SET = "(input, text) => input.setAnswer(text)"

# A worker that reads its verdict off the text.
WORKER = """
const verdict = text => text.includes("...") ? "stub" : text.includes("<=") ? "passed"
  : text.includes("<") ? "named" : "failed";
self.onmessage = ({ data: { id, ask, text } }) => {
  postMessage({ id, state: "loading", done: 5, of: 10 });
  postMessage({ id, state: "running" });
  if (text.includes("while True")) return;
  const found = verdict(text);
  const style = { passed: "passed", stub: "unsolved" }[found] ?? "failed";
  postMessage({ id, report: {
    verdict: found, mistake: found === "named" ? "own-place" : null, text: found, seconds: 0,
    html: `<div class="bottomup-report bottomup-${style}"><strong>It is ${found}</strong>`
      + `<img src="x" onerror="window.ran = true"><p onclick="window.ran = true">Why.</p></div>`,
    printed: text.includes("print") ? "seven\\n" : "", caught: ask === "catch" ? 3 : undefined,
  }});
};
"""


def with_worker(page: Page, *, worker: str = WORKER, editor: bool = False) -> None:
    """Have a page find these sizes and this worker; without an editor it keeps its text area."""
    page.route(f"{FILES}sizes.json", lambda route: route.fulfill(json=SIZES))
    page.route(
        f"{FILES}worker.js",
        lambda route: route.fulfill(body=worker, content_type="text/javascript"),
    )
    if not editor:
        page.route(f"{FILES}editor.js", lambda route: route.abort())


@pytest.fixture
def page(page: Page, site: str) -> Page:
    with_worker(page)
    page.goto(f"{site}/{CHAPTER}.html")
    return page


@pytest.fixture
def made(built: Path) -> None:
    """What the real worker and the real editor need; without it a test is skipped."""
    sizes = json.loads(built.joinpath("_static/answer_here/sizes.json").read_text("utf-8"))
    if "first" not in sizes:
        pytest.skip("the files of the worker were not made: no package registry answered")


@pytest.fixture
def real(window: Callable[..., Page], site: str, made: None) -> Page:
    page = window()
    page.goto(f"{site}/{CHAPTER}.html")
    return page


def block(page: Page, slug: str = "causal-mask") -> Locator:
    return page.locator(f'[data-exercise="{slug}"]')


def test_of(page: Page, slug: str) -> Locator:
    return page.locator(f'[data-exercise-test="{slug}"]')


test_of.__test__ = False  # type: ignore[attr-defined]  # not one of ours


def fill(exercise: Locator, text: str) -> None:
    exercise.locator("[data-exercise-input]").evaluate(SET, text)


def check(exercise: Locator, text: str) -> None:
    fill(exercise, text)
    exercise.locator("[data-exercise-check]").click()


def says(exercise: Locator, verdict: str, mistake: str | None = None) -> Locator:
    report = exercise.locator("[data-exercise-report]")
    expect(report).to_have_attribute("data-verdict", verdict)
    assert report.get_attribute("data-misconception") == mistake
    return report


def button(exercise: Locator, name: str) -> Locator:
    return exercise.get_by_role("button", name=name, exact=True)


def stored(page: Page, key: str) -> object:
    return page.evaluate("key => JSON.parse(localStorage.getItem(key))", key)


# ---- Before the first click


def test_every_exercise_and_every_test_can_be_answered(page: Page):
    expect(page.locator("[data-exercise] [data-exercise-open]")).to_have_count(len(EXERCISES))
    expect(page.locator("[data-exercise-test] [data-exercise-open]")).to_have_count(len(TESTS))
    for exercise in EXERCISES:
        expect(block(page, exercise.slug).locator("[data-exercise-report]")).to_have_count(1)


def test_before_the_first_click_nothing_is_loaded_and_its_size_is_said(page: Page):
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.reload()
    expect(block(page)).to_contain_text("The first check loads 6 MB")
    asked = [url for url in requests if "/answer_here/" in url]
    assert [url.rpartition("/")[2] for url in asked] == ["sizes.json"]
    button(block(page), "Answer here").click()
    expect(block(page).get_by_role("textbox")).to_be_focused()
    assert [url for url in requests if "worker" in url] == [] == page.workers


@pytest.mark.parametrize("sizes", [{}, None])
def test_where_nothing_was_made_the_page_stands_as_it_is(
    window: Callable[..., Page], site: str, sizes: object
):
    page = window()
    status = 200 if sizes == {} else 404
    page.route(f"{FILES}sizes.json", lambda route: route.fulfill(json=sizes, status=status))
    with page.expect_response(f"{FILES}sizes.json"):
        page.goto(f"{site}/{CHAPTER}.html")
    page.wait_for_load_state("networkidle")
    expect(page.locator(".answer-here button:visible", has_text="Answer here")).to_have_count(0)
    expect(block(page).get_by_text("def causal_mask(n):").first).to_be_visible()


def test_without_scripts_the_page_stands_as_it_is(window: Callable[..., Page], site: str):
    page = window(java_script_enabled=False)
    page.goto(f"{site}/{CHAPTER}.html")
    expect(block(page).locator("button:visible", has_text="Answer here")).to_have_count(0)
    expect(block(page).get_by_text("def causal_mask(n):").first).to_be_visible()


def test_from_a_disk_the_page_says_how_it_is_served(window: Callable[..., Page], built: Path):
    page = window()
    page.goto((built / f"{CHAPTER}.html").as_uri())
    line = block(page).locator(".answer-serve")
    expect(line).to_contain_text("python -m http.server")
    address = f"http://localhost:8000/{CHAPTER}.html"
    expect(line.get_by_role("link")).to_have_attribute("href", address)
    expect(block(page).get_by_role("button", name="Answer here")).to_have_count(0)


# ---- A check


def test_a_wrong_mask_is_named_and_a_mended_one_counts(page: Page, site: str):
    check(block(page), WRONG)
    report = says(block(page), "named", "own-place")
    expect(report.get_by_text("It is named")).to_be_visible()
    check(block(page), RIGHT)
    report = says(block(page), "passed")
    expect(report).to_contain_text("Checked by the page’s small torch.")
    expect(button(block(page), "Check")).to_be_visible()
    entry = {"checks": 2, "passed": True, "mistakes": {"own-place": 1}}
    assert stored(page, "bottomup.progress") == {"schema": 1, "exercises": {MASK.slug: entry}}
    report.get_by_role("link", name=f"1 of {len(catalog())} exercises solved").click()
    box = page.get_by_role("checkbox", name=MASK.title)
    expect(box).to_be_checked()
    expect(box).to_be_disabled()
    expect(page.locator("#exercise-causal-mask")).to_contain_text("solved")
    page.goto(f"{site}/{CHAPTER}.html")
    expect(block(page)).to_contain_text("Solved")


def test_the_stub_is_no_try_and_counts_for_nothing(page: Page):
    button(block(page), "Answer here").click()
    button(block(page), "Check").click()
    expect(says(block(page), "stub")).to_contain_text("Write the body, then press Check.")
    expect(button(block(page), "Solution")).to_be_hidden()
    assert stored(page, "bottomup.progress") is None


def test_what_is_printed_stands_above_the_report(page: Page):
    check(block(page), f"print(7)\n{RIGHT}")
    text = says(block(page), "passed").inner_text()
    assert text.index("Printed") < text.index("seven") < text.index("It is passed")


def test_what_is_printed_is_not_read_out_and_scrolls_by_keyboard(page: Page):
    check(block(page), f"print(7)\n{RIGHT}")
    lines = says(block(page), "passed").get_by_role("group", name="Printed")
    expect(lines).to_have_attribute("aria-live", "off")
    expect(lines).to_have_attribute("tabindex", "0")


@pytest.mark.parametrize(
    ("lacks", "text"),
    [
        (["torch.fft"], "The page’s small torch has no torch.fft. Check this answer"),
        (["module pandas", "torch.fft"], "This page cannot import pandas. Check this answer"),
    ],
)
def test_what_the_page_has_not_is_said_in_its_language(page: Page, lacks: list[str], text: str):
    page.route(
        f"{FILES}worker.js",
        lambda route: route.fulfill(
            body=WORKER.replace('"failed"', '"unchecked"').replace(
                "seconds: 0", f"lacks: {json.dumps(lacks)}"
            ),
            content_type="text/javascript",
        ),
    )
    check(block(page), "neither right nor wrong")
    expect(says(block(page), "unchecked")).to_contain_text(text)
    assert stored(page, "bottomup.progress") is None


def test_a_report_below_the_window_comes_into_view(page: Page):
    page.set_viewport_size(PHONE)
    fill(block(page), RIGHT)
    button(block(page), "Check").evaluate(
        "it => scrollBy(0, it.getBoundingClientRect().bottom + 10 - innerHeight)"
    )
    button(block(page), "Check").click()
    expect(says(block(page), "passed").get_by_text("Why.")).to_be_in_viewport()


def test_a_worker_that_is_full_is_given_back(page: Page):
    page.route(
        f"{FILES}worker.js",
        lambda route: route.fulfill(
            body=WORKER.replace("id, report: {", "id, isFull: true, report: {"),
            content_type="text/javascript",
        ),
    )
    check(block(page), RIGHT)
    says(block(page), "passed")
    page.wait_for_timeout(0)
    assert page.workers == []


def test_a_report_brings_no_script_along(page: Page):
    check(block(page), RIGHT)
    report = says(block(page), "passed")
    report.get_by_text("Why.").click()
    expect(report.locator("img, [onclick], [style]")).to_have_count(0)
    assert page.evaluate("window.ran") is None


def test_while_a_check_runs_there_is_no_verdict_and_stop_ends_it(page: Page):
    check(block(page), WRONG)
    says(block(page), "named", "own-place")
    check(block(page), ENDLESS)
    expect(block(page)).to_contain_text("Checking")
    report = block(page).locator("[data-exercise-report]")
    assert (
        report.get_attribute("data-verdict") is None is report.get_attribute("data-misconception")
    )
    button(block(page), "Stop").click()
    expect(says(block(page), "stopped")).to_contain_text("You stopped the check.")
    expect(button(block(page), "Stop")).to_be_hidden()
    assert page.workers == []
    check(block(page), RIGHT)
    says(block(page), "passed")


def test_checks_wait_for_each_other_in_one_worker(page: Page):
    check(block(page), ENDLESS)
    expect(block(page)).to_contain_text("Checking")
    check(block(page, "temperature"), "x <= 1")
    expect(block(page, "temperature")).to_contain_text("Waiting")
    assert len(page.workers) == 1
    button(block(page), "Stop").click()
    says(block(page, "temperature"), "passed")
    assert len(page.workers) == 1


def test_a_check_that_waits_can_be_stopped_alone(page: Page):
    check(block(page), ENDLESS)
    check(block(page, "temperature"), "x <= 1")
    button(block(page, "temperature"), "Stop").click()
    says(block(page, "temperature"), "stopped")
    expect(block(page)).to_contain_text("Checking")
    button(block(page), "Stop").click()
    says(block(page), "stopped")


def test_what_did_not_load_is_said_and_tried_again(page: Page):
    def refuse(route: Route) -> None:
        route.abort()

    page.route(f"{FILES}worker.js", refuse)
    check(block(page), RIGHT)
    expect(block(page)).to_contain_text("The check could not run: what it needs did not load.")
    page.unroute(f"{FILES}worker.js", refuse)
    button(block(page), "Try again").click()
    says(block(page), "passed")


@pytest.fixture
def with_a_clock(browser: Browser, site: str) -> Iterator[Page]:
    """A page that no other test is given: its time does not pass by itself."""
    with browser.new_context(viewport=DESKTOP) as context:
        page = context.new_page()
        with_worker(page)
        page.clock.install()
        page.goto(f"{site}/{CHAPTER}.html")
        yield page


def test_a_check_that_says_nothing_for_a_minute_is_ended(with_a_clock: Page):
    page = with_a_clock
    check(block(page), ENDLESS)
    expect(block(page)).to_contain_text("Checking")
    page.clock.run_for(61_000)
    expect(says(block(page), "stopped")).to_contain_text("no answer for 60 seconds")
    assert page.workers == []


def test_an_idle_worker_is_given_back(with_a_clock: Page):
    page = with_a_clock
    check(block(page), RIGHT)
    says(block(page), "passed")
    page.clock.run_for(590_000)
    assert len(page.workers) == 1
    page.clock.run_for(11_000)
    page.wait_for_timeout(0)
    assert page.workers == []


def test_the_reader_s_test_is_checked_and_its_catch_noted(page: Page):
    slug = TESTS[0].slug
    exercise = test_of(page, slug)
    button(exercise, "Answer here").click()
    expect(exercise.get_by_role("textbox")).to_have_value(TESTS[0].test_stub)
    fill(exercise, "assert 1 < 2")
    button(exercise, "Check").click()
    says(exercise, "named", "own-place")
    assert stored(page, "bottomup.progress") == {
        "schema": 1, "exercises": {}, "tests": {slug: {"runs": 1, "caught": 3}},
    }  # fmt: skip
    expect(exercise).to_contain_text("Best test: 3 mistakes caught")
    button(exercise, "Our tests").click()
    expect(exercise.get_by_role("group", name="What a test catches")).to_be_visible()


# ---- The text of the answer, hints, solution


def test_a_reload_brings_the_text_back_and_reset_removes_it(page: Page):
    fill(block(page), WRONG)
    page.reload()
    expect(block(page).get_by_role("textbox")).to_have_value(WRONG)
    expect(block(page, "temperature").get_by_role("textbox")).to_have_count(0)
    button(block(page), "Reset").click()
    expect(block(page).get_by_role("textbox")).to_have_value(MASK.stub)
    button(block(page), "Undo").click()
    expect(block(page).get_by_role("textbox")).to_have_value(WRONG)
    button(block(page), "Reset").click()
    page.reload()
    expect(button(block(page), "Answer here")).to_be_visible()


def test_hints_come_one_by_one_and_the_solution_after_a_try(page: Page):
    button(block(page), "Answer here").click()
    expect(button(block(page), "Solution")).to_be_hidden()
    hints = block(page).locator(".answer-hints > .answer-hint")
    for number in range(1, len(MASK.hints) + 1):
        button(block(page), "Hint").click()
        expect(hints).to_have_count(number)
        expect(hints.last).to_contain_text(f"Hint {number} of {len(MASK.hints)}")
    expect(hints.last).to_contain_text("Either compare torch.arange(n) with itself")
    expect(button(block(page), "Hint")).to_be_hidden()
    check(block(page), WRONG)
    button(block(page), "Solution").click()
    expect(block(page).locator(".wrong-answers > details").nth(1)).to_have_attribute("open", "")


def test_a_browser_that_keeps_nothing_still_checks(browser: Browser, site: str):
    refuse = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }})"
    with browser.new_context(viewport=DESKTOP) as context:
        context.add_init_script(refuse)
        page = context.new_page()
        with_worker(page)
        page.goto(f"{site}/{CHAPTER}.html")
        check(block(page), RIGHT)
        says(block(page), "passed")


# ---- Keys, phones, colours


@pytest.mark.parametrize("editor", [False, True])
def test_by_keyboard_alone(
    window: Callable[..., Page], site: str, editor: bool, request: pytest.FixtureRequest
):
    if editor:
        request.getfixturevalue("made")
    page = window()
    with_worker(page, editor=editor)
    page.goto(f"{site}/{CHAPTER}.html")
    button(block(page), "Answer here").focus()
    page.keyboard.press("Enter")
    text = block(page).get_by_role("textbox", name="Your answer: ")
    expect(text).to_be_focused()
    if editor:
        expect(text).to_have_class("cm-content cm-lineWrapping")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("def causal_mask(n):\ni = 1\n")
    page.keyboard.press("Tab")
    page.keyboard.type("return i <= 2")
    lines = ["def causal_mask(n):", "    i = 1", "        return i <= 2"]
    typed = block(page).locator("[data-exercise-input]").evaluate("input => input.answer()")
    assert typed.splitlines() == lines
    page.keyboard.press("ControlOrMeta+Enter")
    says(block(page), "passed")
    expect(text).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(button(block(page), "Check")).to_be_focused()


def test_the_report_is_read_out(page: Page):
    for part in (".answer-note", ".answer-hints", "[data-exercise-report]"):
        expect(block(page).locator(part)).to_have_attribute("aria-live", "polite")


def test_an_open_exercise_fits_a_phone_and_stands_out_in_both_modes(page: Page):
    check(block(page), f"{WRONG}    # {'a long comment ' * 8}\n")
    says(block(page), "named", "own-place")
    button(block(page), "Hint").click()
    check(block(page, "temperature"), RIGHT)
    says(block(page, "temperature"), "passed")
    assert findings_in_both_modes(page) == {"any mode": [], "light": [], "dark": []}
    page.set_viewport_size(PHONE)
    for mode in ("dark", "light"):
        set_mode(page, mode)
        assert page.evaluate(FIND_OVERFLOW) == [], mode


# ---- Progress on the page of exercises


def solve(page: Page, site: str) -> None:
    """Have one exercise and one test solved, and another one tried."""
    entries = {
        MASK.slug: {"checks": 1, "passed": True},
        EXERCISES[0].slug: {"checks": 2, "passed": False},
    }
    tests = {TESTS[0].slug: {"runs": 1, "caught": len(TESTS[0].mistakes)}}
    content = json.dumps({"schema": 1, "exercises": entries, "tests": tests})
    page.evaluate("text => localStorage.setItem('bottomup.progress', text)", content)
    page.goto(f"{site}/book/exercises.html")


def test_solved_ones_are_ticked_and_stay_so(page: Page, site: str):
    solve(page, site)
    expect(page.locator("ul.exercise-list input:checked")).to_have_count(2)
    expect(page.locator("ul.exercise-list input:disabled")).to_have_count(2)
    expect(page.locator(f"#test-{TESTS[0].slug} .exercise-mark")).to_have_text("solved")
    expect(page.get_by_role("status")).to_contain_text(f"Ticked off: 1 of {len(catalog())}")


def test_progress_goes_to_the_notebook_and_back(
    page: Page, site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BOTTOMUP_PROGRESS", str(tmp_path / "mine.json"))
    solve(page, site)
    with page.expect_download() as download:
        page.get_by_role("button", name="Export progress").click()
    assert download.value.suggested_filename == "bottomup_progress.json"
    assert progress(add=download.value.path()).solved == (MASK.slug,)
    solved = {EXERCISES[0].slug: {"checks": 4, "passed": True}}
    text = json.dumps({"schema": 1, "exercises": solved})
    give(page, tmp_path / "other.json", text)
    expect(page.locator(".progress-said")).to_have_text(
        "The file was added. Exercises solved now: 2."
    )
    expect(page.locator(f"#exercise-{EXERCISES[0].slug} input")).to_be_checked()
    expect(page.locator(f"#exercise-{MASK.slug} input")).to_be_checked()


@pytest.mark.parametrize("text", ["", "[]", '{"schema": 7}'])
def test_a_bad_file_is_refused_in_a_line(page: Page, site: str, tmp_path: Path, text: str):
    solve(page, site)
    give(page, tmp_path / "bad.json", text)
    expect(page.locator(".progress-said")).to_have_text(
        "bad.json holds no progress: nothing was changed."
    )
    expect(page.locator(f"#exercise-{MASK.slug} input")).to_be_checked()


def give(page: Page, path: Path, text: str) -> None:
    """Import a file."""
    path.write_text(text, "utf-8")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Import progress").click()
    chooser.value.set_files(path)


def test_printed_the_page_lists_what_is_solved_and_no_more(page: Page, site: str):
    page.goto(f"{site}/book/exercises.html")
    page.emulate_media(media="print")
    expect(page.locator("ul.exercise-list > li:visible")).to_have_count(
        len(catalog()) + sum(each.test_minutes > 0 for each in catalog().values())
    )
    solve(page, site)
    expect(page.locator("ul.exercise-list > li:visible")).to_have_count(2)
    expect(page.locator(".exercise-printed")).to_contain_text(
        f"1 of {len(catalog())} exercises solved, 1 of "
    )
    expect(page.locator("article section > p:visible")).to_have_count(1)
    expect(page.get_by_role("heading", name="Chapter")).to_have_count(1)


# ---- Korean


def test_a_korean_page_says_it_in_korean_with_the_english_site_s_files(
    window: Callable[..., Page], site: str
):
    page = window()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with_worker(page)
    page.goto(f"{site}/ko/{CHAPTER}.html")
    button(block(page), "여기서 풀기").click()
    fill(block(page), RIGHT)
    button(block(page), "채점").click()
    says(block(page), "passed")
    files = [url for url in asked if "/answer_here/" in url]
    assert files and all(url.startswith(f"{site}/_static/answer_here/") for url in files)


# ---- With the real worker


@pytest.mark.parametrize("slug", [exercise.slug for exercise in EXERCISES])
def test_the_real_check_names_a_mistake_and_passes_the_solution(real: Page, slug: str):
    exercise = catalog()[slug]
    shown = [
        (each.slug, form.source)
        for each in exercise.mistakes
        for form in each.forms
        if form.kind == "shown"
    ]
    for mistake, source in shown:
        check(block(real, slug), source)
        says(block(real, slug), "named", mistake)
    check(block(real, slug), exercise.source)
    says(block(real, slug), "passed")


def test_the_real_check_ends_loops_and_reports_errors_and_goes_on_offline(real: Page):
    check(block(real), ENDLESS)
    says(block(real), "stopped")
    real.context.set_offline(True)
    check(block(real), "def causal_mask(n)\n    pass\n")
    expect(says(block(real), "failed")).to_contain_text("SyntaxError")
    check(block(real), "def causal_mask(n):\n    return torch.arange(n)[n]\n")
    expect(says(block(real), "failed")).to_contain_text("IndexError")
    check(block(real), f"print('seven')\n{RIGHT}")
    expect(says(block(real), "passed")).to_contain_text("seven")
    real.context.set_offline(False)


def test_a_real_test_of_the_reader_s_is_told_what_it_catches(real: Page):
    exercise = test_of(real, TESTS[0].slug)
    button(exercise, "Answer here").click()
    fill(exercise, TESTS[0].tests["strong"])
    button(exercise, "Check").click()
    says(exercise, "passed")


def test_a_real_report_is_korean_in_korean(real: Page, site: str):
    real.goto(f"{site}/ko/{CHAPTER}.html")
    check(block(real), WRONG)
    report = block(real).locator("[data-exercise-report][data-verdict=named]")
    expect(report).to_contain_text("아직")
