"""The trained translators among the site's files, and the pages that say where they are."""

from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import live_models
import pytest
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.utils import new_document

SCRIPTS = {"one": "globalThis.one = 1;\n", "two": "globalThis.two = 2;\n"}
FIGURE = '<div class="bottomup-explorable"><div data-live="translator">a table</div></div>'


@pytest.fixture(autouse=True)
def small_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_models, "MODELS", tuple(SCRIPTS))
    monkeypatch.setattr(live_models, "live_script", SCRIPTS.__getitem__)


def named(name: str) -> str:
    return f"{name}-{sha256(SCRIPTS[name].encode()).hexdigest()[:8]}.js"


def head(html: str) -> str:
    document = new_document("page", get_default_settings())
    document += nodes.raw("", html, format="html")
    context: dict[str, Any] = {
        "metatags": "",
        "pathto": lambda target, resource: f"../{target}" if resource else target,
    }
    live_models.say_where(SimpleNamespace(), "chapters/05", "page.html", context, document)
    return context["metatags"]


def test_a_page_with_a_figure_that_computes_says_where_the_models_are():
    assert head(FIGURE) == "".join(
        f'<meta name="bottomup-model-{name}" content="../_static/models/{named(name)}" />\n'
        for name in SCRIPTS
    )


def test_another_page_says_nothing():
    assert head('<div class="bottomup-explorable"></div>') == ""
    context: dict[str, Any] = {}
    live_models.say_where(SimpleNamespace(), "search", "search.html", context, None)
    assert context == {}


def app(folder: Path, kind: str = "html") -> Any:
    return SimpleNamespace(outdir=folder, builder=SimpleNamespace(format=kind))


def test_the_scripts_are_written_as_they_are(tmp_path: Path):
    live_models.write_models(app(tmp_path), None)
    found = {path.name: path.read_bytes().decode() for path in tmp_path.rglob("*.js")}
    assert found == {named(name): script for name, script in SCRIPTS.items()}
