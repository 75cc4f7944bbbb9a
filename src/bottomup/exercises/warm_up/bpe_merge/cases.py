"""Cases of one merge of byte-pair encoding (Sennrich, Haddow and Birch 2016, section 3.2)."""

from collections.abc import Callable
from typing import Any

from bottomup.exercises.engine import Case, Drawn, case, compare_values, integers
from bottomup.exercises.engine.compare import name_of_kind
from bottomup.exercises.engine.show import show
from bottomup.i18n import _

Words = list[list[str]]


def cut(words: str) -> Words:
    """Words separated by bars, tokens by spaces."""
    return [word.split() for word in words.split("|")]


def letters(count: int, alphabet: str) -> Drawn:
    """A word of random letters, each a token."""
    drawn = integers(count, high=len(alphabet))
    return drawn.then(lambda places: [alphabet[place] for place in places.tolist()])


class Given(list[list[str]]):
    """The list that an answer was given, where it returned that."""


def run(answer: Callable[..., Any], case: Case) -> Any:
    """Call the answer, and see whether it returns a list of its own."""
    value = answer(*case.inputs.values())
    return Given(value) if value is case.inputs["words"] else value


def compare(got: Any, expected: Words, case: Case) -> str | None:
    """Name the first word whose tokens differ; a tuple is no list here."""
    if isinstance(got, Given):
        return _("It returned the list that it was given, expected a new one.")
    if not isinstance(got, list | tuple) or len(got) != len(expected):
        return compare_values(got, expected, case)
    if type(got) is not type(expected):
        return _("It returned {got}, expected {expected}.").format(
            got=name_of_kind(got), expected=name_of_kind(expected)
        )
    for number, (ours, theirs) in enumerate(zip(got, expected, strict=True), start=1):
        if type(ours) is not type(theirs) or compare_values(ours, theirs, case):
            return _("Word {number}: got {got}, expected {expected}.").format(
                number=number, got=show(ours), expected=show(theirs)
            )
    return None


CASES = (
    case(
        _("three words, the pair (l, o)"),
        words=cut("l o w | s l o w | o l d"),
        pair=("l", "o"),
        gives=cut("lo w | s lo w | o l d"),
    ),
    case(
        _("several times in one word"),
        words=cut("l o l o | a l o b l o"),
        pair=("l", "o"),
        gives=cut("lo lo | a lo b lo"),
    ),
    case(
        _("the same word twice, and an empty one"),
        words=[["l", "o", "w"], [], ["l", "o", "w"]],
        pair=("l", "o"),
        gives=[["lo", "w"], [], ["lo", "w"]],
    ),
    case(
        _("a pair of equal tokens"),
        words=cut("a a a | a a a a a | a"),
        pair=("a", "a"),
        gives=cut("aa a | aa aa a | a"),
    ),
    case(
        _("tokens of several letters"),
        words=cut("s low er | low er er | lo w er"),
        pair=("low", "er"),
        gives=cut("s lower | lower er | lo w er"),
    ),
    case(
        _("the end of one word and the beginning of the next"),
        words=cut("x a | b y | a b"),
        pair=("a", "b"),
        gives=cut("x a | b y | ab"),
    ),
    case(
        _("longer tokens that end or begin alike"),
        words=cut("ba b c | a bb | a b c"),
        pair=("a", "b"),
        gives=cut("ba b c | a bb | ab c"),
    ),
    case(
        _("another pair with the same spelling"),
        words=cut("l ow | lo w | low"),
        pair=("lo", "w"),
        gives=cut("l ow | low | low"),
    ),
    case(
        _("the other order"),
        words=cut("b a | b a b | a b a b"),
        pair=("a", "b"),
        gives=cut("b a | b ab | ab ab"),
    ),
    case(
        _("a pair of full stops"),
        words=cut("w h y . . . | a b | 3 . 1 4"),
        pair=(".", "."),
        gives=cut("w h y .. . | a b | 3 . 1 4"),
    ),
    case(_("the pair does not occur"), words=cut("x y | z"), pair=("a", "b")),
    case(_("no words"), words=[], pair=("a", "b"), gives=[]),
    case(
        _("a backslash, other signs, and capitals"),
        words=[["a", "\\", "n"], ["\\", "|", "n"], ["\\", "N"], [*"-_,/#@*+&", "\\", "n"]],
        pair=("\\", "n"),
        gives=[["a", "\\n"], ["\\", "|", "n"], ["\\", "N"], [*"-_,/#@*+&", "\\n"]],
    ),
    case(
        _("seven words of random letters"),
        seed=1,
        words=[letters(count, "abc") for count in (11, 2, 7, 1, 5, 13, 3)],
        pair=("a", "b"),
    ),
    case(
        _("words of two letters"),
        seed=2,
        words=[letters(count, "ab") for count in (7, 5, 11, 2, 13)],
        pair=("a", "b"),
    ),
)
