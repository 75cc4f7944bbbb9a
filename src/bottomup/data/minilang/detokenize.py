"""From tokens to written Korean."""

from collections.abc import Iterable

from bottomup.data.minilang.grammar.conjugation import ENDINGS, conjugate
from bottomup.data.minilang.grammar.particles import CLASSIFIERS
from bottomup.data.vocabulary import composed

# Pronouns that change before the subject particle.
_PRONOUN = {"나": "내", "저": "제", "너": "네", "누구": "누"}
# A classifier is bound to its numeral in meaning and stands apart in writing: 책 세 권을.
_SPACED = {f"-{name}" for name in CLASSIFIERS}


def detokenize(tokens: Iterable[str]) -> str:
    """Join target tokens into correctly spelled Korean.

    A token that begins with "-" is bound to the word before it. Endings melt with their stem:
    ("듣", "-었", "-다", ".") -> "들었다."; particles are put behind: ("나", "-가") -> "내가".
    The function is total: any sequence of tokens, also a bad one from a model, has a written form.
    """
    if isinstance(tokens, str):
        raise TypeError("tokens: expected a sequence of tokens, got one string")
    words: list[str] = []
    group: list[str] = []
    for token in tokens:
        if not isinstance(token, str):
            raise TypeError(f"tokens: expected strings, got {token!r}")
        token = composed(token)
        if token.startswith("-") and group and token not in _SPACED:
            group.append(token)
            continue
        words.append(_word(group))
        group = [token.removeprefix("-")]
    words.append(_word(group))
    return " ".join(word for word in words if word).replace(" .", ".")


def _word(group: list[str]) -> str:
    if not group:
        return ""
    head, bound = group[0], tuple(group[1:])
    if bound[:1] and bound[0] in ENDINGS:
        return conjugate(head, bound)
    if bound[:1] == ("-가",) and head in _PRONOUN:
        head = _PRONOUN[head]
    return head + "".join(token.removeprefix("-") for token in bound)
