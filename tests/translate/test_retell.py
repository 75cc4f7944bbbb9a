"""What is told of stored outputs is what the package itself says in the other language."""

import json
import os
import re
import subprocess
import sys
from functools import cache

import nbformat
import pytest

from bottomup.exercises.engine.registry import find
from bottomup.exercises.ward.diagnosis import READINGS
from tools.notebooks import drawings
from tools.notebooks.paths import all_chapters
from tools.translate import catalogue, source, strings
from tools.translate.kept import HANGUL
from tools.translate.retell import CODE, PROSE, Teller

# In a process of its own: many strings are looked up when their module is imported.
SAY = """
import json, sys
from bottomup import i18n
i18n.catalogue = lambda name: Marked()
class Marked(dict):
    def get(self, message, otherwise): return f"⟦{message}⟧" if message in known else message
known = set(json.loads(sys.stdin.readline()))
from bottomup.exercises import check
from bottomup import results
import torch, math
said = {}
for slug, sources in json.loads(sys.stdin.readline()).items():
    for number, source in enumerate(sources):
        names = {"torch": torch, "math": math}
        exec(source, names)
        answers = [value for value in names.values() if type(value).__name__ == "function"]
        said[f"{slug} {number}"] = check(slug, answers[-1])._repr_html_()
said["claims"] = [each.sentence + " | " + each.rule.text for each in results.ledger()[:60]]
print(json.dumps(said))
"""
SLUGS = ("causal-mask", "scaled-dot-product-attention")


@cache
def known() -> list[str]:
    return [message for message, _ in strings.messages()]


def sources() -> dict[str, list[str]]:
    shown = {
        slug: [form.source for mistake in find(slug).mistakes for form in mistake.forms]
        for slug in SLUGS
    }
    return {slug: sources[:2] for slug, sources in shown.items()}


@cache
def said(*messages: str) -> dict[str, object]:
    given = json.dumps(messages) + "\n" + json.dumps(sources()) + "\n"
    environment = {**os.environ, "BOTTOMUP_LANGUAGE": "qps", "CI": "1"}
    done = subprocess.run(
        [sys.executable, "-c", SAY],
        input=given,
        env=environment,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def teller() -> Teller:
    return Teller({message: f"⟦{message}⟧" for message in known()})


@pytest.mark.slow
@pytest.mark.parametrize("key", [f"{slug} {n}" for slug in SLUGS for n in (0, 1)])
def test_a_report_is_told_as_a_kernel_says_it(teller: Teller, key: str):
    assert teller.html(str(said()[key])) == said(*known())[key]


@pytest.mark.slow
def test_claims_are_told_as_the_package_says_them(teller: Teller):
    english, own = said()["claims"], said(*known())["claims"]
    told = [" | ".join(map(teller.text, each.split(" | "))) for each in english]
    assert told == own


@pytest.mark.slow
def test_code_and_words_of_example_sentences_stay(teller: Teller):
    assert teller.html("<pre>query</pre><td>cat</td>") == "<pre>query</pre><td>cat</td>"


@pytest.mark.slow
def test_of_a_figures_data_the_labels_are_told(teller: Teller):
    payload = '{"labels":{"step":"Step","key":"window"},"x":["Step","window"]}'
    html = (
        '<script>\nconst { mount } = modules["steps/steps.js"];\n'
        f'const payload = {payload};\nconst style = "";\n</script>'
    )
    labels = ('"Step","key":"window"', '"⟦Step⟧","key":"⟦window⟧"')
    assert teller.html(html) == html.replace(*labels)


# ---- Which message is meant

LINES = {
    "It stops {asserts} by an assertion and {crashes} by a crash. Others pass.": (
        "오류 {crashes}, 단언 {asserts}. 나머지는 통과."
    ),
    "`survivor()` shows one.": "`survivor()`가 하나를 보인다.",
    "{few} and {some}": "{few}와(과) {some}",
    "{step} of {steps}": "{step}/{steps}",
    "In {name}: {sentence}": "{name}: {sentence}",
    "It differs by {largest:.1f}.": "차이는 {largest:.1f}.",
    "The {x} differs from {y} by one": "{y}와 {x}의 차이는 하나",
    "The {x} differs from {x} by one": "{x}에서 자기 자신을 뺀 차이는 하나",
    "three words": "단어 셋",
    "two rows": "행 둘",
    "Two layers, and one layer twice": "두 층, 그리고 두 번 쓰는 한 층",
    "one layer twice": "한 층을 두 번",
    " of value ": ", 이것이 들어 있는 값 ",
    "nearest at layer 1 LM and MLM": "1층에서 LM과 MLM이 가깝다",
    "Two starts are nearer (the {view}).": "시작점 둘이 가깝다({view}).",
    "Layer": "층",
}


@pytest.fixture(scope="module")
def of_lines() -> Teller:
    return Teller(LINES)


@pytest.mark.parametrize(
    ("english", "told"),
    [
        # Messages of several sentences, with others before and behind them.
        (
            "It stops 14 by an assertion and 0 by a crash. Others pass. `survivor()` shows one.",
            "오류 0, 단언 14. 나머지는 통과. `survivor()`가 하나를 보인다.",
        ),
        (
            "Layer: It stops 3 by an assertion and 2 by a crash. Others pass.",
            "층: 오류 2, 단언 3. 나머지는 통과.",
        ),
        ("Two layers, and one layer twice, 2", "두 층, 그리고 두 번 쓰는 한 층, 2"),
        # A short message is no proof: what it does not know stays, and so does the sentence.
        ("Weights of three words", "Weights of three words"),
        ("The first of them reads two rows and asks for more", None),
        ("three words and the rest of a sentence", None),
        ("three words, and what they weigh here", None),
        ("three words and two rows", "단어 셋와(과) 행 둘"),
        ("2 of 5", "2/5"),
        # A name between marks is what it is.
        ("In W_QK: three words", "W_QK: 단어 셋"),
        ("In the second of two rows: three words", "In the second of two rows: 단어 셋"),
        ("In W_QK: they are lost", None),
        # Where a number is written, no words stand.
        ("It differs by 0.5.", "차이는 0.5."),
        ("It differs by inf.", "차이는 inf."),
        ("It differs by a factor.", None),
        # One value in two places.
        ("The b differs from b by one", "b에서 자기 자신을 뺀 차이는 하나"),
        ("The b differs from c by one", "c와 b의 차이는 하나"),
        # Messages that link others, and those that stand in a table.
        ("2 of value 5", "2, 이것이 들어 있는 값 5"),
        ("| Layer | nearest at layer 1 LM and MLM |", "| 층 | 1층에서 LM과 MLM이 가깝다 |"),
        ("08.3a Two starts are nearer (the 300).", "08.3a 시작점 둘이 가깝다(300)."),
        ("the cat and the dog", None),
    ],
)
def test_a_text_is_told_by_the_message_that_it_is_made_of(
    of_lines: Teller, english: str, told: str | None
):
    assert of_lines.text(english) == (english if told is None else told)


# ---- What the chapters show


class Noting(Teller):
    """Notes what it has told."""

    def __init__(self, translations: dict[str, str]) -> None:
        super().__init__(translations)
        self.said_now: list[str] = []

    def text(self, text: str) -> str:
        told = super().text(text)
        self.said_now.append(told)
        return told


QUOTED = re.compile(r"“[^”]*”|\bet al\b|" + "|".join(map(re.escape, READINGS)))


def mixtures(texts: list[str], own: str, kept: set[str]) -> list[str]:
    """Return Korean texts with English prose that is neither quoted nor the chapter's own."""
    found = []
    for text in texts:
        bare = QUOTED.sub("–", CODE.sub("`", text))
        prose = [p for p in PROSE.findall(bare) if p not in own and not kept.issuperset(p.split())]
        if HANGUL.search(text) and prose:
            found.append(text)
    return found


@pytest.fixture(scope="module")
def korean() -> Noting:
    return Noting(catalogue.translations(catalogue.read(strings.catalogue("ko"))))


@pytest.mark.slow
@pytest.mark.parametrize("chapter", all_chapters(), ids=lambda path: path.stem)
def test_no_output_of_a_chapter_is_half_told(korean: Noting, chapter):
    for cell in nbformat.read(chapter, as_version=4).cells:
        # Drawings are made again in Korean.
        if cell.cell_type == "code" and drawings.TAG not in cell.metadata.get("tags", ()):
            korean.said_now.clear()
            source._tell(cell, korean)
            assert mixtures(korean.said_now, cell.source, korean.kept) == []
