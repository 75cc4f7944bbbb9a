"""Cases of WordPiece's longest match (Devlin et al., 2019, section 3)."""

from itertools import compress, product

from bottomup.exercises.engine import Drawn, booleans, case, integers
from bottomup.i18n import _

SPELLINGS = ["".join(letters) for size in (2, 3, 4) for letters in product("ab", repeat=size)]
LONGER = [mark + spelling for mark in ("", "##") for spelling in SPELLINGS]


def letters(count: int, alphabet: str) -> Drawn:
    """A word of random letters."""
    drawn = integers(count, high=len(alphabet))
    return drawn.then(lambda places: "".join(alphabet[place] for place in places.tolist()))


def some(*pieces: str, share: float = 0.3) -> Drawn:
    """These pieces, and some of two to four letters a and b."""
    drawn = booleans(len(LONGER), true=share)
    return drawn.then(lambda taken: {*pieces, *compress(LONGER, taken.tolist())})


CASES = (
    case(
        _("two pieces"),
        word="playing",
        vocabulary={"p", "play", "##ing", "##i", "ing", "##ng", "##s"},
        gives=["play", "##ing"],
    ),
    case(
        _("four pieces"),
        word="embeddings",
        vocabulary={"em", "bed", "##bed", "##be", "##ding", "##d", "##ddings", "##s"},
        gives=["em", "##bed", "##ding", "##s"],
    ),
    case(
        _("the word is a piece"),
        word="bed",
        vocabulary={"b", "bed", "##ed", "##bed"},
        gives=["bed"],
    ),
    case(_("pieces of one letter"), word="as", vocabulary={"a", "##s"}, gives=["a", "##s"]),
    case(
        _("a piece whose beginning is no piece"),
        word="thereby",
        vocabulary={"t", "the", "there", "##r", "##re", "##by"},
        gives=["there", "##by"],
    ),
    case(
        _("the longest piece leads nowhere"),
        word="abc",
        vocabulary={"a", "ab", "##bc"},
        gives=["[UNK]"],
    ),
    case(
        _("a shorter first piece would save one"),
        word="abcdef",
        vocabulary={"ab", "abc", "##cdef", "##de", "##f"},
        gives=["abc", "##de", "##f"],
    ),
    case(
        _("a long piece in the middle"),
        word="abcdef",
        vocabulary={"ab", "abc", "##cdef", "##bcde", "##d", "##e", "##f", "a"},
        gives=["abc", "##d", "##e", "##f"],
    ),
    case(
        _("the same piece again and again"),
        word="lalala",
        vocabulary={"la", "##la", "l", "##a"},
        gives=["la", "##la", "##la"],
    ),
    case(
        _("the last letter has no piece"),
        word="playbox",
        vocabulary={"play", "##b", "##bo", "##o"},
        gives=["[UNK]"],
    ),
    case(
        _("a letter in the middle has no piece"),
        word="plaxing",
        vocabulary={"pla", "##ing", "ing"},
        gives=["[UNK]"],
    ),
    case(
        _("the first letter has no piece"),
        word="xing",
        vocabulary={"##ing", "ing", "##x"},
        gives=["[UNK]"],
    ),
    case(_("only a continuation fits"), word="ing", vocabulary={"##ing"}, gives=["[UNK]"]),
    case(
        _("the rest is a word of its own"),
        word="sunbed",
        vocabulary={"sun", "bed", "b", "##s"},
        gives=["[UNK]"],
    ),
    case(_("an empty vocabulary"), word="a", vocabulary=set[str](), gives=["[UNK]"]),
    case(
        _("a mark alone and an empty string in the vocabulary"),
        word="aab",
        vocabulary={"", "##", "a", "##a"},
        gives=["[UNK]"],
    ),
    case(
        _("seventeen random letters"),
        seed=1,
        word=letters(17, "ab"),
        vocabulary=some("a", "b", "##a", "##b"),
    ),
    case(
        _("twenty-three random letters"),
        seed=2,
        word=letters(23, "ab"),
        vocabulary=some("a", "b", "##a", "##b"),
    ),
    case(
        _("eleven random letters, and no ##b"),
        seed=6,
        word=letters(11, "ab"),
        vocabulary=some("a", "b", "##a", share=0.4),
    ),
    case(
        _("thirteen random letters, many pieces"),
        seed=4,
        word=letters(13, "ab"),
        vocabulary=some("a", "b", "##a", "##b", share=0.6),
    ),
)
