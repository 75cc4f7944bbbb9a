"""What a page holds round an exercise that can be answered in it, and the progress it keeps."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import answer_here
import nbformat
import pytest
from answer_here import block, words
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.utils import new_document
from shown_answers import CHECK
from shown_answers import block as shown_below

from bottomup.exercises import catalog, progress
from bottomup.exercises.engine.progress_file import remember_entry, remember_test
from tests.explorables import node
from tools.notebooks.paths import ROOT, all_chapters

PAGE = "chapters/09_toy"
STATIC = ROOT / "book/_static"
SLUG = "temperature"  # an exercise with a test
STUB = catalog()[SLUG].stub
CALL = 'from bottomup.exercises import check\n\ncheck("temperature", softmax_with_temperature)'
TEST = f'{catalog()[SLUG].test_stub}\n\ncatch("temperature", test_softmax_with_temperature)'


@pytest.fixture
def app(tmp_path: Path) -> Any:
    """What the extension asks of Sphinx, in a book with one chapter."""
    env = SimpleNamespace(docname=PAGE, metadata={PAGE: {}}, srcdir=tmp_path)
    added: list[Any] = []
    return SimpleNamespace(
        env=env,
        srcdir=tmp_path,
        outdir=str(tmp_path),
        builder=SimpleNamespace(format="html"),
        config=SimpleNamespace(translated_from=""),
        added=added,
        add_css_file=lambda name: added.append(name),
        add_js_file=lambda name, **attributes: added.append((name, attributes)),
    )


def cell(source: str) -> nodes.container:
    shown = nodes.container("", nodes.literal_block(source, source))
    return nodes.container("", shown, nb_element="cell_code")


def page(*parts: nodes.Node) -> nodes.document:
    doctree = new_document("page", get_default_settings())
    doctree.extend(parts)
    return doctree


def kinds(element: nodes.Element) -> list[str]:
    return [type(each).__name__ for each in element.children]


def test_a_block_holds_the_stub_its_check_and_what_is_shown_below(app: Any):
    said = nodes.paragraph("", "Write it.")
    doctree = page(
        said, cell(STUB), cell(CALL), shown_below.WrongAnswers(), nodes.paragraph("", "Next.")
    )
    answer_here.wrap_exercises(app, doctree)
    assert kinds(doctree) == ["paragraph", "AnswerHere", "paragraph"]
    made = doctree.children[1]
    assert kinds(made) == ["container", "container", "WrongAnswers"]
    assert (made["slug"], made["kind"], made["folder"]) == (SLUG, "check", "self_attention")
    assert (made["stub"], made["hints"]) == (STUB, len(catalog()[SLUG].hints))


def test_the_block_of_a_test_holds_its_one_cell_and_no_hints(app: Any):
    doctree = page(
        cell(STUB), cell(CALL), shown_below.WrongAnswers(), cell(TEST), shown_below.Tests()
    )
    answer_here.wrap_exercises(app, doctree)
    assert kinds(doctree) == ["AnswerHere", "AnswerHere"]
    made = doctree.children[1]
    assert kinds(made) == ["container", "Tests"]
    assert (made["kind"], made["hints"]) == ("catch", 0)
    assert made["stub"] == catalog()[SLUG].test_stub


@pytest.mark.parametrize(
    "source", ['check("no-such-exercise", f)', "check", TEST.replace("...", "1")]
)
def test_what_is_no_exercise_to_write_stays_as_it_is(app: Any, source: str):
    doctree = page(cell(STUB), cell(source))
    answer_here.wrap_exercises(app, doctree)
    assert kinds(doctree) == ["container", "container"]


def opened(**changes: Any) -> str:
    """Return the tag that opens a block."""
    about = {"slug": "toy", "kind": "check", "folder": "attention", "hints": 2, "stub": "a\n\n"}
    shown = SimpleNamespace(body=[])
    block.visit(shown, block.AnswerHere(**about | changes))
    block.depart(shown, block.AnswerHere())
    tag, closed = shown.body
    assert closed == "</div>\n"
    return str(tag)


def test_the_tag_names_exercise_folder_and_kind_and_keeps_the_stub_whole():
    tag = opened(stub='def f(x):\n    """A "<b>" & c."""\n    ...\n\n')
    assert tag.startswith('<div class="answer-here" data-exercise="toy" data-kind="check"')
    assert 'data-folder="attention" data-hints="2"' in tag
    assert '&quot;&lt;b&gt;&quot; &amp; c.&quot;&quot;&quot;\n    ...\n">' in tag


def test_a_test_does_not_go_by_the_name_of_its_exercise():
    tag = opened(kind="catch")
    assert 'data-exercise-test="toy"' in tag and "data-exercise=" not in tag


def added(app: Any, doctree: nodes.document) -> list[Any]:
    context = {"pathto": lambda page, resource=0: f"../{page}" + ("" if resource else ".html")}
    answer_here.add_files(app, PAGE, "page.html", context, doctree)
    return list(app.added)


@pytest.mark.parametrize(("source", "files"), [("", "../"), ("../..", "../../")])
def test_the_files_are_those_of_the_english_site(app: Any, source: str, files: str):
    app.config.translated_from = source
    style, (_name, data), (script, _attributes) = added(app, page(block.AnswerHere()))
    assert (style, script) == ("answer_here.css", "answer_here.js")
    about = json.loads(data["body"])
    assert about["files"] == f"{files}_static/answer_here/"
    assert about["exercises"] == "../book/exercises.html"
    assert about["count"] == len(catalog())
    assert "<" not in data["body"]


def test_the_script_says_nothing_that_is_not_translated():
    script = STATIC.joinpath("answer_here.js").read_text("utf-8")
    asked = set(re.findall(r"words\.(\w+)", script)) | set(re.findall(r'button\("(\w+)"', script))
    by_name = {"solution", "tests", "silent", "byReader"}  # chosen as it runs
    assert asked | by_name == set(words.for_script())


def test_a_message_has_the_parts_that_the_script_fills_in():
    script = STATIC.joinpath("answer_here.js").read_text("utf-8")
    parts = set(re.findall(r"\{(\w+)\}", " ".join(words.for_script().values())))
    for part in parts - {"command", "address"}:  # split at these, in this order
        assert re.search(rf"\b{part}\b", script), part
    command, address = words.for_script()["serve"].index("{command}"), words.for_script()["serve"]
    assert command < address.index("{address}")


@pytest.mark.parametrize("made", [None, '{"first": 5}'])
def test_what_is_made_is_copied_and_where_nothing_is_the_sizes_say_so(app: Any, made: str | None):
    if made:
        Path(app.srcdir, answer_here.MADE).mkdir(parents=True)
        Path(app.srcdir, answer_here.MADE, "sizes.json").write_text(made, "utf-8")
    answer_here.copy_files(app, None)
    sizes = Path(app.outdir, "_static/answer_here/sizes.json")
    assert json.loads(sizes.read_text("utf-8")) == json.loads(made or "{}")


@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem)
def test_the_hints_are_the_last_folds_above_a_check(path: Path):
    text = ""
    for each in nbformat.read(path, as_version=4).cells:
        if each.cell_type == "markdown":
            text += each.source
        elif found := CHECK.search(each.source):
            above = re.split(r"^### ", text, flags=re.MULTILINE)[-1]
            count = len(catalog()[found[1]].hints)
            names = re.findall(r"<summary>(.*?)</summary>", above)[-count:]
            assert names == [f"Hint {number}" for number in range(1, count + 1)], found[1]


def test_the_page_keeps_progress_as_the_notebook_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def noted(name: str) -> Path:
        monkeypatch.setenv("BOTTOMUP_PROGRESS", str(tmp_path / name))
        return tmp_path / name

    checks = [
        ("aer", False, "ratio-alone"), ("aer", True, None), ("aer", False, "ratio-alone"),
        ("aer", False, "sides-exchanged"), ("causal-mask", False, None),
    ]  # fmt: skip
    tests = [("temperature", 3), ("temperature", 7), ("temperature", 5)]
    here, there = noted("here.json"), tmp_path / "there.json"
    for check in checks:
        remember_entry(*check)
    for test in tests:
        remember_test(*test)
    noted("there.json")
    remember_entry("aer", False, "sides-exchanged")
    remember_entry("bed 4", True)
    noted("here.json")
    alone = json.loads(here.read_text("utf-8"))
    progress(add=there)
    given = {
        "script": (STATIC / "progress.js").as_uri(),
        "checks": checks,
        "tests": tests,
        "alone": alone,
        "there": there.read_text("utf-8"),
        "both": json.loads(here.read_text("utf-8")),
    }
    node.check(Path(__file__).with_name("progress.test.js"), given, tmp_path)
