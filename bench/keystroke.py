"""Measure what a keystroke costs in chapter 05's live figure, in Chromium.

The last letter of a sentence that was not translated yet is typed, for each panel. Milliseconds are
processor time of the page's thread until all is quiet, less those of the same letter in a bare box:
they do not grow on a busy machine. At a processor of a sixth of the speed they are six times as
many. The longest task is the wall's at a sixth of the speed, as Chromium throttles it; those below
50 are not counted.

    python -m bench.keystroke
"""

import tempfile
from itertools import product
from pathlib import Path
from statistics import median

from playwright.sync_api import CDPSession, Locator, Page, sync_playwright

from bottomup.explorables import translator_live
from bottomup.explorables.translator_live.script import live_script
from bottomup.results.translator import translator
from tests.browser import FLAGS, chromium

MODEL = "encoder_decoder"
PANELS = ("Attention", "Choice", "Parts", "Lens", "Training")
SLOWER = 6
QUIET = 900  # milliseconds after a key in which all work is done
PHONE = {"width": 390, "height": 844}
SUBJECTS = ("the cat", "the dog", "the nurse", "grandmother", "the child", "this student")
OBJECTS = ("bread", "two apples", "three books", "the doctor", "the bag")
VERBS = ("bought", "helped")
PAGE = """<!doctype html><meta charset="utf-8"><title>t</title>
<meta name="bottomup-model-{model}" content="model.js"><input id="bare">{figure}"""
LONG_TASKS = """() => {
  globalThis.long = [];
  new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask" });
}"""


def processor(client: CDPSession) -> float:
    """Return the milliseconds that the page's thread has worked."""
    found = {one["name"]: one["value"] for one in client.send("Performance.getMetrics")["metrics"]}
    return 1000 * found["TaskDuration"]


def typed(page: Page, client: CDPSession, box: Locator, sentence: str) -> tuple[float, float]:
    """Type the last letter; return milliseconds of the processor and of the longest task."""
    put = "(box, text) => { box.value = text; box.focus(); box.setSelectionRange(99, 99); }"
    box.evaluate(put, sentence[:-1])
    page.evaluate("long.length = 0")
    before = processor(client)
    page.keyboard.type(sentence[-1])
    page.wait_for_timeout(QUIET)
    return processor(client) - before, max(page.evaluate("long"), default=0)


def main() -> None:
    """Print a line for each panel."""
    sentences = [" ".join(words) for words in product(SUBJECTS, VERBS, OBJECTS)]
    for sentence in sentences:
        translator().translate(sentence)  # it knows all words
    figure = translator_live([translator().translate("the cat slept")])._repr_html_()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        Path(folder, "model.js").write_text(live_script(MODEL), encoding="utf-8")
        path = Path(folder, "page.html")
        path.write_text(PAGE.format(model=MODEL, figure=figure), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_page(viewport=PHONE)
        page.goto(path.as_uri())
        page.locator("[data-live-input]").focus()
        page.wait_for_selector("[data-live-ready]")
        page.evaluate(LONG_TASKS)
        client = page.context.new_cdp_session(page)
        client.send("Performance.enable", {"timeDomain": "threadTicks"})
        box, bare = page.locator("[data-live-input]"), page.locator("#bare")
        each = len(sentences) // len(PANELS)
        nothing = median(typed(page, client, bare, text)[0] for text in sentences[:each])
        for number, panel in enumerate(PANELS):
            page.locator(".tabs label", has_text=panel).click()
            mine = sentences[each * number : each * (number + 1)]
            full = [typed(page, client, box, text) for text in mine[: each // 2]]
            client.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
            slow = [typed(page, client, box, text) for text in mine[each // 2 :]]
            client.send("Emulation.setCPUThrottlingRate", {"rate": 1})
            spent = median(one for one, _ in full) - nothing
            longest = median(task for _, task in slow)
            print(f"{panel:10} {spent:5.1f} ms, times {SLOWER} {SLOWER * spent:4.0f} ms")
            print(f"{'':10} longest task at a sixth of the speed {longest:4.0f} ms")
        browser.close()


if __name__ == "__main__":
    main()
