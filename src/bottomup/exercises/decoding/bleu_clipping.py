"""Exercise: BLEU's modified n-gram precision over a corpus (Papineni et al., 2002, section 2.1)."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import torch
from torch import Tensor

from bottomup.exercises.decoding.bleu_clipping_counts import Sentences
from bottomup.exercises.decoding.bleu_clipping_mistakes import (
    HAND,
    LETTERS,
    MISCONCEPTIONS,
    POOLED,
    TWO,
)
from bottomup.exercises.exercise import Case, Exercise, Inputs
from bottomup.exercises.scalars import compare_scalar
from bottomup.i18n import _

STUB = '''\
def modified_precision(hypotheses, references, n):
    """BLEU's p_n: the share of the hypotheses' n-grams that are right.

    hypotheses, references: equally long lists of sentences, each a list of
    tokens; sentence i of one belongs to sentence i of the other. An n-gram
    is n tokens that stand side by side. In each sentence an n-gram of the
    hypothesis is right as often as it stands there, but at most as often
    as it stands in its reference. Sum the right ones and all n-grams of the
    hypotheses over the sentences, then divide.
    Returns a number from 0 to 1; 0 where there is no n-gram.
    """
    ...
'''


def modified_precision(hypotheses: list[list[str]], references: list[list[str]], n: int) -> float:
    matched, total = 0, 0
    for number, hypothesis in enumerate(hypotheses):
        grams, right = (
            [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
            for tokens in (hypothesis, references[number])
        )
        matched += sum(min(grams.count(gram), right.count(gram)) for gram in set(grams))
        total += len(grams)
    return matched / total if total else 0.0


def with_counters(hypotheses: Sentences, references: Sentences, n: int) -> float:
    matched: Counter[tuple[str, ...]] = Counter()
    total = 0
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        has = Counter(zip(*(hypothesis[i:] for i in range(n)), strict=False))
        right = Counter(zip(*(reference[i:] for i in range(n)), strict=False))
        matched.update(has & right)
        total += max(0, len(hypothesis) - n + 1)
    return sum(matched.values()) / max(total, 1)


def with_crossing_out(hypotheses: Sentences, references: Sentences, n: int) -> Fraction | float:
    right, wrong = 0, 0
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        left = [reference[i : i + n] for i in range(len(reference) - n + 1)]
        for start in range(len(hypothesis) - n + 1):
            gram = hypothesis[start : start + n]
            if gram in left:
                left.remove(gram)  # each may be used once
                right += 1
            else:
                wrong += 1
    return Fraction(right, right + wrong) if right else 0.0


def with_dictionaries(hypotheses: Sentences, references: Sentences, n: int) -> Tensor:
    counts = torch.zeros(2, dtype=torch.float64)
    for tokens, reference in zip(hypotheses, references, strict=True):
        table: dict[str, list[int]] = {}
        for side, sentence in enumerate((tokens, reference)):
            for start in range(n, len(sentence) + 1):
                gram = "\n".join(sentence[start - n : start])
                table.setdefault(gram, [0, 0])[side] += 1
        counts += torch.tensor([[min(pair), pair[0]] for pair in table.values()] + [[0, 0]]).sum(0)
    return counts[0] / counts[1].clamp(min=1)


Make = Callable[[torch.Generator], Inputs]


def _given(hypotheses: str, references: str, n: int) -> Make:
    """Sentences separated by bars, tokens by spaces."""
    return lambda generator: {
        "hypotheses": [sentence.split() for sentence in hypotheses.split("|")],
        "references": [sentence.split() for sentence in references.split("|")],
        "n": n,
    }


def _random(sizes: list[tuple[int, int]], n: int, words: str = "abc") -> Make:
    """Lengths of hypothesis and reference, over few words, so that many n-grams repeat."""

    def draw(size: int, generator: torch.Generator) -> list[str]:
        return [words[i] for i in torch.randint(len(words), (size,), generator=generator).tolist()]

    return lambda generator: {
        "hypotheses": [draw(size, generator) for size, _other in sizes],
        "references": [draw(size, generator) for _other, size in sizes],
        "n": n,
    }


CASES = (
    Case(HAND, _given("the the the the the the the", "the cat is on the mat", 1)),
    Case(TWO, _given("a cat | the dog sees a red house", "a cat | the dog saw the red barn", 1)),
    Case(POOLED, _given("the cat the | a dog", "a cat | the dog the", 1)),
    Case(_("pairs of words"), _given("a b c a b a b", "b c a b a b", 2)),
    Case(_("one word more at the beginning"), _given("now the cat sleeps", "the cat sleeps", 2)),
    Case(_("equal sentences"), _given("a b a b | c", "a b a b | c", 1)),
    Case(_("no n-gram: all sentences are too short"), _given("a b | c", "a b | c d", 3)),
    Case(_("nothing is right"), _given("a b | c a", "x y | z", 1)),
    Case(
        _("a sentence far shorter than n"),
        _given("a b c d e f g h i | a", "a b c d e x g h i | a b", 4),
    ),
    Case(_("a single word, and n = 2"), _given("a", "a b", 2)),
    Case(LETTERS, _given("ab c", "a bc", 2)),
    Case(_("three sentences"), _random([(7, 5), (2, 11), (13, 7)], 2), seed=1),
    Case(_("an empty hypothesis among others"), _random([(5, 3), (0, 7), (11, 13)], 1), seed=2),
    Case(_("triples of two words"), _random([(11, 13), (7, 5), (2, 3), (3, 7)], 3, "ab"), seed=3),
    Case(_("four in a row"), _random([(17, 19), (13, 11), (3, 2)], 4, "ab"), seed=4),
)

BLEU_CLIPPING = Exercise(
    slug="bleu-clipping",
    title=_("The clipped counts of BLEU"),
    chapter="06",
    difficulty=3,
    minutes=15,
    stub=STUB,
    hints=(
        _(
            "Hypothesis: the the the the the the the. Reference: the cat is on the mat. How many "
            "of the seven may count, if each word of the reference can be used once?"
        ),
        _(
            "A sentence of m tokens has m - n + 1 n-grams: "
            "`[tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]`. What is that list "
            "if the sentence is shorter than n?"
        ),
        _(
            "For each different n-gram of the hypothesis, the smaller of its two counts is right. "
            "`Counter(a) & Counter(b)` of the module collections does the same."
        ),
        _("Add up both counts in the loop over sentences, and divide once after it."),
    ),
    solution=modified_precision,
    alternatives=(with_counters, with_crossing_out, with_dictionaries),
    misconceptions=MISCONCEPTIONS,
    cases=CASES,
    compare=compare_scalar,
)
