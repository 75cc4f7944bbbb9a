"""What figures compute with among the site's files, and the pages that say where it is."""

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
WORDS = {"head_dictionary": "globalThis.words = 3;\n"}
FIGURE = '<div class="bottomup-explorable"><div data-live="{}">a table</div></div>'


@pytest.fixture(autouse=True)
def small_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_models, "MODELS", tuple(SCRIPTS))
    monkeypatch.setattr(live_models, "live_script", SCRIPTS.__getitem__)
    monkeypatch.setattr(live_models, "words_script", lambda: WORDS["head_dictionary"])


def named(name: str) -> str:
    script = (SCRIPTS | WORDS)[name]
    return f"{name}-{sha256(script.encode()).hexdigest()[:8]}.js"


def said(*names: str) -> str:
    return "".join(
        f'<meta name="bottomup-model-{name}" content="../_static/models/{named(name)}" />\n'
        for name in names
    )


def head(html: str) -> str:
    document = new_document("page", get_default_settings())
    document += nodes.raw("", html, format="html")
    context: dict[str, Any] = {
        "metatags": "",
        "pathto": lambda target, resource: f"../{target}" if resource else target,
    }
    live_models.say_where(SimpleNamespace(), "chapters/05", "page.html", context, document)
    return context["metatags"]


def test_a_page_with_a_figure_that_computes_says_where_its_scripts_are():
    translator, dictionary = FIGURE.format("translator"), FIGURE.format("dictionary")
    assert head(translator) == said(*SCRIPTS)
    assert head(dictionary) == said(*WORDS)
    assert head(translator + dictionary + translator) == said(*SCRIPTS, *WORDS)


def test_the_licence_lies_beside_what_was_made_of_a_model_of_others(tmp_path: Path):
    live_models.write_models(app(tmp_path), None)
    (licence,) = tmp_path.rglob(live_models.LICENCE)
    assert licence.parent.joinpath(named("head_dictionary")).is_file()
    assert "Apache License" in licence.read_text("utf-8")


def test_where_the_model_is_not_installed_there_is_no_script(monkeypatch, tmp_path: Path):
    monkeypatch.setattr(live_models, "words_script", lambda: None)
    assert head(FIGURE.format("dictionary")) == ""
    live_models.write_models(app(tmp_path), None)
    assert {path.name for path in tmp_path.rglob("*.js")} == {*map(named, SCRIPTS)}


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
    assert found == {named(name): script for name, script in (SCRIPTS | WORDS).items()}
