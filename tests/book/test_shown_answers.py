"""What a chapter's page shows below an exercise: wrong answers with reports, solution, links."""

import re
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
import shown_answers
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.utils import new_document
from nbformat.v4 import new_code_cell, new_notebook
from shown_answers import block, folds, launch, said

from bottomup.exercises import catalog
from tools.notebooks.paths import ROOT

PAGE = "chapters/09_toy"
THEME = {
    "repository_url": "https://github.com/owner/name/",
    "repository_branch": "draft",
    "launch_buttons": {"colab_url": "https://colab/", "binderhub_url": "https://binder"},
}
TOY = {
    "answers": [
        {"mistake": "reader-s-axis", "source": "a = 1\nb = 2\n", "html": "<p>One</p>"},
        {"mistake": "W-missing", "source": "c = 3\n", "html": "<pre>1\n2</pre>"},
    ],
    "tests": [],
    "solution": "d = 4\n",
}
TESTS = {
    **TOY,
    "tests": [
        {"kind": "typical", "source": "a = 1\n", "html": "<p>5 of 7</p>"},
        {"kind": "strong", "source": "b = 2\n", "html": "<p>7 of 7</p>"},
    ],
}


def say(monkeypatch: pytest.MonkeyPatch, toy: dict[str, Any]) -> None:
    """Let this be all that is said of exercises."""
    monkeypatch.setattr(said, "of", lambda slug: {"toy": toy}.get(slug, {}))


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the extension asks of Sphinx, in a book with one chapter."""
    stub = new_code_cell("def toy(x): ...", id="stub-cell")
    notebook = new_notebook(cells=[stub, new_code_cell('check("toy", toy)')])
    tmp_path.joinpath("chapters").mkdir()
    nbformat.write(notebook, tmp_path / f"{PAGE}.ipynb")
    say(monkeypatch, TOY)
    env = SimpleNamespace(
        docname=PAGE,
        metadata={PAGE: {}},
        srcdir=tmp_path,
        doc2path=lambda page: str(tmp_path / f"{page}.ipynb"),
    )
    builder = SimpleNamespace(get_relative_uri=lambda source, target: f"../{target}.html")
    config = SimpleNamespace(html_theme_options=THEME)
    return SimpleNamespace(env=env, builder=builder, config=config, srcdir=tmp_path)


def page(*sources: str) -> nodes.document:
    doctree = new_document("page", get_default_settings())
    for source in sources:
        shown = nodes.container("", nodes.literal_block(source, source))
        doctree += nodes.container("", shown, nb_element="cell_code")
    return doctree


def test_a_block_stands_below_the_check_and_nowhere_else(app: Any):
    doctree = page("x = 1", 'import torch\n\ncheck("toy", toy)', "y = 2")
    shown_answers.add_blocks(app, doctree)
    kinds = [type(node).__name__ for node in doctree.children]
    assert kinds == ["container", "container", "WrongAnswers", "container"]
    shown = doctree.children[2]
    assert (shown["slug"], shown["shown"]) == ("toy", TOY)
    assert shown["links"]["Colab"].endswith("#scrollTo=stub-cell")
    assert shown["help_page"] == "../book/how_to_use.html#run"


def test_an_exercise_that_is_not_there_is_a_warning(app: Any, monkeypatch: pytest.MonkeyPatch):
    warnings: list[str] = []
    logger = SimpleNamespace(warning=lambda message, location: warnings.append(message))
    monkeypatch.setattr(shown_answers, "logger", logger)
    doctree = page('check("another", another)')
    shown_answers.add_blocks(app, doctree)
    assert warnings == ["another: there is no such exercise"]
    assert len(doctree.children) == 1


def folds_of(doctree: nodes.document) -> list[str]:
    """Return the tags that open a fold, in their order."""
    html = "".join(node.astext() for node in doctree.findall(nodes.raw))
    return re.findall(r"<details[^>]*>", html)


def with_folds(*html: str) -> nodes.document:
    """Return a page of HTML; what does not begin with a tag is a paragraph."""
    doctree = new_document("page", get_default_settings())
    for part in html:
        is_text = not part.startswith("<")
        doctree += nodes.paragraph("", part) if is_text else nodes.raw("", part, format="html")
    return doctree


@pytest.mark.parametrize("title", ["Hint 1", "힌트 1", "Answer, once you have yours", "A remark"])
def test_what_is_folded_above_a_check_is_a_hint_whatever_its_title(app: Any, title: str):
    above = f"<details><summary>{title}</summary>"
    doctree = with_folds("Write it.", above, "Add.", f"</details>\n{above}", "x", "</details>")
    doctree += page('check("toy", toy)').children
    doctree += with_folds(above, "Behind the check.", "</details>").children
    shown_answers.add_blocks(app, doctree)
    assert folds_of(doctree) == ['<details class="hint">'] * 2 + ["<details>"]


@pytest.mark.parametrize("sign", ["a)", "가)", "①"])
def test_the_options_beside_the_right_one_are_the_wrong_ones(app: Any, sign: str):
    plain, right = (
        f"<details><summary>{sign}</summary>",
        f'<details class="quiz-right"><summary>{sign}',
    )
    doctree = with_folds(
        plain, "A remark.", "</details>",
        "1. Which?", plain, "No.", f"</details>\n{right}", "Yes.", "</details>\n",
        plain, "No.", "</details>",
        "2. Which?", right, "Yes.", f"</details>\n{plain}", "No.", "</details>",
        "And now:", plain, "Another remark.", "</details>",
    )  # fmt: skip
    shown_answers.add_blocks(app, doctree)
    is_right, is_wrong = (f'<details class="{kind}">' for kind in (folds.RIGHT, folds.WRONG))
    remark = "<details>"
    assert folds_of(doctree) == [
        remark, is_wrong, is_right, is_wrong, is_right, is_wrong, remark
    ]  # fmt: skip
    assert doctree.astext().count("No.") == 3


# ---- The quizzes of the course: no option sticks out


LONGER = 1.25  # times the longest wrong option: what a right one may have at most
LONGEST = 0.4  # the largest share of the questions whose right option is the longest
OPTION = re.compile(
    r'<details(?P<right> class="quiz-right")?><summary>(?P<sign>[a-z])\) (?P<text>.*?)</summary>'
)


def questions() -> list[tuple[str, str, list[str]]]:
    """Return of each question of the course its place, the right option and the wrong ones."""
    found: list[tuple[str, list[tuple[bool, str]]]] = []
    for path in sorted(ROOT.glob("chapters/*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if folds.RIGHT not in cell.source:
                continue
            for option in OPTION.finditer(cell.source):
                if option["sign"] == "a":
                    found.append((path.stem, []))
                plain = unescape(re.sub(r"<[^>]+>", "", option["text"]))
                found[-1][1].append((bool(option["right"]), plain))
    asked = []
    for place, options in found:
        (right,) = (text for is_right, text in options if is_right)
        asked.append((place, right, [text for is_right, text in options if not is_right]))
    return asked


def test_the_right_option_of_a_question_is_not_known_by_its_length():
    asked = questions()
    assert len({place for place, _, _ in asked}) == len(list(ROOT.glob("chapters/*.ipynb")))
    longest = [(place, right, max(map(len, wrong))) for place, right, wrong in asked]
    assert [each for each in longest if len(each[1]) > LONGER * each[2]] == []
    assert sum(len(right) > most for _, right, most in longest) <= LONGEST * len(asked)


def test_the_script_that_opens_folds_for_paper_asks_no_language():
    script = (ROOT / "book/_static/book.js").read_text("utf-8")
    shut = re.search(r'const shut = "([^"]+)"', script)
    assert shut is not None
    assert {
        f".{kind}" for kind in (folds.HINT, folds.RIGHT, folds.WRONG, "key", "wrong-answers")
    } <= set(shut[1].split(", "))
    assert not re.search(r"\b(Hint|Answer|Solution|Table)\b", re.sub(r"//.*", "", script))


STUB_OF_TEST = 'def test_toy(toy):\n    ...\n\n\ncatch("toy", test_toy)'


def test_tests_stand_folded_below_the_stub_of_a_test_alone(
    app: Any, monkeypatch: pytest.MonkeyPatch
):
    say(monkeypatch, TESTS)
    written = 'def test_toy(toy):\n    assert toy\n\n\ncatch("toy", test_toy)'
    doctree = page('check("toy", toy)', STUB_OF_TEST, written)
    shown_answers.add_blocks(app, doctree)
    kinds = [type(node).__name__ for node in doctree.children]
    assert kinds == ["container", "WrongAnswers", "container", "Tests", "container"]
    shown = SimpleNamespace(
        body=[],
        highlighter=SimpleNamespace(highlight_block=lambda code, language: f"<pre>{code}</pre>"),
    )
    with pytest.raises(nodes.SkipNode):
        block.visit_tests(shown, doctree.children[3])
    (text,) = shown.body
    assert text.startswith('<div class="wrong-answers tests"><details><summary>A typical test')
    names = re.findall(r'<label for="([^"]*)">([^<]*)<', text)
    assert names == [("test-toy-1", "A typical test"), ("test-toy-2", "A strong test")]
    assert text.count("<div") == text.count("</div>")


def test_a_test_of_which_there_is_none_of_ours_is_a_warning(
    app: Any, monkeypatch: pytest.MonkeyPatch
):
    warnings: list[str] = []
    logger = SimpleNamespace(warning=lambda message, location: warnings.append(message))
    monkeypatch.setattr(shown_answers, "logger", logger)
    shown_answers.add_blocks(app, page('check("toy", toy)', STUB_OF_TEST))
    assert warnings == ["toy: there is no test of ours"]


def html(**changes: Any) -> str:
    links = {"Here": "https://here/?a=1&b=2"}
    given = {"slug": "toy", "shown": TOY, "links": links, "help_page": "how.html#run"}
    return block.as_html(**{**given, **changes}, highlight=lambda source: f"<pre>{source}</pre>")


def test_each_answer_has_a_button_named_by_its_mistake_and_the_first_is_chosen():
    text = html()
    assert re.findall(r'<label for="([^"]*)">([^<]*)<', text) == [
        ("wrong-toy-1", "Reader\N{RIGHT SINGLE QUOTATION MARK}s axis"),
        ("wrong-toy-2", "W missing"),
    ]
    assert re.findall(r'id="(wrong[^"]*)" autocomplete="off"( checked)?>', text) == [
        ("wrong-toy-1", " checked"),
        ("wrong-toy-2", ""),
    ]
    assert len(set(re.findall(r'<input type="radio" name="([^"]*)"', text))) == 1


def test_reports_and_solution_are_folded_in_order_and_links_are_escaped():
    text = html()
    folded = ["a = 1\nb = 2", "<p>One</p>", "c = 3", "<pre>1\n2</pre>", "</details>"]
    parts = ["<details><summary>Two wrong", *folded, "<details><summary>Solution", "d = 4"]
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert 'href="https://here/?a=1&amp;b=2">Here</a>' in text
    assert text.count("<div") == text.count("</div>")


def test_the_addresses_name_repository_branch_notebook_and_cell():
    assert launch.addresses(THEME, PAGE, "stub-cell") == {
        "JupyterLab": "http://localhost:8888/lab/workspaces/exercises/tree/09_toy.ipynb#cell-id=stub-cell",
        "Colab": "https://colab/github/owner/name/blob/draft/chapters/09_toy.ipynb"
        "#scrollTo=stub-cell",
        "Binder": "https://binder/v2/gh/owner/name/draft?urlpath=lab/tree/chapters/09_toy.ipynb",
    }


# ---- What is shown of the course's exercises


WEAK = 0.6  # the largest share of the mistakes that a weak test catches
ASKED = [slug for slug, exercise in catalog().items() if exercise.tests]


@pytest.mark.parametrize("slug", catalog())
def test_of_each_exercise_two_mistakes_are_shown_as_a_reader_writes_them(slug: str):
    shown = said.answers(catalog()[slug])
    assert len({answer["mistake"] for answer in shown}) == len(shown) == 2
    for answer in shown:
        assert f"def {catalog()[slug].answer_name}(" in answer["source"]
        assert answer["html"].startswith('<div class="bottomup-report bottomup-failed"><strong>')
        assert "style=" not in answer["html"]


@pytest.mark.slow
@pytest.mark.parametrize("slug", ASKED)
def test_a_weak_a_typical_and_a_strong_test_are_apart(slug: str):
    exercise = catalog()[slug]
    weak, typical, strong = (
        said.catch_of(exercise, exercise.tests[kind]) for kind in exercise.tests
    )
    assert weak.outcomes and weak.caught <= WEAK * weak.mistakes, weak
    assert weak.caught < typical.caught < typical.mistakes, typical
    assert strong.passed, (strong, strong.survivor(diagnosis=True))


@pytest.mark.slow
def test_the_page_shows_a_typical_and_a_strong_test_with_a_survivor_of_the_typical_one():
    typical, strong = said.of("masked-softmax")["tests"]
    assert (typical["kind"], strong["kind"]) == ("typical", "strong")
    assert ", a survivor" in typical["html"] and ", a survivor" not in strong["html"]
    assert said.of("no-exercise") == {}
