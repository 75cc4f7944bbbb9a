"""Exercises answered in their page: editor, buttons, report, and the progress it keeps.

What the page does is tested with a worker that reads a verdict off the text: it is quick, and needs
no files but the page's own. What the real one says is asked of it where its files were made.
"""

import json
from collections.abc import Callable
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
    for part in (".answer-note", ".answer-hints", "[data-exercise-report]"):
        expect(block(page).locator(part)).to_have_attribute("aria-live", "polite")


@pytest.mark.parametrize("made", ["nothing", "no file", "no script"])
def test_where_nothing_was_made_the_page_stands_as_it_is(
    window: Callable[..., Page], site: str, made: str
):
    page = window(java_script_enabled=made != "no script")
    status = 404 if made == "no file" else 200
    page.route(f"{FILES}sizes.json", lambda route: route.fulfill(json={}, status=status))
    page.goto(f"{site}/{CHAPTER}.html", wait_until="networkidle")
    expect(page.locator(".answer-here button:visible", has_text="Answer here")).to_have_count(0)
    expect(block(page).get_by_text("def causal_mask(n):").first).to_be_visible()


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


def test_from_a_disk_the_page_says_how_it_is_served(window: Callable[..., Page], built: Path):
    page = window()
    page.goto((built / f"{CHAPTER}.html").as_uri())
    line = block(page).locator(".answer-serve")
    expect(line).to_contain_text("python -m http.server")
    address = f"http://localhost:8000/{CHAPTER}.html"
    expect(line.get_by_role("link")).to_have_attribute("href", address)
    expect(block(page).get_by_role("button", name="Answer here")).to_have_count(0)


# ---- A check


def test_what_is_printed_stands_above_a_report_that_brings_no_script_along(page: Page):
    button(block(page), "Answer here").click()
    button(block(page), "Check").click()
    expect(says(block(page), "stub")).to_contain_text("Write the body, then press Check.")
    expect(button(block(page), "Solution")).to_be_hidden()
    assert stored(page, "bottomup.progress") is None  # the stub is no try
    check(block(page), f"print(7)\n{RIGHT}")
    report = says(block(page), "passed")
    text = report.inner_text()
    assert text.index("Printed") < text.index("seven") < text.index("It is passed")
    lines = report.get_by_role("group", name="Printed")
    expect(lines).to_have_attribute("aria-live", "off")
    expect(lines).to_have_attribute("tabindex", "0")  # scrolls by keyboard
    report.get_by_text("Why.").click()
    expect(report.locator("img, [onclick], [style]")).to_have_count(0)
    assert page.evaluate("window.ran") is None


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
    other, slow = block(page, "temperature"), block(page)
    check(slow, ENDLESS)
    expect(slow).to_contain_text("Checking")
    check(other, "x <= 1")
    expect(other).to_contain_text("Waiting")
    assert len(page.workers) == 1
    button(other, "Stop").click()
    says(other, "stopped")
    expect(slow).to_contain_text("Checking")
    check(other, "x <= 1")
    button(slow, "Stop").click()
    says(other, "passed")
    assert len(page.workers) == 1
    full = WORKER.replace("id, report: {", "id, isFull: true, report: {")
    page.reload()
    page.route(
        f"{FILES}worker.js",
        lambda route: route.fulfill(body=full, content_type="text/javascript"),
    )
    check(slow, RIGHT)
    says(slow, "passed")
    page.wait_for_timeout(0)
    assert page.workers == []  # one that is full is given back


def test_what_did_not_load_is_said_and_tried_again(page: Page):
    def refuse(route: Route) -> None:
        route.abort()

    page.route(f"{FILES}worker.js", refuse)
    check(block(page), RIGHT)
    expect(block(page)).to_contain_text("The check could not run: what it needs did not load.")
    page.unroute(f"{FILES}worker.js", refuse)
    button(block(page), "Try again").click()
    says(block(page), "passed")


def test_a_silent_check_is_ended_and_an_idle_worker_given_back(browser: Browser, site: str):
    """On a page of its own: its time does not pass by itself, and it can store nothing."""
    refuse = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }})"
    with browser.new_context(viewport=DESKTOP) as context:
        context.add_init_script(refuse)
        page = context.new_page()
        with_worker(page)
        page.clock.install()
        page.goto(f"{site}/{CHAPTER}.html")
        check(block(page), ENDLESS)
        expect(block(page)).to_contain_text("Checking")
        page.clock.run_for(61_000)
        expect(says(block(page), "stopped")).to_contain_text("no answer for 60 seconds")
        assert page.workers == []
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


def test_progress_goes_to_the_notebook_and_back(
    page: Page, site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("BOTTOMUP_PROGRESS", str(tmp_path / "mine.json"))
    solve(page, site)
    expect(page.locator("ul.exercise-list input:checked")).to_have_count(2)
    expect(page.locator("ul.exercise-list input:disabled")).to_have_count(2)
    expect(page.locator(f"#test-{TESTS[0].slug} .exercise-mark")).to_have_text("solved")
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
    for text in ("", "[]", '{"schema": 7}'):
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


# ---- With the real worker


def test_the_real_check_names_mistakes_ends_loops_and_goes_on_offline(
    window: Callable[..., Page], site: str, made: None
):
    page = window()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site}/ko/{CHAPTER}.html")  # the report is Korean, from the English site's files
    button(block(page), "여기서 풀기").click()
    fill(block(page), WRONG)
    button(block(page), "채점").click()
    report = block(page).locator("[data-exercise-report][data-verdict=named]")
    expect(report).to_contain_text("아직")
    files = [url for url in asked if "/answer_here/" in url]
    assert files and all(url.startswith(f"{site}/_static/answer_here/") for url in files)
    page.goto(f"{site}/{CHAPTER}.html")
    check(block(page), WRONG)
    says(block(page), "named", "strict")
    check(block(page), ENDLESS)
    says(block(page), "stopped")
    page.context.set_offline(True)
    check(block(page), "def causal_mask(n)\n    pass\n")
    expect(says(block(page), "failed")).to_contain_text("SyntaxError")
    check(block(page), "def causal_mask(n):\n    return torch.arange(n)[n]\n")
    expect(says(block(page), "failed")).to_contain_text("IndexError")
    check(block(page), f"print('seven')\n{RIGHT}")
    expect(says(block(page), "passed")).to_contain_text("seven")
    exercise = test_of(page, TESTS[0].slug)
    check(exercise, TESTS[0].tests["strong"])
    says(exercise, "passed")
    page.context.set_offline(False)
