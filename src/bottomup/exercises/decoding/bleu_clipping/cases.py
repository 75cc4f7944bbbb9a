"""Cases of BLEU's modified n-gram precision over a corpus (Papineni et al., 2002, section 2.1)."""

from torch import Tensor

from bottomup.exercises.engine import Drawn, case, integers
from bottomup.exercises.engine.scalars import compare_scalar
from bottomup.i18n import _


def sentences(text: str) -> list[list[str]]:
    """Sentences separated by bars, tokens by spaces."""
    return [sentence.split() for sentence in text.split("|")]


def drawn(size: int, words: str = "abc") -> Drawn:
    """A sentence over few words, so that many n-grams repeat."""

    def chosen(numbers: Tensor) -> list[str]:
        return [words[number] for number in numbers.tolist()]

    return integers(size, high=len(words)).then(chosen)


CASES = (
    case(
        _("one word seven times, twice in the reference"),
        hypotheses=sentences("the the the the the the the"),
        references=sentences("the cat is on the mat"),
        n=1,
        gives=2 / 7,
    ),
    case(
        _("a short sentence and a long one"),
        hypotheses=sentences("a cat | the dog sees a red house"),
        references=sentences("a cat | the dog saw the red barn"),
        n=1,
        gives=5 / 8,  # a cat; the dog, red
    ),
    case(
        _("words that stand in the other sentence's reference"),
        hypotheses=sentences("the cat the | a dog"),
        references=sentences("a cat | the dog the"),
        n=1,
        gives=2 / 5,  # cat; dog
    ),
    case(
        _("pairs of words"),
        hypotheses=sentences("a b c a b a b"),
        references=sentences("b c a b a b"),
        n=2,
        gives=5 / 6,  # ab twice of three times, bc, ca, ba
    ),
    case(
        _("one word more at the beginning"),
        hypotheses=sentences("now the cat sleeps"),
        references=sentences("the cat sleeps"),
        n=2,
        gives=2 / 3,
    ),
    case(
        _("equal sentences"),
        hypotheses=sentences("a b a b | c"),
        references=sentences("a b a b | c"),
        n=1,
        gives=1.0,
    ),
    case(
        _("no n-gram: all sentences are too short"),
        hypotheses=sentences("a b | c"),
        references=sentences("a b | c d"),
        n=3,
        gives=0.0,
    ),
    case(
        _("nothing is right"),
        hypotheses=sentences("a b | c a"),
        references=sentences("x y | z"),
        n=1,
        gives=0.0,
    ),
    case(
        _("a sentence far shorter than n"),
        hypotheses=sentences("a b c d e f g h i | a"),
        references=sentences("a b c d e x g h i | a b"),
        n=4,
        gives=1 / 3,  # abcd, bcde of six; the second sentence has none
    ),
    case(
        _("a single word, and n = 2"),
        hypotheses=sentences("a"),
        references=sentences("a b"),
        n=2,
        gives=0.0,
    ),
    case(
        _("the same letters in other words"),
        hypotheses=sentences("ab c"),
        references=sentences("a bc"),
        n=2,
        gives=0.0,
    ),
    case(
        _("The and the are two words"),
        hypotheses=sentences("The dog sees the cat"),
        references=sentences("the dog sees the Cat"),
        n=1,
        gives=3 / 5,  # dog, sees, the
    ),
    case(
        _("three sentences"),
        seed=1,
        hypotheses=[drawn(7), drawn(2), drawn(13)],
        references=[drawn(5), drawn(11), drawn(7)],
        n=2,
    ),
    case(
        _("an empty hypothesis among others"),
        seed=2,
        hypotheses=[drawn(5), drawn(0), drawn(11)],
        references=[drawn(3), drawn(7), drawn(13)],
        n=1,
    ),
    case(
        _("triples of two words"),
        seed=3,
        hypotheses=[drawn(11, "ab"), drawn(7, "ab"), drawn(2, "ab"), drawn(3, "ab")],
        references=[drawn(13, "ab"), drawn(5, "ab"), drawn(3, "ab"), drawn(7, "ab")],
        n=3,
    ),
    case(
        _("four in a row"),
        seed=4,
        hypotheses=[drawn(17, "ab"), drawn(13, "ab"), drawn(3, "ab")],
        references=[drawn(19, "ab"), drawn(11, "ab"), drawn(2, "ab")],
        n=4,
    ),
    case(
        _("a reference shorter than n"),
        hypotheses=[["a", "b"], ["c", "d"]],
        references=[["a", "b"], ["c"]],
        n=2,
        gives=1 / 2,
    ),
    case(
        _("a sentence that occurs twice, and an empty reference"),
        hypotheses=[["a", "b"], ["a", "b"], ["c"]],
        references=[["a", "b"], ["b"], []],
        n=1,
        gives=3 / 5,  # a, b; b; and c is wrong
    ),
    case(_("no sentences"), hypotheses=[], references=[], n=1, gives=0.0),
)

compare = compare_scalar
