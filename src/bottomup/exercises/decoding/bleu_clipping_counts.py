"""BLEU's modified precision with other n-grams, counts or sums: what the mistakes are made of."""

import math
from collections import Counter
from collections.abc import Callable

Sentence = list[str]
Sentences = list[Sentence]
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
