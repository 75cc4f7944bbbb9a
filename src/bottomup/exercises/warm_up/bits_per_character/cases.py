"""Cases of bits per character from a perplexity per token."""

from bottomup.exercises.engine import Drawn, case, integers, uniform
from bottomup.exercises.engine.scalars import compare_scalar
from bottomup.i18n import _


def letters(count: int) -> Drawn:
    return integers(count, high=5).then(lambda drawn: "".join("aeno "[each] for each in drawn))


CASES = (
    case(
        _("ten characters in five tokens, perplexity 4"),
        perplexity=4.0,
        tokens=5,
        text="low slower",
        gives=1.0,  # 5 tokens of 2 bits, 10 characters
    ),
    case(
        _("the same text in ten tokens, perplexity 2"),
        perplexity=2.0,
        tokens=10,
        text="low slower",
        gives=1.0,  # 10 tokens of 1 bit: neither model is better
    ),
    case(_("a model that is certain"), perplexity=1.0, tokens=3, text="so it is", gives=0.0),
    case(
        _("a blind guess among 32 characters"),
        perplexity=32.0,
        tokens=7,
        text="low owl",
        gives=5.0,  # 32 = 2^5
    ),
    case(
        _("Korean: twelve characters, three of them spaces"),
        perplexity=16.0,
        tokens=5,
        text="책 세 권을 읽었습니다",
        gives=5 * 4 / 12,
    ),
    case(
        _("two lines with digits and signs"),
        perplexity=8.0,
        tokens=10,
        text="At 9, an owl:\nSlow!\n",
        gives=10 * 3 / 20,  # 13 and 5 characters, and two line breaks
    ),
    case(
        _("61 characters in 23 tokens"),
        seed=1,
        perplexity=uniform(low=1.0, high=51.0).then(float),
        tokens=23,
        text=letters(61),
    ),
    case(
        _("101 characters in 103 tokens"),
        seed=2,
        perplexity=uniform(low=1.0, high=51.0).then(float),
        tokens=103,
        text=letters(101),
    ),
    case(
        _("a long text, thirty thousand tokens"),
        perplexity=90.5,
        tokens=30_000,
        text="an owl " * 10_007,
    ),
)

compare = compare_scalar
