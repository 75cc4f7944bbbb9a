"""The committed translations have no fault, and each fault that was planted is seen."""

from pathlib import Path

import pytest

from tools.translate import catalogue, check
from tools.translate.__main__ import main
from tools.translate.kept import faults, faults_of_string
from tools.translate.pages import all_pages

ENGLISH = (
    "The **head** reads `query` with $W_Q$, see [the mask](mask.md#mask): 0.91<!-- record: a/b "
    "c.mean .2f --> of 128 *words*, in {cite}`lin2017`, H<sub>2</sub>."
)
KOREAN = (
    "**헤드**는 `query`를 $W_Q$로 읽는다([마스크](mask.md#mask)). *단어* 128개 가운데 0.91<!-- "
    "record: a/b c.mean .2f -->이다({cite}`lin2017`, H<sub>2</sub>)."
)
# What is replaced in the right translation, by what, and what is said of it.
PLANTED = {
    "a formula lost": ("$W_Q$로", "그것으로", "math_inline W_Q"),
    "a formula changed": ("$W_Q$", "$W_K$", "math_inline W_K"),
    "code lost": ("`query`를", "쿼리를", "code_inline query"),
    "a link changed": ("mask.md#mask", "mask.md", "link mask.md"),
    "a record's comment lost": ("<!-- record: a/b c.mean .2f -->", "", "record: a/b"),
    "emphasis lost": ("*단어*", "단어", "'em': 1 in English, 0 here"),
    "a number changed": ("128", "182", "number 128 is lost"),
    "a number of one digit": ("*단어* 128", "*단어* 7절 128", "number 7 is not in English"),
    "a decimal lost": ("0.91", "", "number 0.91 is lost"),
    "bold that does not close": ("**헤드**는", "**헤드(head)**는", "a star is printed"),
    "a role lost": ("{cite}`lin2017`", "Lin", "lin2017"),
    "html lost": ("<sub>2</sub>", "2", "html_inline <sub>"),
    "another kind of block": ("**헤드**는", "- **헤드**는", "another kind of block"),
    "two lines": ("읽는다(", "읽는다\n(", "another number of lines"),
    "a cell more": ("읽는다(", "읽는다|(", "another cell"),
    "not translated": (KOREAN, ENGLISH, "not translated"),
    "a particle by its look": ("128개 가운데", "128를 두고", "particle: '8를'"),
}


def test_the_right_translation_has_no_fault():
    assert list(faults(ENGLISH, KOREAN)) == []


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_seen(fault: str):
    right, wrong, said = PLANTED[fault]
    assert right in KOREAN
    assert any(said in each for each in faults(ENGLISH, KOREAN.replace(right, wrong)))


@pytest.mark.parametrize(
    "english, korean, wrong",
    [
        ("{count} of {total:.1f} %", "{total:.1f} % 가운데 {count}", False),
        ("{count} of {total:.1f} %", "{total:.1f} % 가운데", True),
        ("{count} of {total:.1f} %", "{total} % 가운데 {count}", True),
        ("85 % of it", "그것의 85 %", False),
        ("85 % of it", "그것의 58 %", True),
        ("Use `mask`.", "mask를 쓰라.", True),
        ("{} before {}", "{} 앞의 {}", False),
    ],
)
def test_places_of_a_string_stay(english: str, korean: str, wrong: bool):
    assert bool(list(faults_of_string(english, korean))) == wrong


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("3은", "3는"), ("0.92가", "0.92이"), ("1이", "1가"), ("10을", "10를"), ("$n$은", "$n$는"),
        ("$d$는", "$d$은"), ("7로", "7으로"), ("6으로", "6로"), ("0.5<!-- record: x -->와", "5과"),
    ],
)  # fmt: skip
def test_a_particle_goes_by_the_sound(right: str, wrong: str):
    english = "At 3, 0.92, 1, 10, 7, 6, 0.5, 5, $n$ and $d$"
    said = [each for each in faults(english, right) if each.startswith("particle")]
    assert said == []
    assert any(each.startswith("particle") for each in faults(english, wrong))


@pytest.mark.parametrize("english, korean", [
    ("Forty thousand parameters", "매개변수 4만 개"), ("3.4 million of them", "340만 개"),
    ("half a minute", "30초"), ("nine tenths", "10분의 9"), ("nine tenths", "90%"),
    ("over a hundredth", "0.01 넘게"), ("one sentence in twenty", "문장의 5%"),
    ("both of zeros", "둘 다 0이다"), ("section 8 of chapter 01", "01장 8절"),
])  # fmt: skip
def test_a_number_may_be_written_as_korean_writes_it(english: str, korean: str):
    assert list(faults(english, korean)) == []


def write_planted(path: Path, edit: str) -> None:
    right = 'msgid "One."\nmsgstr "하나."\n'
    texts = {
        "right": right,
        "fuzzy": "#, fuzzy\n" + right,
        "empty": 'msgid "One."\nmsgstr ""\n',
        "obsolete": right + '\n#~ msgid "Two."\n#~ msgstr "둘."\n',
        "stale": right.replace("One.", "Once."),
        "undecodable": right + "msgstr 둘\n",
    }
    path.write_text(catalogue.HEADER.format(language="ko") + texts[edit], "utf-8")


@pytest.mark.parametrize(
    "edit, said",
    [("fuzzy", "not translated"), ("empty", "not translated"), ("obsolete", "obsolete"),
     ("stale", "not the messages of today"), ("right", "")],
)  # fmt: skip
def test_what_is_behind_is_no_fault_and_holds_up_a_release(tmp_path: Path, edit: str, said: str):
    path = tmp_path / "a.po"
    write_planted(path, edit)
    assert list(check.of_catalogue(path, faults)) == []
    found = list(check.behind_in(path, ["One."]))
    assert any(said in each for each in found) if said else found == []


def test_a_catalogue_that_is_not_understood_is_a_fault(tmp_path: Path):
    write_planted(tmp_path / "a.po", "undecodable")
    assert any("a.po" in each for each in check.of_catalogue(tmp_path / "a.po", faults))


def test_a_title_that_is_behind_in_one_catalogue_is_told_as_it_was(monkeypatch):
    page = next(page for page in all_pages() if page.name == "chapters/02_self_attention")
    own = catalogue.translations(catalogue.read(page.catalogue("ko")))
    told = check.headings_in_reports(page, own)
    assert list(check.told_alike(page, "ko", told)) == []
    title = "The causal mask"
    (other,) = check.told_alike(page, "ko", {**told, title: "다른 이름"})
    assert "다른 이름" in other
    assert list(check.told_alike(page, "ko", {k: v for k, v in told.items() if k != title})) == []


def test_only_a_release_fails_where_something_is_behind(monkeypatch, capsys):
    monkeypatch.setattr(check, "everything", lambda language: [])
    monkeypatch.setattr(check, "behind", lambda language: ["a.po: 'One.': not translated"])
    assert main(["check"]) == 0
    assert capsys.readouterr().out.startswith("1 behind, shown in English")
    assert main(["check", "--release"]) == 1
    assert "a.po: 'One.': not translated" in capsys.readouterr().out


@pytest.mark.slow
def test_the_committed_translations_have_no_fault():
    assert check.everything("ko") == []
