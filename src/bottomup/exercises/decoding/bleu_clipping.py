"""Exercise: BLEU's modified n-gram precision over a corpus (Papineni et al., 2002, section 2.1)."""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.scalars import compare_scalar
from bottomup.i18n import _


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


Sentence = list[str]
Sentences = list[Sentence]


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


# ---- Other n-grams, counts or sums: what the mistakes are made of

Grams = Counter[tuple[str, ...]]
Answer = Callable[[Sentences, Sentences, int], float]
Parts = tuple[float, float]  # matched and all n-grams of one sentence
Count = Callable[[Grams, Grams], float]  # n-grams of hypothesis and reference -> a count


def grams(sentence: Sentence, n: int) -> Grams:
    return Counter(tuple(sentence[i : i + n]) for i in range(len(sentence) - n + 1))


def clipped(has: Grams, right: Grams) -> float:
    return (has & right).total()


def size(has: Grams, right: Grams) -> float:
    return has.total()


def share(matched: float, total: float) -> float:
    return matched / total if total else 0.0


def counted(
    matched: Count = clipped, total: Count = size, *,
    grams: Callable[[Sentence, int], Grams] = grams,
    average: Callable[[list[Parts]], float] | None = None,
) -> Answer:  # fmt: skip
    """Right but for the n-grams, for one of the counts, or for how the sentences are joined."""

    def wrong(hypotheses: Sentences, references: Sentences, n: int) -> float:
        counts = [
            (matched(a, b), total(a, b))
            for a, b in zip(
                (grams(sentence, n) for sentence in hypotheses),
                (grams(sentence, n) for sentence in references),
                strict=True,
            )
        ]
        if average is not None:
            return average(counts)
        return share(sum(m for m, _t in counts), sum(t for _m, t in counts))

    return wrong


def hits(has: Grams, right: Grams) -> float:
    return sum(count for gram, count in has.items() if gram in right)


def hits_at_most_all(has: Grams, right: Grams) -> float:
    return min(hits(has, right), right.total())


def distinct(has: Grams, right: Grams) -> float:
    return len(has.keys() & right.keys())


def mean_of_all(counts: list[Parts]) -> float:
    return sum(share(*parts) for parts in counts) / len(counts)


def mean_of_long_enough(counts: list[Parts]) -> float:
    shares = [share(*parts) for parts in counts if parts[1]]
    return share(sum(shares), len(shares))


def pooled(hypotheses: Sentences, references: Sentences, n: int) -> float:
    has = sum((grams(sentence, n) for sentence in hypotheses), Counter())
    right = sum((grams(sentence, n) for sentence in references), Counter())
    return share(clipped(has, right), has.total())


def joined(hypotheses: Sentences, references: Sentences, n: int) -> float:
    whole = [
        [token for sentence in side for token in sentence] for side in (hypotheses, references)
    ]
    return pooled(whole[:1], whole[1:], n)


def up_to(sentence: Sentence, n: int) -> Grams:
    return sum((grams(sentence, order) for order in range(1, n + 1)), Counter())


def over_orders(mean: Callable[[list[float]], float]) -> Answer:
    """A mean of the precisions of all orders up to n."""

    def wrong(hypotheses: Sentences, references: Sentences, n: int) -> float:
        return mean([counted()(hypotheses, references, order) for order in range(1, n + 1)])

    return wrong


def arithmetic_mean(shares: list[float]) -> float:
    return sum(shares) / len(shares)


def geometric_mean(shares: list[float]) -> float:
    return float(math.prod(shares) ** (1 / len(shares)))


def without_last(sentence: Sentence, n: int) -> Grams:
    return Counter(tuple(sentence[i : i + n]) for i in range(len(sentence) - n))


def with_short_ends(sentence: Sentence, n: int) -> Grams:
    return Counter(tuple(sentence[i : i + n]) for i in range(len(sentence)))


def joined_to_one_word(sentence: Sentence, n: int) -> Grams:
    return Counter(("".join(sentence[i : i + n]),) for i in range(len(sentence) - n + 1))


def short_on_one_side(*, hypothesis: bool) -> Answer:
    """The last n-gram is missing, of the hypothesis or of the reference."""

    def wrong(hypotheses: Sentences, references: Sentences, n: int) -> float:
        of_ours, of_theirs = (without_last, grams) if hypothesis else (grams, without_last)
        pairs = [
            (of_ours(a, n), of_theirs(b, n)) for a, b in zip(hypotheses, references, strict=True)
        ]
        return share(sum(clipped(*pair) for pair in pairs), sum(size(*pair) for pair in pairs))

    return wrong


def one_less_each(has: Grams, right: Grams) -> float:
    return max(0, has.total() - 1)


def percent(hypotheses: Sentences, references: Sentences, n: int) -> float:
    return 100 * counted()(hypotheses, references, n)


def side_by_side(sentence: Sentence, n: int) -> Grams:
    return Counter(tuple(sentence[i : i + n]) for i in range(0, len(sentence) - n + 1, n))


def in_any_order(sentence: Sentence, n: int) -> Grams:
    return Counter(tuple(sorted(sentence[i : i + n])) for i in range(len(sentence) - n + 1))


def exchanged(hypotheses: Sentences, references: Sentences, n: int) -> float:
    return counted()(references, hypotheses, n)


def over_tokens(hypotheses: Sentences, references: Sentences, n: int) -> float:
    matched = sum(
        clipped(grams(a, n), grams(b, n)) for a, b in zip(hypotheses, references, strict=True)
    )
    return share(matched, sum(map(len, hypotheses)))


def below_zero(hypotheses: Sentences, references: Sentences, n: int) -> float:
    """A sentence of m tokens, shorter than n, counts as m - n + 1 n-grams."""
    matched = sum(
        clipped(grams(a, n), grams(b, n)) for a, b in zip(hypotheses, references, strict=True)
    )
    return share(matched, sum(len(sentence) - n + 1 for sentence in hypotheses))


def positions(hypotheses: Sentences, references: Sentences, n: int) -> float:
    """An n-gram counts where the reference has it at the same place."""
    matched = total = 0
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        places = range(len(hypothesis) - n + 1)
        right = [tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)]
        matched += sum([tuple(hypothesis[i : i + n])] == right[i : i + 1] for i in places)
        total += len(places)
    return share(matched, total)


def in_the_text(*, clipped: bool) -> Answer:
    """An n-gram counts where its text stands in the reference's text."""

    def wrong(hypotheses: Sentences, references: Sentences, n: int) -> float:
        matched = total = 0
        for hypothesis, reference in zip(hypotheses, references, strict=True):
            text = " ".join(reference)
            for gram, count in grams(hypothesis, n).items():
                found = text.count(" ".join(gram))
                matched += min(count, found) if clipped else count * (found > 0)
                total += count
        return share(matched, total)

    return wrong


def with_brevity(hypotheses: Sentences, references: Sentences, n: int) -> float:
    ours, theirs = (sum(map(len, side)) for side in (hypotheses, references))
    penalty = math.exp(min(0.0, 1 - theirs / ours)) if ours else 0.0
    return penalty * counted()(hypotheses, references, n)


# ---- Mistakes: what is counted, how often, and what is averaged

HAND = _("one word seven times, twice in the reference")
TWO = _("a short sentence and a long one")
LETTERS = _("the same letters in other words")
POOLED = _("words that stand in the other sentence's reference")

COUNTS = (
    Mistake("not-clipped", counted(hits), (counted(hits_at_most_all),), case=HAND),
    Mistake(
        "searched-in-the-text", in_the_text(clipped=False), (in_the_text(clipped=True),), case=TWO
    ),
    Mistake(
        "sets-instead-of-counts",
        counted(distinct, lambda has, right: len(has)),
        (counted(distinct),),
    ),
    Mistake("clipped-over-the-corpus", pooled, (joined,), case=POOLED),
    Mistake("matched-by-place", positions),
)

JOINING = (
    Mistake(
        "averaged-over-sentences",
        counted(average=mean_of_all),
        (counted(average=mean_of_long_enough),),
        case=TWO,
    ),
    Mistake(
        "hypothesis-and-reference-exchanged",
        exchanged,
        (counted(clipped, lambda has, right: right.total()),),
        case=HAND,
    ),
    Mistake("in-per-cent", percent, case=HAND),
    Mistake("brevity-penalty-included", with_brevity),
)

GRAMS = (
    Mistake(
        "orders-up-to-n",
        counted(grams=up_to),
        (over_orders(arithmetic_mean), over_orders(geometric_mean)),
    ),
    Mistake(
        "number-of-grams-wrong",
        counted(grams=without_last),
        (
            counted(grams=with_short_ends),
            over_tokens,
            below_zero,
            short_on_one_side(hypothesis=True),
            short_on_one_side(hypothesis=False),
            counted(clipped, one_less_each),
        ),
        case=HAND,
    ),
    Mistake("tokens-joined", counted(grams=joined_to_one_word), case=LETTERS),
    Mistake("grams-side-by-side", counted(grams=side_by_side)),
    Mistake("order-within-a-gram-ignored", counted(grams=in_any_order)),
)

MISTAKES = (*COUNTS, *JOINING, *GRAMS)


# ---- Cases

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

ANSWERS = Answers(
    solution=modified_precision,
    alternatives=(with_counters, with_crossing_out, with_dictionaries),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_scalar,
)
