"""The script of a model in a browser: asked for once, when it is wanted, from disk and by http."""

from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page

from bottomup.explorables.engine import model_script
from bottomup.explorables.shared import bundle
from tests.explorables.engine.reference import translator

NAME, FILE = "encoder_decoder", "encoder_decoder-1a2b3c4d.js"
SENTENCE = "the big cat ate two apples ."
META = f'<meta name="bottomup-model-{NAME}" content="models/{FILE}" />'

# Two figures, each with modules of its own, as on a page of the book.
FIGURE = """
<script type="module">
{modules}
const {{ load, available }} = modules["engine/load.js"];
const {{ translatorOf }} = modules["engine/payload.js"];
(globalThis.figures ??= []).push({{ load, available, translatorOf }});
</script>
"""
TRANSLATED = """async ([number, sentence]) => {
  const { load, translatorOf } = figures[number];
  return translatorOf(await load("encoder_decoder")).translate(sentence).hangul;
}"""
REFUSED = """() => figures[0].load("encoder_decoder").then(() => "", (error) => error.message)"""


def modules() -> str:
    needed = [*bundle.modules("engine/payload.js"), *bundle.modules("engine/load.js")]
    scopes = (bundle._scope(module) for module in dict.fromkeys(needed))
    return "\n".join(["const modules = {};", *scopes])


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_said: object) -> None:
        pass

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")  # else a second request is not seen
        super().end_headers()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.joinpath("models").mkdir()
    tmp_path.joinpath("models", FILE).write_text(model_script(NAME), encoding="utf-8")
    figures = 2 * FIGURE.format(modules=modules())
    for name, head in (("page", META), ("bare", "")):
        html = f'<!doctype html><html><head><meta charset="utf-8">{head}</head>{figures}</html>'
        tmp_path.joinpath(f"{name}.html").write_text(html, encoding="utf-8")
    return tmp_path


@pytest.fixture(params=["file", "http"])
def address(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    if request.param == "file":
        yield folder.as_uri()
        return
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[[str], tuple[Page, list[str]]]]:
    """Open a page; its list fills with the files that it asks for."""
    with browser.new_context() as context:

        def open_one(url: str) -> tuple[Page, list[str]]:
            page, asked = context.new_page(), []
            page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[1]))
            page.goto(url)
            page.wait_for_function("globalThis.figures?.length === 2")
            return page, asked

        yield open_one


@pytest.mark.slow
def test_the_model_is_asked_for_once_by_whoever_wants_it_first(address: str, opened):
    page, asked = opened(f"{address}/page.html")
    assert page.evaluate("figures[0].available('encoder_decoder')")
    assert [name for name in asked if name.startswith("encoder")] == []
    expected = translator(NAME).translate(SENTENCE).hangul
    both = page.evaluate(
        f"""async (sentence) => {{
          const translated = {TRANSLATED};
          return Promise.all([0, 1, 0].map((number) => translated([number, sentence])));
        }}""",
        SENTENCE,
    )
    assert both == [expected] * 3
    assert page.evaluate(TRANSLATED, [1, SENTENCE]) == expected
    assert [name for name in asked if name.startswith("encoder")] == [FILE]


@pytest.mark.slow
def test_a_page_that_does_not_say_where_has_none(address: str, opened):
    page, asked = opened(f"{address}/bare.html")
    assert not page.evaluate("figures[0].available('encoder_decoder')")
    assert "no model encoder_decoder" in page.evaluate(REFUSED)
    assert [name for name in asked if name.startswith("encoder")] == []


@pytest.mark.slow
def test_after_a_failure_it_is_asked_for_again(address: str, folder: Path, opened):
    page, asked = opened(f"{address}/page.html")
    script, away = folder / "models" / FILE, folder / "models" / "away.js"
    script.rename(away)
    assert FILE in page.evaluate(REFUSED)
    script.write_text("globalThis.other = 1;", encoding="utf-8")  # a script that is another
    assert FILE in page.evaluate(REFUSED)
    away.rename(script)
    assert page.evaluate(TRANSLATED, [0, SENTENCE]) == translator(NAME).translate(SENTENCE).hangul
    assert [name for name in asked if name.startswith("encoder")] == [FILE] * 3


@pytest.mark.slow
def test_a_model_inside_the_page_needs_no_request(folder: Path, opened):
    html = folder.joinpath("bare.html").read_text(encoding="utf-8")
    inlined = html.replace("</head>", f"<script>{model_script(NAME)}</script></head>")
    folder.joinpath("inlined.html").write_text(inlined, encoding="utf-8")
    page, asked = opened(f"{folder.as_uri()}/inlined.html")
    assert page.evaluate("figures[0].available('encoder_decoder')")
    assert page.evaluate(TRANSLATED, [1, SENTENCE]) == translator(NAME).translate(SENTENCE).hangul
    assert asked == ["inlined.html"]
