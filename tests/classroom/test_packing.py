"""What a hand-out carries: enough to check as the course does, and no answer."""

import base64
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bottomup.classroom import code, commands, giving_away, notebook, packing
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.registry import find, places, text_file
from bottomup.exercises.engine.texts import read_text
from tests.classroom.conftest import SLUGS

# Lines of an answer that a check itself needs, each with the reason.
NEEDED = {
    "recompute": {
        "from torch.autograd.graph import saved_tensors_hooks": "what is kept is counted with it",
        "function(*args, **kwargs)": "the function that is wrapped is called",
    },
    "induction-by-hand": {"d_model = 3 * symbols + positions": "the stub says it in words"},
}
IMPORTS = "import math, torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
ASK = """
import json, sys
sys.modules["bottomup"] = None
sys.path.insert(0, sys.argv[1])
from checks import check
for line in sys.stdin:
    slug, name, source = json.loads(line)
    space = {}
    exec(sys.argv[2] + source, space)
    report = check(slug, space[name])
    print(json.dumps([repr(report), report._repr_html_(), report.mistake, report.score]))
"""


def unpacked(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as found:
        return {name: found.read(name) for name in found.namelist()}


@pytest.mark.parametrize("slug", places())
def test_each_exercise_can_be_handed_out_without_an_answer_or_the_library(slug: str):
    exercise = find(slug)
    modules, files = packing.of_exercise(exercise, exercise.cases, with_outcomes=False)
    ours = f"bottomup.exercises.{places()[slug]}."
    assert all(module.startswith(ours) for module in modules)
    said = b"\n".join([*files.values(), *(text.encode() for text in modules.values())])
    lines = {*giving_away.lines_of_answers(slug), *lines_of_forms(slug)}
    assert {line for line in lines if line.encode() in said} == set(NEEDED.get(slug, ()))
    assert not any(hint.encode() in said for hint in exercise.hints)


def lines_of_forms(slug: str) -> set[str]:
    """The lines that an edit makes, where they say more than a stub or a case does."""
    text = read_text(text_file(places()[slug], slug))
    known = {line.strip() for line in (text.solution + text.stub).splitlines()}
    forms = [form for mistake in text.mistakes.values() for form in mistake.forms if form.edit]
    lines = {line.strip() for form in forms for line in form.source.splitlines()} - known
    return {
        line for line in lines if len(line) >= giving_away.TRIVIAL and not line.startswith("def ")
    }


@pytest.mark.parametrize("slug", places())
def test_the_lesson_that_goes_along_holds_no_line_of_a_right_answer(slug: str):
    exercise = find(slug)
    path = notebook.chapter_file(exercise.chapter, notebook.CHAPTERS)
    cells = list(notebook.of_chapter([exercise], path))
    assert [cell["source"] for cell in cells[-2:]] == [exercise.stub.rstrip(), exercise.check_line]
    text = "\n".join(cell["source"] for cell in cells)
    assert exercise.title in text
    assert "solution(" not in text
    assert not any(hint in text for hint in exercise.hints)
    assert "※" not in text
    assert "<details>" not in cells[-3]["source"]  # the statement
    assert [line for line in giving_away.lines_of_answers(slug) if line in text] == []


@pytest.mark.parametrize(
    ("slug", "line"),
    [
        ("causal-mask", "mask = torch.ones(5, 5).tril().bool()"),
        ("split-merge-heads", "split = x.reshape(1, 4, 2, 3).transpose(1, 2)"),
        ("ffn-as-memory", "on = (x @ NEURONS.T + BIAS).relu()"),
        ("layer-norm", "x = x - x.mean(-1)\ny = x / x.square().mean(-1).sqrt()"),
    ],
)
def test_code_that_calls_what_an_answer_calls_gives_it_away(slug: str, line: str):
    assert giving_away.gives_away(f"first = 1\n{line}", slug)
    assert not giving_away.gives_away("y = x.mean(dim=-1)\n%magic", slug)
    assert not giving_away.gives_away("y = x.mean(dim=-1)", slug)


def test_an_equation_that_is_cited_from_elsewhere_goes_along():
    exercise = find("ffn-as-memory")
    cells = notebook.of_chapter([exercise], notebook.chapter_file("04", notebook.CHAPTERS))
    text = "\n".join(cell["source"] for cell in cells)
    assert text.index(r"\tag{5}") < text.index("Then (5) becomes a sum")
    assert text.count(r"\tag{5}") == 1


def test_exercises_stand_in_the_order_of_the_book(handed_out: Path):
    assert commands.handed_out(handed_out) == ["stable-softmax", "causal-mask"]


def test_an_exercise_is_asked_for_by_name_or_number(tmp_path: Path, capsys):
    assert commands.asked("layer-norm") == commands.asked("4.1") == "layer-norm"
    assert commands.main(["hand-out", "layernorm", "--to", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "no exercise 'layernorm'" in said
    assert "layer-norm" in said
    assert commands.main(["hand-out", "causal-mask", "--to", str(tmp_path)]) == 0
    assert "causal-mask: there are no hidden cases" in capsys.readouterr().out


def test_reports_of_a_hand_out_are_those_of_the_course_but_for_the_edit(handed_out: Path):
    asked = []
    for slug in SLUGS:
        exercise = find(slug)
        sources = [exercise.source, exercise.stub]
        sources += [form.source for each in exercise.mistakes for form in each.forms if form.source]
        asked += [[slug, exercise.answer_name, source] for source in sources]
    done = subprocess.run(
        [sys.executable, "-c", ASK, handed_out / "checks.zip", IMPORTS],
        input="\n".join(map(json.dumps, asked)), capture_output=True, encoding="utf-8", check=True,
        env=os.environ | {"CHECKS_PROGRESS": ""},
    )  # fmt: skip
    for (slug, name, source), line in zip(asked, done.stdout.splitlines(), strict=True):
        text, html, mistake, score = json.loads(line)
        space: dict[str, object] = {}
        exec(IMPORTS + source, space)
        report = examine(find(slug), space[name])
        assert (mistake, score) == (report.mistake, report.score)
        assert text == repr(report).replace(f' hint("{slug}") gives a first hint.', "")
        assert "behaves like the solution" not in html


def test_the_notebook_holds_the_very_archive_and_says_version_and_day(handed_out: Path):
    made = json.loads((handed_out / "exercises.ipynb").read_text("utf-8"))
    held = re.search(r'CHECKS = """\n(.*?)"""', made["cells"][1]["source"], re.DOTALL)
    archive = (handed_out / "checks.zip").read_bytes()
    assert base64.b64decode(held[1]) == archive
    assert "2026-03-01" in made["cells"][0]["source"]
    assert packing.bottomup.__version__ in made["cells"][0]["source"]
    names = unpacked(archive)
    assert not any("text.md" in name or "texts" in name or "hints" in name for name in names)
    assert sorted(json.loads(names["checks/handed_out/exercises.json"])) == sorted(SLUGS)


def test_of_a_module_only_that_stays_which_is_asked_for(monkeypatch: pytest.MonkeyPatch):
    source = "from math import pi, tau\nimport torch\nA = pi\n\ndef f(): return A\n\ndef g(): ..."
    monkeypatch.setattr(code, "parsed", lambda _module: code.ast.parse(source))
    assert code.needed({"bottomup.made_up": {"f"}}) == {
        "bottomup.made_up": "from math import pi\nA = pi\n\ndef f():\n    return A"
    }
