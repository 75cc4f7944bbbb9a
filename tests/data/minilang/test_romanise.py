"""Revised Romanisation, by examples of the standard and of the corpus."""

import pytest

from bottomup.data.minilang import romanise


@pytest.mark.parametrize(
    ("korean", "roman"),
    [
        ("한국어", "hangugeo"),
        ("책을 읽었다.", "chaegeul ilgeotda."),
        ("읽는", "ingneun"),
        ("읽고", "ilgo"),
        ("읽기", "ilgi"),
        ("좋습니다", "joseumnida"),
        ("않습니다", "anseumnida"),
        ("하얗지만", "hayachiman"),
        ("앉고", "ango"),
        ("넓지만", "neoljiman"),
        ("부엌에서", "bueokeseo"),
        ("박물관", "bangmulgwan"),
        ("월요일에", "woryoire"),
        ("값", "gap"),
        ("없다", "eopda"),
        ("앉아", "anja"),
        ("않는", "anneun"),
        ("싫어", "sireo"),
        ("좋은", "joeun"),
        ("좋다", "jota"),
        ("많은", "maneun"),
        ("같이", "gachi"),
        ("먹는", "meongneun"),
        ("갑니다", "gamnida"),
        ("설날", "seollal"),
        ("신라", "silla"),
        ("심리", "simni"),
        ("독립", "dongnip"),
        ("별내", "byeollae"),
        ("꽃에", "kkoche"),
        ("학생", "haksaeng"),
        ("영화", "yeonghwa"),
        ("못하다", "motada"),
        ("할머니께서는", "halmeonikkeseoneun"),
        ("-께서", "-kkeseo"),
        ("-ㄴ", "-n"),
        ("-ㅂ니다", "-mnida"),
        ("book", "book"),
        ("", ""),
    ],
)
def test_romanisation(korean, roman):
    assert romanise(korean) == roman
