"""Figures told in a made-up language are what the package says in it; no key of a script is told.

That every message is told is a matter of the figures, not of how far the Korean ones have come.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from bottomup.explorables import Explorable, alignment_explorer, pattern_painter, segments
from tests.explorables import demo
from tests.explorables.layer_slider_demo import LAYER_SLIDER
from tests.explorables.translator_live.demo import figures as translators
from tools.notebooks.explorables import FIGURE, figure
from tools.translate import strings
from tools.translate.pages import Page, all_pages
from tools.translate.retell import Teller

DRAWN = ("pictures", "says")


def shown() -> dict[str, Explorable]:
    """Return one or more of each kind of figure, in the language of the environment."""
    return {
        "alignments": alignment_explorer([demo.CAT, demo.LETTER], demo.CURVES),
        "gallery": demo.HEADS,
        "gallery with parts": demo.QUESTIONS,
        "induction": demo.INDUCTION,
        "journey": demo.JOURNEY,
        "knobs": demo.CHANCES.recorded,
        "layers": demo.LAYERS,
        "mask": demo.MASK,
        "neurons": demo.NEURONS,
        "patches": demo.PATCHES,
        "patterns": pattern_painter(),
        "query": demo.QUERY,
        "segments": segments(),
        "slider": LAYER_SLIDER,
        "steps": demo.STEPS,
        "superposition": demo.SUPERPOSITION,
        **translators(),
    }


FIGURES = shown()
SAY = """
import json, sys
from bottomup import i18n
known = set(json.load(sys.stdin))
class Marked(dict):
    def get(self, message, otherwise): return f"⟦{message}⟧" if message in known else message
i18n.catalogue = lambda name: Marked()
from tests.translate import test_figures
print(test_figures.data())
"""


@cache
def known() -> list[str]:
    """Return what is translated; a formula, which is part of a longer one, is the same."""
    found = [message for message, _ in strings.messages()]
    return [message for message in found if not re.fullmatch(r"[A-Z]\w*\(.+\)", message)]


@cache
def said() -> dict[str, Any]:
    """Return what a kernel that speaks the language puts into each figure.

    In a process of its own: the demonstrations are made when their module is imported.
    """
    environment = {**os.environ, "BOTTOMUP_LANGUAGE": "qps"}
    done = subprocess.run(
        [sys.executable, "-c", SAY],
        input=json.dumps(known()),
        env=environment,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def data() -> str:
    return json.dumps({name: payload(made) for name, made in FIGURES.items()})


@pytest.fixture(scope="module")
def teller() -> Teller:
    return Teller({message: f"⟦{message}⟧" for message in known()})


def told(teller: Teller, made: Explorable) -> Any:
    """Return what the page in the language draws, without drawings, which are drawn again."""
    return payload(figure(teller.html(made._repr_html_())))


def payload(made: Explorable) -> Any:
    found = json.loads(made.data)
    return {key: value for key, value in found.items() if key not in DRAWN}


def changes(english: Any, other: Any, place: str = "") -> Iterator[str]:
    """Yield where strings differ, `stations.name` for the name of any station."""
    if isinstance(english, dict):
        assert list(english) == list(other)
        for key, value in english.items():
            below = place if place == "labels" else f"{place}.{key}".lstrip(".")
            yield from changes(value, other[key], below)
    elif isinstance(english, list):
        for one, another in zip(english, other, strict=True):
            yield from changes(one, another, place)
    elif english != other:
        yield place


@cache
def stored(page: Page) -> list[Explorable]:
    """Return the figures that a chapter stores."""
    outputs = [out for cell in page.notebook()["cells"] for out in cell.get("outputs", ())]
    htmls = ["".join(output.get("data", {}).get("text/html", "")) for output in outputs]
    return [figure(html) for html in htmls if FIGURE.search(html)]


CHAPTERS = [page for page in all_pages() if page.is_notebook]


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_told_as_a_kernel_says_it(teller: Teller, name: str):
    assert told(teller, FIGURES[name]) == said()[name]


def test_every_kind_of_figure_is_asked():
    kinds = {made.name for page in CHAPTERS for made in stored(page)}
    assert {made.name for made in FIGURES.values()} == kinds


@pytest.mark.slow
@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.name)
def test_in_a_chapter_nothing_changes_but_where_a_kernel_says_it(teller: Teller, page: Page):
    for made in stored(page):
        alike = [name for name, figure in FIGURES.items() if figure.name == made.name]
        texts = {place for name in alike for place in changes(payload(FIGURES[name]), said()[name])}
        found = set(changes(payload(made), told(teller, made)))
        assert "labels" in found and found <= texts, made.id
