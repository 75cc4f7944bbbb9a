"""Syllables as arithmetic."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottomup.data.minilang.grammar.hangul import final_of, is_syllable, join, split, with_final

SYLLABLES = st.integers(0xAC00, 0xD7A3).map(chr)


@given(SYLLABLES)
def test_join_undoes_split(syllable):
    assert join(*split(syllable)) == syllable


@given(SYLLABLES)
def test_a_joined_syllable_is_composed(syllable):
    decomposed = unicodedata.normalize("NFD", syllable)
    assert unicodedata.normalize("NFC", decomposed) == join(*split(syllable))


def test_split_of_known_syllables():
    assert split("값") == ("ㄱ", "ㅏ", "ㅄ")
    assert split("가") == ("ㄱ", "ㅏ", "")
    assert split("힣") == ("ㅎ", "ㅣ", "ㅎ")


def test_final_of_the_last_syllable():
    assert final_of("서울") == "ㄹ"
    assert final_of("학교") == ""
    assert final_of("") == ""
    assert final_of("book") == ""


def test_with_final_replaces_it():
    assert with_final("만들", "ㄴ") == "만든"
    assert with_final("예쁘", "ㄴ") == "예쁜"


def test_letters_and_words_are_no_syllables():
    assert is_syllable("각")
    assert not is_syllable("ㄱ")
    assert not is_syllable("가각")


@pytest.mark.parametrize("wrong", ["ㄱ", "가각", "a", ""])
def test_split_refuses_anything_else(wrong):
    with pytest.raises(ValueError, match="character: expected one Hangul syllable"):
        split(wrong)


@pytest.mark.parametrize("letters", [("ㅏ", "ㅏ"), ("ㄱ", "ㄱ"), ("ㄱ", "ㅏ", "ㄸ"), ("", "ㅏ")])
def test_join_refuses_a_letter_out_of_place(letters):
    with pytest.raises(ValueError, match="not in tuple"):
        join(*letters)
