"""The block below an exercise: folded wrong answers and solution, links; below a test two of ours.

Two answers, or two tests, are tabs. A fold's line says what is inside without giving it away.
"""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from docutils import nodes
from sphinx.writers.html5 import HTML5Translator

from bottomup.i18n import _, language

Highlight = Callable[[str], str]


class WrongAnswers(nodes.General, nodes.Element):  # type: ignore[misc]  # docutils is untyped
    """What is shown of one exercise, and where it can be run."""


class Tests(nodes.General, nodes.Element):  # type: ignore[misc]  # docutils is untyped
    """A typical and a strong test of one exercise."""


class OneAnswer(nodes.General, nodes.Element):  # type: ignore[misc]  # docutils is untyped
    """One answer with its report."""


def visit_one(translator: HTML5Translator, node: OneAnswer) -> None:
    """Write an answer and its report."""

    def highlight(source: str) -> str:
        return translator.highlighter.highlight_block(source, "python")

    shown = panel(node["answer"], name_of(node["answer"]["mistake"]), highlight)
    translator.body.append(f'<div class="wrong-answers one">{shown}</div>\n')
    raise nodes.SkipNode


def visit(translator: HTML5Translator, node: WrongAnswers) -> None:
    """Write the block with code in the colours of the page's other code."""

    def highlight(source: str) -> str:
        return translator.highlighter.highlight_block(source, "python")

    translator.body.append(as_html(**node.attributes, highlight=highlight))
    raise nodes.SkipNode


def visit_tests(translator: HTML5Translator, node: Tests) -> None:
    """Write the tests."""

    def highlight(source: str) -> str:
        return translator.highlighter.highlight_block(source, "python")

    tests = node["tests"]
    names = {"typical": _("A typical test"), "strong": _("A strong test")}
    shown = tabs(
        f"test-{node['slug']}", _("What a test catches"),
        [names[test["kind"]] for test in tests], tests, highlight,
    )  # fmt: skip
    tests_folded = folded(_("A typical test and a strong one"), shown)
    translator.body.append(f'<div class="wrong-answers tests">{tests_folded}</div>\n')
    raise nodes.SkipNode


def as_html(
    *, slug: str, shown: dict[str, Any], links: dict[str, str], help_page: str,
    highlight: Highlight, **_other: object,
) -> str:  # fmt: skip
    """Return the block as HTML."""
    solution = code(shown["solution"], highlight)
    answers = shown["answers"]
    names = [name_of(answer["mistake"]) for answer in answers]
    legend = _("What the check says to a wrong answer")
    parts = [
        folded(
            _("Two wrong answers, with reports"),
            tabs(f"wrong-{slug}", legend, names, answers, highlight),
        ),
        folded(_("Solution"), solution),
        run_line(links, help_page),
    ]
    return f'<div class="wrong-answers">{"".join(parts)}</div>\n'


def folded(line: str, content: str) -> str:
    """Return what is shown when its line is opened."""
    return f"<details><summary>{line}</summary>{content}</details>"


def tabs(
    group: str, legend: str, names: Sequence[str], answers: Sequence[dict[str, Any]],
    highlight: Highlight,
) -> str:  # fmt: skip
    """Return a choice between two: radio buttons, which need no script."""
    choices = [choice(group, number, name) for number, name in enumerate(names)]
    panels = [panel(answer, name, highlight) for answer, name in zip(answers, names, strict=True)]
    return f"<fieldset><legend>{legend}</legend>{''.join(choices)}{''.join(panels)}</fieldset>"


def choice(group: str, number: int, name: str) -> str:
    """Return the button that shows one of two; the first one is chosen."""
    button, checked = f"{group}-{number + 1}", "" if number else " checked"
    return (
        f'<input type="radio" name="{group}" id="{button}" autocomplete="off"{checked}>'
        f'<label for="{button}">{escape(name)}</label>'
    )


def panel(answer: dict[str, Any], name: str, highlight: Highlight) -> str:
    """Return an answer with its report; its name is shown where there are no buttons, on paper."""
    return (
        f'<div class="wrong-answer"><p class="wrong-answer-name">{escape(name)}</p>'
        f"{code(answer['source'], highlight)}{answer['html']}</div>"
    )


def name_of(mistake: str) -> str:
    """Return a mistake's slug as words: "reader-s-place" is "Reader's place"."""
    if language() != "en":
        return mistake  # a slug is English: it stays what `check` calls it
    words = mistake.replace("-s-", "\N{RIGHT SINGLE QUOTATION MARK}s ").replace("-", " ")
    return words[0].upper() + words[1:]


def code(source: str, highlight: Highlight) -> str:
    """Return source in the frame that Sphinx gives to code."""
    return f'<div class="highlight-python notranslate">{highlight(source.rstrip())}</div>'


def run_line(links: dict[str, str], help_page: str) -> str:
    """Return the links to what runs the exercise, and one to how that is done."""
    shown = [f'<a href="{escape(address)}">{name}</a>' for name, address in links.items()]
    how = f'<a href="{escape(help_page)}">{_("how")}</a>'
    return f'<p class="run-exercise">{_("Run this exercise:")} {" ".join(shown)} ({how})</p>'
