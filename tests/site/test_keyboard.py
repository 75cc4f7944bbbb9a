"""A chapter by keyboard alone: each stop of the Tab key has a name and shows that it is reached."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.site.visit import DESKTOP, SETTLED

CHAPTER = "chapters/03_multi_head_attention"  # with switches, sliders, exercises, drawings, folds
MOST = 400  # stops

# What has the keyboard, and its name; and whether what had it before shows now that it has lost it:
# itself, a part of it, or what stands for it.
REACHED = """() => {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  const look = ({ outline, outlineStyle, boxShadow }) =>
    (outlineStyle === "none" ? "" : outline) + boxShadow;
  const before = window.reached;
  const marked = before?.near.some((one, n) => look(getComputedStyle(one)) !== before.looks[n]);
  if (!at || at === document.body) return { marked };
  const near = [at, at.parentElement, at.nextElementSibling, ...at.querySelectorAll("*")]
    .filter(Boolean);
  window.reached = { near, looks: near.map(one => look(getComputedStyle(one))) };
  const name = [at.ariaLabel, at.innerText, at.labels?.[0]?.innerText, at.title,
    at.querySelector("title")?.textContent].find(text => text?.trim()) ?? "";
  return { tag: at.tagName, class: at.className, name: name.trim().slice(0, 40), marked };
}"""


@pytest.fixture(scope="module")
def stops(browser: Browser, site: str) -> Iterator[list[dict[str, object]]]:
    with browser.new_context(viewport=DESKTOP, reduced_motion="reduce") as context:
        page = context.new_page()
        page.goto(f"{site}/{CHAPTER}.html", wait_until="networkidle")
        page.evaluate(SETTLED)
        yield list(walk(page))


def walk(page: Page) -> Iterator[dict[str, object]]:
    """Yield what the Tab key reaches, until it leaves the page."""
    stop: dict[str, object] = {}
    for _ in range(MOST):
        page.keyboard.press("Tab")
        reached = page.evaluate(REACHED)
        if stop:
            yield stop | {"marked": reached["marked"]}
        if "tag" not in reached:
            return
        stop = reached
    raise AssertionError(f"more than {MOST} stops")


def test_each_stop_has_a_name(stops: list[dict[str, object]]) -> None:
    assert len(stops) > 100
    assert [stop for stop in stops if not stop["name"]] == []


def test_each_stop_shows_that_it_is_reached(stops: list[dict[str, object]]) -> None:
    assert [stop for stop in stops if not stop["marked"]] == []
