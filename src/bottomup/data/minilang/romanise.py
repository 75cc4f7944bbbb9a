"""Revised Romanisation of Korean (2000), after the standard pronunciation.

Applied, inside a word: a final consonant is simplified (값 gap, 읽다 ikda), moves to an open next
syllable (읽어 ilgeo), becomes nasal before ㄴ and ㅁ (먹는 meongneun, 갑니다 gamnida), meets ㄹ
(설날 seollal, 심리 simni), turns into j or ch before 이 (같이 gachi), and joins with ㅎ (좋다 jota,
입학 ipak). ㄺ keeps its ㄹ before ㄱ, as verb stems do (읽고 ilgo). ㅎ is silent between a final
and a vowel (좋은 joeun). Tense consonants that are not written (식당 sikdang, 좋습니다 joseumnida)
are not shown, as the standard demands. Not applied: the standard keeps k, t, p and h apart inside
*nouns* (묵호 Mukho), which cannot be seen from the letters; sounds inserted between the parts of a
compound.

Source: Ministry of Culture and Tourism, Notification 2000-8, "Romanization of Korean".
"""

from itertools import pairwise

from bottomup.checks import shown
from bottomup.data.minilang.hangul import (
    FINALS,
    INITIALS,
    VOWELS,
    Syllable,
    is_syllable,
    split,
)
from bottomup.data.vocabulary import composed

_LATIN_INITIALS = "g kk n d tt r m b pp s ss _ j jj ch k t p h".split()
_LATIN_VOWELS = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i".split()
_INITIAL = dict(zip(INITIALS, _LATIN_INITIALS, strict=True))
_VOWEL = dict(zip(VOWELS, _LATIN_VOWELS, strict=True))
_FINAL = {"": "", "ㄱ": "k", "ㄴ": "n", "ㄷ": "t", "ㄹ": "l", "ㅁ": "m", "ㅂ": "p", "ㅇ": "ng"}
# A double final: what stays, and what moves to a next syllable that begins with a vowel.
_DOUBLE = {
    "ㄳ": ("ㄱ", "ㅅ"), "ㄵ": ("ㄴ", "ㅈ"), "ㄶ": ("ㄴ", "ㅎ"), "ㄺ": ("ㄹ", "ㄱ"),
    "ㄻ": ("ㄹ", "ㅁ"), "ㄼ": ("ㄹ", "ㅂ"), "ㄽ": ("ㄹ", "ㅅ"), "ㄾ": ("ㄹ", "ㅌ"),
    "ㄿ": ("ㄹ", "ㅍ"), "ㅀ": ("ㄹ", "ㅎ"), "ㅄ": ("ㅂ", "ㅅ"),
}  # fmt: skip
_NEUTRAL = {
    **dict.fromkeys("ㄱㄲㅋ", "ㄱ"), **dict.fromkeys("ㄷㅅㅆㅈㅊㅌㅎ", "ㄷ"),
    **dict.fromkeys("ㅂㅍㄿㅄ", "ㅂ"), **dict.fromkeys("ㄼㄽㄾㅀ", "ㄹ"),
    "ㄳ": "ㄱ", "ㄵ": "ㄴ", "ㄶ": "ㄴ", "ㄺ": "ㄱ", "ㄻ": "ㅁ",
}  # fmt: skip
_NASAL = {"ㄱ": "ㅇ", "ㄷ": "ㄴ", "ㅂ": "ㅁ"}
_ASPIRATED = {"ㄱ": "ㅋ", "ㄷ": "ㅌ", "ㅂ": "ㅍ", "ㅈ": "ㅊ"}


def romanise(text: str) -> str:
    """Romanise Hangul; everything else stays: "책을 읽었다." -> "chaegeul ilgeotda."

    A single token works too; a letter without a vowel is read as a final: "-ㄴ다" -> "-nda".
    """
    if not isinstance(text, str):
        raise TypeError(f"text: expected a string, got {shown(text)}")
    out: list[str] = []
    word: list[Syllable] = []
    for character in composed(text):
        syllable = _syllable(character)
        if syllable:
            word.append(syllable)
            continue
        out += [_romanise_word(word), character]
        word = []
    return "".join([*out, _romanise_word(word)])


def _syllable(character: str) -> Syllable | None:
    if is_syllable(character):
        return split(character)
    return Syllable("", "", character) if character in FINALS[1:] else None


def _romanise_word(word: list[Syllable]) -> str:
    sounds = [list(syllable) for syllable in word]
    for left, right in pairwise(sounds):
        left[2], right[0] = _meet(left[2], right[0], right[1])
    if sounds:
        sounds[-1][2] = _NEUTRAL.get(sounds[-1][2], sounds[-1][2])
    text = ""
    for initial, vowel, final in sounds:
        opening = _INITIAL.get(initial, "").strip("_")
        if initial == "ㄹ" and text.endswith("l"):
            opening = "l"
        text += opening + _VOWEL.get(vowel, "") + _FINAL[final]
    return text


def _meet(final: str, initial: str, vowel: str) -> tuple[str, str]:
    """The sounds of a final consonant and the initial one after it."""
    if not final:
        return final, initial
    if initial == "ㅇ":
        return _linked(final, vowel)
    stays, moves = _DOUBLE.get(final, ("", final))
    if moves == "ㅎ" and initial in _ASPIRATED:
        return stays, _ASPIRATED[initial]
    if moves == "ㅎ" and initial == "ㅅ":
        return stays, initial
    if final == "ㄺ" and initial == "ㄱ":
        return "ㄹ", initial
    if initial == "ㅎ":
        closed = _NEUTRAL.get(moves, moves) if moves != "ㅈ" else "ㅈ"
        if closed in _ASPIRATED:
            return stays, _ASPIRATED[closed]
    return _assimilated(_NEUTRAL.get(final, final), initial)


def _linked(final: str, vowel: str) -> tuple[str, str]:
    if final == "ㅇ":
        return final, "ㅇ"
    stays, moves = _DOUBLE.get(final, ("", final))
    if moves == "ㅎ":
        return ("", stays) if stays else ("", "ㅇ")
    if vowel == "ㅣ" and moves in "ㄷㅌ":
        return stays, "ㅈ" if moves == "ㄷ" else "ㅊ"
    return stays, moves


def _assimilated(final: str, initial: str) -> tuple[str, str]:
    if initial in ("ㄴ", "ㅁ") and final in _NASAL:
        return _NASAL[final], initial
    if (final, initial) in (("ㄴ", "ㄹ"), ("ㄹ", "ㄴ")):
        return "ㄹ", "ㄹ"
    if initial == "ㄹ" and final != "ㄹ":
        return _NASAL.get(final, final), "ㄴ"
    return final, initial
