"""How a Korean stem and its endings melt into one written word.

`conjugate("듣", ("-었", "-다"))` is 들었다. Endings are canonical morphemes: one token for each
ending, whatever its sound after this or that stem. The rules stand in the order a grammar gives
them: the present -느, ㄹ that drops, the vowel of -었, contraction, and the irregular stems.
"""

from bottomup.data.minilang.grammar.hangul import final_of, is_syllable, join, split, with_final

PRESENT, PAST, HONORIFIC = "-느", "-었", "-으시"
ADNOMINAL, PROSPECTIVE = "-ㄴ", "-ㄹ"
PLAIN, POLITE = "-다", "-ㅂ니다"
AND, BUT, NOMINAL, NOT, PURPOSE = "-고", "-지만", "-기", "-지", "-으러"

ENDINGS = {
    PRESENT: "-PRES",
    PAST: "-PAST",
    HONORIFIC: "-HON",
    ADNOMINAL: "-ADN",
    PROSPECTIVE: "-ADN.FUT",
    PLAIN: "-DECL",
    POLITE: "-DECL.POL",
    AND: "-and",
    BUT: "-but",
    NOMINAL: "-NMLZ",
    NOT: "-NEG",
    PURPOSE: "-in.order.to",
}

# The class of a stem that is not regular, by the consonant or syllable that changes. Stems in 하
# and stems in ㄹ or ㅡ follow from their last syllable and need no entry.
IRREGULAR = {
    **dict.fromkeys(("듣", "걷"), "ㄷ"),
    **dict.fromkeys(("돕", "춥", "덥", "맵", "쉽", "어렵", "무겁", "가볍"), "ㅂ"),
    **dict.fromkeys(("귀엽", "아름답", "차갑", "뜨겁", "더럽", "시끄럽", "새롭"), "ㅂ"),
    **dict.fromkeys(("짓",), "ㅅ"),
    **dict.fromkeys(("부르", "모르", "자르", "빠르", "목마르", "게으르", "배부르"), "르"),
    **dict.fromkeys(("빨갛", "파랗", "노랗", "하얗", "까맣"), "ㅎ"),
}
_CONTRACTED = {"ㅗ": "ㅘ", "ㅜ": "ㅝ", "ㅣ": "ㅕ", "ㅚ": "ㅙ"}
_ABSORBS = (
    "ㅏㅓㅐㅔㅕ"  # a final 어 or 아 disappears behind these: 가 + 았 -> 갔, 보내 + 었 -> 보냈
)
_WHOLE = ("아니",)  # the one open stem in ㅣ that written Korean does not contract


def conjugate(stem: str, endings: tuple[str, ...]) -> str:
    """Write a stem and its endings as one word: ("읽", ("-으시", "-었", "-다")) -> 읽으셨다.

    An ending that is not in `ENDINGS` is written as it stands, so that any output of a model has a
    written form.
    """
    word, kind = stem, irregular_class(stem)
    rest = list(endings)
    while rest:
        ending = rest.pop(0)
        if ending == PRESENT:
            word, kind = _present(word, rest), ""
            continue
        word, kind = _attach(word, ending, kind), ""
    return word


def irregular_class(stem: str) -> str:
    """The irregular class of a stem (ㄷ ㅂ ㅅ ㅎ 르 하), or "" for a regular one."""
    return "하" if stem.endswith("하") else IRREGULAR.get(stem, "")


def _present(stem: str, rest: list[str]) -> str:
    """-느 melts with what follows: -느 -다 is -ㄴ다 or -는다, -느 -ㄴ is -는."""
    following = rest.pop(0) if rest else ""
    open_stem = _drop_l(stem)
    if following == ADNOMINAL:
        return open_stem + "는"
    tail = following.removeprefix("-")
    if is_syllable(open_stem[-1:]) and not final_of(open_stem):
        return with_final(open_stem, "ㄴ") + tail
    return stem + "는" + tail


def _attach(stem: str, ending: str, kind: str) -> str:
    sound = ending.removeprefix("-")
    if not is_syllable(stem[-1:]):
        return stem + sound
    if ending == PAST:
        return _past(stem, kind)
    if ending in (HONORIFIC, PURPOSE):
        return _with_eu(stem, kind, sound[1:], keep_l=ending == PURPOSE)
    if ending in (ADNOMINAL, PROSPECTIVE):
        return _with_final_letter(stem, kind, sound)
    if ending == POLITE:
        open_stem = _drop_l(stem)
        closed = final_of(open_stem) != ""
        return stem + "습니다" if closed else with_final(open_stem, "ㅂ") + "니다"
    return stem + sound


def _drop_l(stem: str) -> str:
    return with_final(stem, "") if final_of(stem) == "ㄹ" else stem


def _softened(stem: str, kind: str) -> str:
    """The stem before an ending in 으: 듣 -> 들, 돕 -> 도우, 짓 -> 지, 빨갛 -> 빨가."""
    if kind == "ㄷ":
        return with_final(stem, "ㄹ")
    if kind == "ㅂ":
        return with_final(stem, "") + "우"
    if kind in ("ㅅ", "ㅎ"):
        return with_final(stem, "")
    return stem


def _with_eu(stem: str, kind: str, tail: str, *, keep_l: bool) -> str:
    soft = _softened(stem, kind)
    if kind in ("ㄷ", "ㅅ"):
        return soft + "으" + tail
    if final_of(soft) == "ㄹ":
        return (soft if keep_l else _drop_l(soft)) + tail
    return soft + ("으" if final_of(soft) else "") + tail


def _with_final_letter(stem: str, kind: str, letter: str) -> str:
    soft = _softened(stem, kind)
    if kind in ("ㄷ", "ㅅ"):
        return soft + join("ㅇ", "ㅡ", letter)
    if final_of(soft) in ("", "ㄹ"):
        return with_final(soft, letter)
    return soft + join("ㅇ", "ㅡ", letter)


def _past(stem: str, kind: str) -> str:
    if kind == "하":
        return stem[:-1] + "했"
    if kind == "르":
        return _doubled_l(stem)
    if kind == "ㅎ":
        initial, vowel, _ = split(stem[-1])
        return stem[:-1] + join(initial, "ㅒ" if vowel == "ㅑ" else "ㅐ", "ㅆ")
    soft = _softened(stem, kind)
    if kind == "ㅂ":
        return soft[:-1] + ("왔" if stem == "돕" else "웠")
    vowel = _harmony(soft)
    if stem in _WHOLE or kind or final_of(soft):
        return soft + join("ㅇ", vowel, "ㅆ")
    return _contracted(soft, vowel)


def _harmony(stem: str) -> str:
    """ㅏ behind a bright vowel (ㅏ ㅑ ㅗ), ㅓ behind all others."""
    return "ㅏ" if stem and split(stem[-1]).vowel in "ㅏㅑㅗ" else "ㅓ"


def _doubled_l(stem: str) -> str:
    """부르 -> 불렀: the ㄹ closes the syllable before it and opens the next."""
    before = stem[:-1]
    return with_final(before, "ㄹ") + join("ㄹ", _harmony(before), "ㅆ")


def _contracted(stem: str, vowel: str) -> str:
    initial, last, _ = split(stem[-1])
    if last == "ㅡ":
        return stem[:-1] + join(initial, _harmony(stem[:-1]), "ㅆ")
    if last in _ABSORBS:
        return stem[:-1] + join(initial, last, "ㅆ")
    if last in _CONTRACTED:
        return stem[:-1] + join(initial, _CONTRACTED[last], "ㅆ")
    return stem + join("ㅇ", vowel, "ㅆ")
