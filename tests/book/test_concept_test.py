"""The concept test: every option is keyed, and every wrong one is a mistake of the catalogue."""

import re
import sys

import pytest

from tools.notebooks.paths import ROOT

sys.path.insert(0, str(ROOT / "book/_ext"))

from concept_key import read

PAGE = (ROOT / "book/concept_test.md").read_text(encoding="utf-8")
OPTIONS = {
    int(number): re.findall(r"^ +- ([A-D])\. ", options, re.M)
    for number, options in re.findall(r"^(\d+)\. .+\n((?: +- [A-D]\. .+\n)+)", PAGE, re.M)
}
KEY = [read(line) for line in re.findall(r"^\d+ [A-D] .+: .+$", PAGE, re.M)]


def test_each_question_has_a_key():
    assert list(OPTIONS) == [answer.number for answer in KEY] == list(range(1, 34))


@pytest.mark.parametrize("answer", KEY, ids=lambda answer: f"question-{answer.number}")
def test_each_option_is_the_right_one_or_has_a_diagnosis(answer):
    assert sorted([answer.right, *answer.diagnoses]) == OPTIONS[answer.number]
    assert len(set(answer.diagnoses.values())) == len(answer.diagnoses)


def test_the_right_letter_is_no_pattern():
    letters = [answer.right for answer in KEY]
    assert all(4 <= letters.count(letter) <= 11 for letter in "ABCD")
    assert all(len(set(letters[at : at + 4])) > 1 for at in range(len(letters) - 3))


@pytest.mark.parametrize(
    "line, said",
    [
        ("1 B stable-softmax", "expected 'NUMBER LETTER EXERCISE"),
        (
            "1 B stable-softmax: A no-such-mistake",
            "stable-softmax has no mistake 'no-such-mistake'",
        ),
    ],
)
def test_a_line_that_says_nothing_known_is_refused(line: str, said: str):
    with pytest.raises(ValueError, match=re.escape(said)):
        read(line)
