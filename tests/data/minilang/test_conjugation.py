"""The conjugator against the hand-written table and against the traps of the grammar."""

import pytest

from bottomup.data.minilang.grammar.conjugation import IRREGULAR, conjugate, irregular_class
from bottomup.data.minilang.lexicon.modifiers import ADJECTIVES
from bottomup.data.minilang.lexicon.senses import SENSES
from tests.data.minilang.forms import FORMS


def test_conjugator_equals_the_table():
    wrong = {f: conjugate(f[0], f[1:]) for f, w in FORMS.items() if conjugate(f[0], f[1:]) != w}
    assert wrong == {}
    assert len(FORMS) > 1_000


def test_table_holds_every_stem_of_the_lexicon():
    stems = {s for sense in SENSES for s in (sense.stem, sense.honorific, sense.humble)}
    stems |= {sense.negative for sense in SENSES} | {sense.refusal for sense in SENSES}
    stems |= {s for adjective in ADJECTIVES for s in (adjective.stem, adjective.honorific)}
    assert stems - {""} <= {form[0] for form in FORMS}


def test_every_irregular_stem_is_in_the_table():
    assert set(IRREGULAR) <= {form[0] for form in FORMS}


@pytest.mark.parametrize(
    ("stem", "endings", "written"),
    [
        ("듣", "-었 -다", "들었다"),
        ("닫", "-었 -다", "닫았다"),
        ("돕", "-었 -다", "도왔다"),
        ("잡", "-었 -다", "잡았다"),
        ("부르", "-었 -다", "불렀다"),
        ("짓", "-었 -다", "지었다"),
        ("웃", "-었 -다", "웃었다"),
        ("하", "-었 -다", "했다"),
        ("보", "-었 -다", "봤다"),
        ("빨갛", "-ㄴ", "빨간"),
        ("하얗", "-었 -다", "하얬다"),
        ("만들", "-느 -다", "만든다"),
        ("만들", "-ㅂ니다", "만듭니다"),
        ("만들", "-ㄴ", "만든"),
        ("만들", "-ㄹ", "만들"),
        ("만들", "-으러", "만들러"),
        ("듣", "-ㄹ", "들을"),
        ("듣", "-으러", "들으러"),
        ("읽", "-으러", "읽으러"),
        ("사", "-으러", "사러"),
        ("읽", "-느 -ㄴ", "읽는"),
        ("돕", "-ㄴ", "도운"),
        ("작", "-ㄴ", "작은"),
        ("재미있", "-느 -ㄴ", "재미있는"),
        ("읽", "-으시 -었 -다", "읽으셨다"),
        ("읽", "-으시 -느 -다", "읽으신다"),
        ("읽", "-으시 -ㅂ니다", "읽으십니다"),
        ("드시", "-었 -다", "드셨다"),
        ("가", "-었 -기", "갔기"),
        ("먹", "-었 -지만", "먹었지만"),
        ("읽", "-느", "읽는"),
    ],
)
def test_trap_is_conjugated_correctly(stem, endings, written):
    assert conjugate(stem, tuple(endings.split())) == written


def test_irregular_class_of_regular_and_irregular_stems():
    assert [irregular_class(s) for s in ("듣", "닫", "돕", "입", "공부하")] == [
        "ㄷ",
        "",
        "ㅂ",
        "",
        "하",
    ]


def test_conjugate_is_total_on_text_that_is_no_korean():
    assert conjugate("<unk>", ("-었", "-다")) == "<unk>었다"
