"""What is told of a report or a figure is what a kernel says that speaks the language."""

import json
import subprocess
import sys
from functools import cache
from typing import Any

import nbformat
import pytest

from bottomup.explorables import Explorable, alignment_explorer, pattern_painter, segments
from tests.explorables import demo
from tests.explorables.layer_slider_demo import LAYER_SLIDER
from tests.explorables.translator_live.demo import figures as translators
from tools.notebooks import said
from tools.notebooks.explorables import FIGURE, figure
from tools.translate.pages import all_pages
from tools.translate.retell import retell

DRAWN = ("pictures", "says")


def shown() -> dict[str, Explorable]:
    """Return one or more of each kind of figure, in the language of the environment."""
    return {
        "alignments": alignment_explorer([demo.CAT, demo.LETTER], demo.CURVES),
        "dictionary": demo.WORDS,
        "gallery": demo.HEADS,
        "gallery with parts": demo.QUESTIONS,
        "induction": demo.INDUCTION,
        "journey": demo.JOURNEY,
        "knobs": demo.CHANCES.recorded,
        "layers": demo.LAYERS,
        "mask": demo.MASK,
        "names": demo.NAMES,
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
# A language that puts every message between brackets.
BRACKETS = """
from bottomup import i18n
class Marked(dict):
    def get(self, message, otherwise): return message if "⟦" in message else f"⟦{message}⟧"
i18n.catalogue = lambda name: Marked()
"""
# In a process of its own: many strings are looked up when their module is imported.
SAY = """
import json
from tests.translate import test_figures
print(json.dumps(test_figures.htmls()))
"""


def htmls() -> dict[str, str]:
    """Return all figures, and the reports of a right and of a wrong answer."""
    from bottomup.exercises import check
    from bottomup.exercises.engine.registry import find

    found = {name: made._repr_html_() for name, made in FIGURES.items()}
    exercise = find("causal-mask")
    found["report"] = check("causal-mask", exercise.solution)._repr_html_()
    return found


@cache
def said_in(language: str) -> dict[str, str]:
    """Return what a kernel shows in which the language's cell ran first."""
    done = subprocess.run(
        [sys.executable, "-c", language + SAY], capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


class Brackets(dict[str, str]):
    """The translations of that language."""

    def __contains__(self, message: object) -> bool:
        return True

    def __getitem__(self, message: str) -> str:
        return f"⟦{message}⟧"


def cell(html: str) -> nbformat.NotebookNode:
    output = nbformat.v4.new_output("display_data", {"text/html": html})
    return nbformat.v4.new_code_cell(id="a", outputs=[output])


def payload(made: Explorable) -> Any:
    found = json.loads(made.data)
    return {key: value for key, value in found.items() if key not in DRAWN}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FIGURES, "report"])
def test_what_is_told_is_what_a_kernel_says(name: str):
    marked = said_in(said.first_cell())[name]
    found = [("a", place, text) for place, text in said.of_cell(cell(marked))]
    english = cell(htmls()[name])
    retell(nbformat.v4.new_notebook(cells=[english]), found, Brackets())
    html, own = english.outputs[0].data["text/html"], said_in(BRACKETS)[name]
    if name in FIGURES:
        assert payload(figure(html)) == payload(figure(own))
    else:
        assert html == own


def test_every_kind_of_figure_is_asked():
    stored = [
        figure("".join(output["data"]["text/html"])).name
        for page in all_pages()
        if page.is_notebook
        for cell in page.notebook()["cells"]
        for output in cell.get("outputs", ())
        if FIGURE.search("".join(output.get("data", {}).get("text/html", "")))
    ]
    assert {made.name for made in FIGURES.values()} == {*stored}
