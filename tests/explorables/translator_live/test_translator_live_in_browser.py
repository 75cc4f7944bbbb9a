"""The live translators in a browser: when the model is asked for, what a reader does with it."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from bottomup.models import Changes, Patch
from bottomup.results.translator import translator
from tests.browser import painted
from tests.explorables.test_every_figure_in_browser import FIND_SMALL
from tests.explorables.translator_live.demo import (
    BIG,
    BIG_IN_KOREAN,
    FIRST_IN_KOREAN,
    HALF,
    META,
    MODEL,
    figures,
    scripts,
)
from tests.explorables.viewer import AS_JUPYTERLAB, PAGE, Watched
from tests.site.accessibility import findings_in_both_modes
from tests.site.visit import DESKTOP, FIND_OVERFLOW, PHONE, served, set_mode

pytestmark = pytest.mark.slow

FAR = "<div style='height: 5000px'>far</div>"
PANELS = ("Attention", "Choice", "Parts", "Lens", "Training")
Open = Callable[..., Watched]


@pytest.fixture
def open_live(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Open a page beside the model's script; at the end no error may have been reported."""
    opened = []
    for file, text in scripts().items():
        tmp_path.joinpath(file).write_text(text, encoding="utf-8")

    def open_one(body: str, *, address: str = "", hash: str = "", **settings: object) -> Watched:
        html = PAGE.replace("<title>", f"{META}<title>").format(attributes="", body=body)
        tmp_path.joinpath("page.html").write_text(html, encoding="utf-8")
        watched = Watched(browser.new_context(**{"viewport": DESKTOP, **settings}))
        opened.append(watched)
        where = f"{address}/page.html" if address else tmp_path.joinpath("page.html").as_uri()
        watched.page.goto(where + hash)
        return watched

    yield open_one
    errors = [error for watched in opened for error in watched.errors]
    for watched in opened:
        watched.context.close()
    assert errors == []


def html(name: str) -> str:
    return figures()[name]._repr_html_()


def asked(watched: Watched) -> int:
    """How often the model was asked for."""
    return sum(urlsplit(url).path.endswith((MODEL, HALF)) for url in watched.requests)


def ready(page: Page, count: int = 1) -> None:
    expect(page.locator("[data-live-ready]")).to_have_count(count)


def awake(watched: Watched) -> Page:
    """Use the box, and wait for the model."""
    watched.page.locator("[data-live-input]").first.focus()
    ready(watched.page)
    return watched.page


def output(page: Page) -> Locator:
    return page.locator("[data-live-output] .hangul")


def look_at(page: Page, panel: str) -> None:
    page.locator(".tabs label", has_text=panel).click()
    painted(page)


# ---- When the model comes


@pytest.mark.parametrize("name, way", [("live", "file"), ("small", "http"), ("draw", "file")])
def test_the_model_is_asked_for_once_and_only_when_a_reader_is_near(open_live, tmp_path, name, way):
    with served(tmp_path) as address:
        watched = open_live(FAR + html(name), address=address if way == "http" else "")
        page = watched.page
        page.mouse.wheel(0, 200)
        page.wait_for_timeout(400)
        assert asked(watched) == 0
        assert page.locator("[data-live-ready]").count() == 0
        page.mouse.wheel(0, 4700)
        ready(page)
        assert asked(watched) == 1
        assert page.locator('[data-live="translator"]').count() == 1


def test_what_is_in_sight_as_the_page_opens_waits_for_the_first_move(open_live):
    watched = open_live(html("small"))
    watched.page.wait_for_timeout(400)
    assert asked(watched) == 0
    assert watched.page.locator("table").first.is_visible()
    watched.page.keyboard.press("ArrowDown")
    ready(watched.page)
    assert asked(watched) == 1
    assert watched.page.get_by_text("recorded").first.is_hidden()


def test_where_there_is_no_model_the_table_stays_until_there_is_one(browser, tmp_path):
    file, model = tmp_path / "page.html", tmp_path / MODEL
    page_html = PAGE.format(attributes="", body=html("live"))
    for settings in ({}, {"java_script_enabled": False}):  # a page that names no model; no script
        file.write_text(page_html, encoding="utf-8")
        with browser.new_context(**settings) as context:
            page = context.new_page()
            page.goto(file.as_uri())
            assert page.locator("table").is_visible()
            assert page.locator("tbody tr").count() == 3
            assert page.locator("[data-live-input]").count() == 0
    file.write_text(page_html.replace("<title>", f"{META}<title>"), encoding="utf-8")
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(file.as_uri())
        page.locator("[data-live-input]").focus()
        expect(page.get_by_text("could not be loaded")).to_be_visible()
        model.write_text("globalThis.other = 1;", encoding="utf-8")  # a script that is another
        page.locator("[data-live-input]").press_sequentially(" ")  # typing asks again
        page.wait_for_timeout(300)
        assert page.locator("table").first.is_visible()
        assert page.locator("[data-live-ready]").count() == 0
        model.write_text(scripts()[MODEL], encoding="utf-8")
        page.locator("[data-live-input]").press_sequentially(" ")
        ready(page)


def test_a_notebook_that_runs_brings_the_model_itself(open_live):
    watched = open_live("")
    page = watched.page
    page.evaluate("document.querySelector('meta[name^=bottomup]').remove()")
    page.evaluate(AS_JUPYTERLAB, f"<script>{scripts()[MODEL]}</script>{html('live')}")
    page.locator("[data-live-input]").focus()
    ready(page)
    assert asked(watched) == 0
    expect(output(page)).to_have_text(FIRST_IN_KOREAN)


def test_all_figures_of_a_page_share_the_model(open_live):
    watched = open_live(html("live") + html("small") + html("live"))
    page = watched.page
    for box in page.locator("[data-live-input]").all():
        box.focus()
    ready(page, 3)
    assert asked(watched) == 1
    page.locator("[data-live-input]").first.fill(BIG)
    expect(output(page).nth(0)).to_have_text(BIG_IN_KOREAN)
    assert output(page).nth(2).inner_text() != BIG_IN_KOREAN


# ---- A sentence


@pytest.mark.parametrize("name", ["live", "small"])
def test_a_sentence_is_chosen_typed_completed_and_warned_of(open_live, name):
    page = awake(open_live(html(name), viewport=PHONE))
    box, warning = page.locator("[data-live-input]"), page.get_by_text("may be nonsense")
    expect(output(page)).to_have_text(FIRST_IN_KOREAN)
    box.fill(BIG)
    expect(output(page)).to_have_text(BIG_IN_KOREAN)
    glosses = page.locator("[data-live-output] .gloss")
    expect(glosses.last).to_have_text("<eos>")
    assert glosses.all_inner_texts()[:3] == ["big", "-ADN", "cat"]
    page.get_by_role("button", name="grandmother read three books").click()
    expect(output(page)).to_have_text("할머니께서는 책 세 권을 읽으셨다.")
    page.get_by_label("Add a word").select_option("slowly")
    assert box.input_value() == "grandmother read three books slowly ."
    box.fill("the cat ate two ap")
    page.get_by_role("button", name="apples instead of ap").click()
    assert box.input_value() == "the cat ate two apples "
    expect(warning).to_have_count(0)
    box.fill("the unicorn ate two apples")
    expect(page.get_by_text("The model does not know “unicorn”.")).to_be_visible()
    expect(output(page)).to_be_hidden()  # it is of another sentence
    box.fill("")
    expect(page.get_by_text("expected at least one word")).to_be_visible()
    box.fill("she wore glasses")  # a pattern that training never had
    expect(output(page)).to_be_visible()
    expect(warning).to_have_text(
        "No training sentence begins with these kinds of words: “she wore”. "
        "The translation may be nonsense."
    )
    box.fill("the cat ate two apples")
    expect(output(page)).to_have_text(FIRST_IN_KOREAN)
    expect(warning).to_have_count(0)


def test_the_table_stays_until_there_is_a_sentence_that_can_be_read(open_live):
    page = open_live(html("live")).page
    page.locator("[data-live-input]").evaluate("box => { box.value = 'the unicorn' }")
    page.locator("[data-live-input]").focus()
    expect(page.get_by_text("The model does not know “unicorn”.")).to_be_visible()
    assert page.locator("table").first.is_visible()
    assert page.locator("[data-live-output]").is_hidden()
    page.locator("[data-live-input]").fill(BIG)
    ready(page)
    assert page.locator("[data-live-output]").is_visible()


def test_the_translation_grows_token_by_token_unless_nothing_shall_move(open_live):
    written = """() => document.querySelector("[data-live]").shadowRoot
      .querySelectorAll(".token:not(.unwritten)").length"""
    watched = open_live(html("small"))
    page = awake(watched)
    page.evaluate(
        f"() => {{ window.seen = new Set(); setInterval(() => seen.add(({written})()), 20) }}"
    )
    page.locator("[data-live-input]").fill(BIG)
    expect(output(page)).to_have_text(BIG_IN_KOREAN)
    page.wait_for_function(f"() => ({written})() === 13")
    assert len(page.evaluate("[...seen]")) >= 8
    still = awake(open_live(html("small"), reduced_motion="reduce"))
    still.locator("[data-live-input]").fill(BIG)
    expect(output(still)).to_have_text(BIG_IN_KOREAN)
    assert still.evaluate(written) == 13


# ---- What is changed


def switch(page: Page, label: str) -> None:
    page.get_by_role("button", name=label, exact=True).click()


def test_a_switch_changes_the_translation_and_undo_restores_it(open_live):
    page = awake(open_live(html("live")))
    before = output(page).inner_text()
    look_at(page, "Parts")
    switch(page, "encoder 1, self-attention, skip off")
    expect(output(page)).not_to_have_text(before)
    assert page.get_by_text("As trained").is_visible()
    assert page.locator(".translation .hangul").first.inner_text() == before
    assert page.locator(".token.differs").count() > 0
    page.get_by_role("button", name="Undo: encoder 1, self-attention: no skip").click()
    expect(output(page)).to_have_text(before)
    assert page.get_by_text("As trained").is_hidden()
    assert page.locator(".undoing button").count() == 0


def test_the_page_and_its_line_of_python_agree(open_live):
    page = awake(open_live(html("live")))
    look_at(page, "Parts")
    for label in ("decoder 2, cross-attention, head 4 off", "encoder 2, MLP, update off",
                  "decoder 1, self-attention, skip off"):  # fmt: skip
        switch(page, label)
    page.get_by_role("checkbox", name="positions of the source").uncheck()
    page.get_by_role("checkbox", name="causal mask").uncheck()
    page.get_by_role("group", name="Hide words").get_by_role("button", name="two").click()
    page.get_by_role("button", name="Put it in").click()
    expect(page.locator(".undoing button")).to_have_count(8)  # seven, and all
    painted(page)
    page.wait_for_timeout(300)
    *imports, line = page.locator(".python").inner_text().split("\n")
    assert imports == [
        "from bottomup.results.translator import translator",
        "from bottomup.models import Changes, Patch",
    ]
    found = eval(line, {"translator": translator, "Changes": Changes, "Patch": Patch})
    shown = page.locator("[data-live-output] .korean").all_inner_texts()
    assert shown[: len(found.tokens)] == list(found.tokens)
    assert found.tokens != translator().translate(found.source).tokens


# ---- The panels


def test_training_lets_the_loss_fall_is_part_of_the_address_and_taken_back(open_live):
    page = awake(open_live(html("live")))
    before = output(page).inner_text()
    look_at(page, "Training")
    for count in (10, 20, 30):
        page.get_by_role("button", name="10 steps", exact=True).click()
        expect(page.get_by_role("button", name=f"Undo: trained for {count} steps")).to_be_visible()
    expect(output(page)).not_to_have_text(before)
    written, said = output(page).inner_text(), page.locator(".stage .summary").inner_text()
    first, last = (float(part.split()[0]) for part in (said.split("was ")[1], said.split("is ")[1]))
    assert last < first / 2
    address = page.get_by_role("link", name="Address of this page").get_attribute("href")
    page.get_by_role("button", name="Undo the training").click()
    expect(output(page)).to_have_text(before)
    again = open_live(FAR + html("live"), hash=address).page
    ready(again)
    expect(output(again)).to_have_text(written)
    look_at(again, "Training")
    assert again.locator(".stage .summary").inner_text() == said
    other = open_live(html("live"), hash=address.replace("cat", "unicorn")).page
    other.locator("[data-live-input]").fill(BIG)
    expect(output(other)).to_have_text(BIG_IN_KOREAN)  # what cannot be read is not trained on


def test_a_chosen_token_is_looked_at_in_every_panel(open_live):
    page = awake(open_live(html("live")))
    page.locator("[data-live-output] input").nth(6).check()  # "eat", behind "-OBJ"
    assert "“-OBJ” reads “ate”" in page.locator(".summary").inner_text()
    look_at(page, "Choice")
    assert page.locator("tr.taken th").inner_text() == "eat"
    look_at(page, "Lens")
    assert "“eat” is written" in page.locator(".lens caption").inner_text()
    look_at(page, "Attention")
    page.locator(".map .row input").nth(2).check()  # the row below "-TOP" reads "apple"
    assert page.locator("[data-live-output] input").nth(2).is_checked()


def test_a_beam_grows(open_live):
    page = awake(open_live(html("live")))
    look_at(page, "Choice")
    page.locator(".stage label", has_text="beam search").click()
    expect(page.locator(".tree .node").first).to_be_visible()
    nodes = page.locator(".tree .node").count()
    page.get_by_role("button", name="step before").click()
    assert page.locator(".tree .node").count() < nodes
    page.get_by_role("slider", name="Beam width").fill("4")
    expect(page.get_by_role("slider", name="Beam width")).to_have_attribute("aria-valuetext", "5")
    page.locator(".stage label", has_text="by chance").click()
    expect(page.get_by_role("slider", name="Temperature")).to_be_visible()


# ---- What is worked out again, and when

COUNT = """() => {
  const { begin } = globalThis.bottomupFigures;
  globalThis.bottomupFigures.begin = (model, payload, page) => {
    const figure = begin(model, payload, page);
    window.figure = figure;
    window.worked = { encode: 0, step: 0, panel: 0 };
    for (const name of ["encode", "step"]) {
      const method = figure.base[name];
      figure.base[name] = (...given) => {
        worked[name] += 1;
        return method.apply(figure.base, given);
      };
    }
    const { lookAt } = figure;
    figure.lookAt = (panel) => { worked.panel += 1; lookAt.call(figure, panel); };
    return figure;
  };
}"""


def worked(page: Page, act: Callable[[], object]) -> dict[str, int]:
    """How often the model and the panel are asked while something is done."""
    painted(page)
    page.wait_for_timeout(500)
    page.evaluate("() => { for (const name in worked) worked[name] = 0; }")
    act()
    page.wait_for_timeout(700)
    return page.evaluate("worked")


def test_what_is_known_is_not_worked_out_again(open_live):
    watched = open_live(html("live"))
    page = watched.page
    page.add_script_tag(url=MODEL)
    page.evaluate(COUNT)
    awake(watched)
    look_at(page, "Parts")
    typed = worked(page, lambda: page.locator("[data-live-input]").fill("the nurse slept"))
    assert typed["encode"] == 1 and typed["step"] > 5 and typed["panel"] == 1
    head = worked(page, lambda: switch(page, "decoder 2, cross-attention, head 4 off"))
    assert head["encode"] == 0 and 0 < head["step"] <= 2 * typed["step"]  # the memory is kept
    skip = worked(page, lambda: switch(page, "encoder 1, self-attention, skip off"))
    assert skip["encode"] == 1
    undone = worked(page, lambda: switch(page, "encoder 1, self-attention, skip off"))
    assert undone["encode"] == undone["step"] == 0
    half = worked(page, lambda: page.locator("[data-live-input]").press_sequentially("xy", delay=5))
    assert half == {"encode": 0, "step": 0, "panel": 0}  # no word


def test_a_panel_out_of_sight_waits(open_live):
    watched = open_live(html("live") + FAR, viewport=PHONE)
    page = watched.page
    page.add_script_tag(url=MODEL)
    page.evaluate(COUNT)
    awake(watched)
    page.locator(".tabs").scroll_into_view_if_needed()
    painted(page)
    page.evaluate("scrollTo(0, 4000)")
    typed = worked(page, lambda: page.evaluate("figure.box.set('the nurse slept .')"))
    assert typed["step"] > 5 and typed["panel"] == 0
    seen = worked(page, lambda: page.locator(".foot").scroll_into_view_if_needed())
    assert seen["panel"] == 1


# ---- Figures with one panel


def test_heads_are_switched_and_the_link_takes_the_setting_along(open_live):
    page = awake(open_live(html("heads")))
    assert page.locator(".tabs").count() == page.locator(".python").count() == 0
    assert page.locator(".parts button").count() == 24
    switch(page, "decoder 2, cross-attention, head 2 off")
    expect(page.locator(".undoing button")).to_have_text("decoder 2, cross-attention, head 2 off ×")
    link = page.get_by_role("link", name="The same in chapter 05")
    expect(link).to_have_attribute("href", re.compile(r"^chapter\.html#live=.*cross_attention"))
    for head in (1, 3, 4):
        switch(page, f"decoder 2, cross-attention, head {head} off")
    expect(page.locator(".token.differs").first).to_be_visible()
    page.get_by_role("button", name="Undo all").click()
    expect(output(page)).to_have_text(FIRST_IN_KOREAN)


def test_figures_of_one_panel_put_a_state_in_and_show_a_tree(open_live):
    page = awake(open_live(html("state")))
    page.get_by_role("button", name="Put it in").click()
    expect(page.locator("[data-live-output] .gloss").first).to_have_text("dog")
    page = awake(open_live(html("search")))
    expect(page.locator(".tree .node").first).to_be_visible()
    assert page.locator(".chances").count() == 0


def test_a_sentence_is_drawn_and_the_tail_cut_off(open_live):
    watched = open_live(html("draw"))
    page = awake(watched)
    assert asked(watched) == 1
    assert [url for url in watched.requests if url.endswith(HALF)]
    expect(page.get_by_text("430 of 430 tokens are left to draw from.")).to_be_visible()
    first = page.locator(".chances tbody td:first-of-type").all_inner_texts()
    page.get_by_role("slider", name="Top-k").fill("5")
    expect(page.get_by_text("10 of 430 tokens are left to draw from.")).to_be_visible()
    page.get_by_role("slider", name="Temperature").fill("7")
    page.get_by_role("slider", name="Top-k").fill("0")
    expect(page.get_by_text("430 of 430 tokens are left to draw from.")).to_be_visible()
    hot = page.locator(".chances tbody td:first-of-type").all_inner_texts()
    assert hot != first and len(hot) == 7
    assert page.locator(".undoing button").count() == 0
    drawn = {output(page).inner_text()}
    for _ in range(4):
        page.get_by_role("button", name="Draw again").click()
        page.wait_for_timeout(300)
        drawn.add(output(page).inner_text())
    assert len(drawn) > 1


# ---- Readers who do not see or point as others do


@pytest.mark.parametrize("name", figures())
def test_axe_finds_nothing_and_nothing_is_too_wide_or_too_small(open_live, name):
    page = awake(open_live(html(name)))
    page.locator("[data-live-input]").fill(BIG)
    expect(page.locator("[data-live-output] .gloss").first).to_be_visible()
    page.wait_for_timeout(400)
    assert page.locator("[data-live] [aria-live=polite]").count() >= (3 if name == "live" else 1)
    for panel in PANELS if name == "live" else [None]:
        for size in (DESKTOP, PHONE):
            page.set_viewport_size(size)
            if panel:
                look_at(page, panel)
            painted(page)
            assert page.evaluate(FIND_OVERFLOW) == [], panel
            small = page.locator("[data-live]").evaluate(FIND_SMALL)
            assert [one for one in small if not one.endswith("0×0")] == [], panel
        found = findings_in_both_modes(page)
        assert found == {"any mode": [], "light": [], "dark": []}, panel
        set_mode(page, "light")


def test_everything_is_done_by_keys(open_live):
    page = open_live(html("live")).page
    assert page.locator("[data-live]").get_attribute("aria-label") == "The translator, live"
    press = page.keyboard.press
    press("Tab")
    page.locator("[data-live-input]").focus()
    ready(page)
    for key in ["Tab"] * 4:  # three examples, then the tokens
        press(key)
    press("ArrowRight")
    assert page.locator("[data-live-output] input").nth(3).is_checked()
    press("Tab")
    press("ArrowRight")
    press("ArrowRight")
    assert page.locator(".parts").is_visible()
    press("Tab")
    press("Space")
    expect(page.locator(".undoing button")).to_have_text("encoder 1, self-attention, head 1 off ×")
    page.locator(".undoing button").focus()
    press("Enter")
    expect(page.locator(".undoing button")).to_have_count(0)
