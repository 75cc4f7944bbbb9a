"""Stored outputs in another language: the messages that they are made of are told, and no more."""

import re
from html import unescape

import nbformat
import pytest

from bottomup.exercises.ward.diagnosis import READINGS
from bottomup.particles import with_particles
from tools.notebooks import drawings, marks, said
from tools.notebooks.check import IGNORED
from tools.notebooks.paths import all_chapters
from tools.translate import catalogue, drawn, strings
from tools.translate.kept import HANGUL
from tools.translate.retell import in_columns, korean, retell

TRANSLATIONS = {
    "It stops {asserts} by an assertion and {crashes} by a crash.": (
        "오류 {crashes}, 단언 {asserts}."
    ),
    "{title}, your test: {verdict}": "{title}, 작성한 테스트: {verdict}",
    "{caught} of {count} mistakes caught": "실수 {count}개 중 {caught}개를 잡음",
    "call `{name}`": "`{name}`을(를) 부르라",
    "Of {} and {:.1f}": "{}와(과) {:.1f}",
    "{few} and {some}": "{few}와(과) {some}",
    "A softmax": "소프트맥스",
    "three words": "단어 셋",
    "two rows": "행 둘",
    "block": "블록",
    "layer 1": "층 1",
}
say = marks.Language().get


def told(marked: str) -> str:
    """Return in Korean what the package says in the language of marks."""
    text = said.parsed(marked)
    assert said.in_english(text) == marks.HIDDEN.sub("", marked)
    return korean(text, TRANSLATIONS)


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        (say("three words"), "단어 셋"),
        ("three words", "three words"),  # nobody said so
        (
            say("It stops {asserts} by an assertion and {crashes} by a crash.").format(
                asserts=14, crashes=0
            ),
            "오류 0, 단언 14.",
        ),
        # A message in the place of another.
        (
            say("{title}, your test: {verdict}").format(
                title=say("A softmax"),
                verdict=say("{caught} of {count} mistakes caught").format(caught=5, count=17),
            ),
            "소프트맥스, 작성한 테스트: 실수 17개 중 5개를 잡음",
        ),
        (f"{say('three words')}: {say('two rows')}, 2", "단어 셋: 행 둘, 2"),
        (say("{few} and {some}").format(few=say("three words"), some="b"), "단어 셋과 b"),
        (say("{few} and {some}").format(few=say("two rows"), some="b"), "행 둘과 b"),
        (say("Of {} and {:.1f}").format(2, 0.25), "2와 0.2"),
        # Code stays code, also where a message has the same name.
        (say("call `{name}`").format(name="block"), "`block`를 부르라"),
        (say("No translation: {name}").format(name=say("block")), "No translation: 블록"),
        # A chapter's own label is told as a whole, but for names, or not at all.
        (say("LM, layer 1"), "LM, 층 1"),
        (say("captions, layer 1"), "captions, layer 1"),
        (say(say("block")), "블록"),
    ],
)
def test_a_text_is_told_by_its_messages(marked: str, expected: str):
    assert told(marked) == expected


@pytest.mark.parametrize(
    ("both", "one"),
    [
        ("“값”이(가) 3을(를)", "“값”이 3을"),
        ("8(으)로, 2(으)로, 6(으)로", "8로, 2로, 6으로"),
        ("{row}을(를)", "{row}을(를)"),  # a script fills the place
        ("소프트맥스은(는) 75%와(과)", "소프트맥스는 75%와"),
    ],
)
def test_the_particle_fits_the_sound(both: str, one: str):
    assert with_particles(both) == one


def test_marks_have_no_length_and_no_width():
    marked = say("call `{name}`").format(name="block")
    assert len(marked) == len("call `block`")
    for wide in (f"{marked:14}|", marked.ljust(14) + "|"):
        assert marks.HIDDEN.sub("", wide) == "call `block`  |"
    for wide in (f"{marked:>14}|", marked.rjust(14) + "|"):
        assert marks.HIDDEN.sub("", wide) == "  call `block`|"


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        (f"{say('block'):9} 0.5", "블록      0.5"),
        (f"  {say('block'):>9} 0.5", "       블록 0.5"),
        (f"{say('block')} 0.5", "블록 0.5"),  # a space is no gap
        (f"{say('A softmax'):10}{say('two rows'):10}x", "소프트맥스 행 둘    x"),  # one stays
        (f"1 {say('block')}", "1 블록"),
        (f"{'loss':9}{say('block')}", "loss     블록"),
    ],
)
def test_what_is_printed_stands_in_its_columns(marked: str, expected: str):
    assert in_columns(said.parsed(marked), TRANSLATIONS) == expected


def test_printed_lines_are_told():
    cell = nbformat.v4.new_code_cell(id="a")
    cell.outputs = [nbformat.v4.new_output("stream", text=f"{say('block')} 1\nblock 2\n")]
    found = [("a", *each) for each in said.of_cell(cell)]
    cell.outputs[0].text = "block 1\nblock 2\n"
    shown = nbformat.v4.new_notebook(cells=[cell])
    retell(shown, found, TRANSLATIONS)
    assert cell.outputs[0].text == "블록 1\nblock 2\n"  # of the second, nobody said it


# ---- What the chapters show

CODE = re.compile(r"`[^`]*`")
# Words in a row, as in a sentence; names of code and of people come one or two at a time.
PROSE = re.compile(r"(?:[A-Za-z]{2,}[ ,]+){2}[A-Za-z]{2,}")
QUOTED = re.compile(r"“[^”]*”|\bet al\b|" + "|".join(map(re.escape, READINGS)))
OF_THE_PACKAGE = re.compile(r'class="bottomup-(?:report|drawing|explorable)')


BOTH_LEFT = re.compile(r"[은는이가을를와과]\([은는이가을를와과]\)|\(으\)로")


def labels(text: said.Text) -> list[str]:
    """Return the messages of a text that have no places, the longest first."""
    if isinstance(text, str):
        return []
    parts = text if isinstance(text, list) else [*text.get("places", {}).values()]
    own = [text["message"]] if isinstance(text, dict) and not parts else []
    return sorted([*own, *(each for part in parts for each in labels(part))], key=len)[::-1]


def is_mixture(text: said.Text, told: str, source: str, kept: set[str]) -> bool:
    """Say whether a Korean text has English prose, but quotations and a chapter's own labels."""
    bare = QUOTED.sub("–", CODE.sub("`", told))
    for label in labels(text):
        bare = bare.replace(label, "–")
    prose = [p for p in PROSE.findall(bare) if p not in source and not kept.issuperset(p.split())]
    return bool(HANGUL.search(told) and prose)


@pytest.mark.slow
@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem)
def test_what_is_stored_of_a_chapter_stands_in_its_outputs(path):
    found = {(cell, place, said.in_english(text)) for cell, place, text in said.stored(path)}
    cells = nbformat.read(path, as_version=4).cells
    shown = set()
    for cell in cells:

        def note(place: str, text: str, cell: str = cell.id) -> str:
            shown.add((cell, place, text))
            return text

        for data in said.told_outputs(cell):
            said.replaced(data["text/html"], note)
            is_noted = any(each[0] == cell.id for each in found)
            assert is_noted or not OF_THE_PACKAGE.search(data["text/html"]), cell.source
        for output in said.printed_outputs(cell):
            said.by_line(output.text, note)
    ignored = {each.id for each in cells if IGNORED in each.metadata.get("tags", ())}
    assert {each for each in found - shown if each[0] not in ignored} == set()


@pytest.mark.slow
@pytest.mark.parametrize("path", all_chapters(), ids=lambda path: path.stem)
def test_no_output_of_a_chapter_is_half_told(path):
    translations = catalogue.translations(catalogue.read(strings.catalogue("ko")))
    source = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    kept = drawn.example_words()
    for _cell, _place, text in said.stored(path):
        english, other = said.in_english(text), korean(text, translations)
        is_filled = not marks.PLACE.search(other)  # by Python; else by the figure's script
        assert not (is_filled and BOTH_LEFT.search(other)), other
        assert sorted(CODE.findall(english)) == sorted(CODE.findall(other))
        assert not is_mixture(text, other, source, kept), other


def test_a_notebook_is_told_where_the_package_speaks():
    html = '<p title="Step">Step &amp; <code>Step</code></p><pre>Step</pre><td>Step</td>'
    cell = nbformat.v4.new_code_cell(
        id="a", outputs=[nbformat.v4.new_output("display_data", {"text/html": html})]
    )
    notebook = nbformat.v4.new_notebook(cells=[cell])
    retell(notebook, [("a", "", [{"message": "Step"}, " & `Step`"])], {"Step": "걸음"})
    assert unescape(cell.outputs[0].data["text/html"]) == unescape(
        html.replace("Step &amp; <code>Step", "걸음 &amp; <code>Step")
    )
    assert drawings.TAG not in cell.metadata
