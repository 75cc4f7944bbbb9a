"""Mistakes in BLEU's modified precision: what is counted, how often, and what is averaged."""

from bottomup.exercises.decoding.bleu_clipping_counts import (
    below_zero,
    clipped,
    counted,
    distinct,
    exchanged,
    hits,
    hits_at_most_all,
    in_any_order,
    in_the_text,
    joined,
    joined_to_one_word,
    mean_of_all,
    mean_of_long_enough,
    one_less_each,
    over_tokens,
    percent,
    pooled,
    positions,
    short_on_one_side,
    side_by_side,
    up_to,
    with_brevity,
    with_short_ends,
    without_last,
)
from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("BLEU")
HAND = _("one word seven times, twice in the reference")
TWO = _("a short sentence and a long one")
LETTERS = _("the same letters in other words")
POOLED = _("words that stand in the other sentence's reference")

COUNTS = (
    Misconception(
        "not-clipped",
        counted(hits),
        _(
            "An n-gram counts as often as the hypothesis repeats it. Seven times the same word "
            "then scores 7 of 7, and a translator that stutters wins. Each n-gram counts at most "
            "as often as it stands in the reference."
        ),
        SECTION,
        (counted(hits_at_most_all),),
        HAND,
    ),
    Misconception(
        "searched-in-the-text",
        in_the_text(clipped=False),
        _(
            "The n-gram is looked for in the reference's text, letter by letter. The word a then "
            "stands in saw and in barn, and a repetition that overlaps is counted once. Compare "
            "tokens with tokens."
        ),
        SECTION,
        (in_the_text(clipped=True),),
        TWO,
    ),
    Misconception(
        "sets-instead-of-counts",
        counted(distinct, lambda has, right: len(has)),
        _(
            "Every n-gram counts once, however often it stands in the sentence. A word that is "
            "rightly there twice then earns half, and a repetition costs nothing. Count, and clip "
            "to the reference's count."
        ),
        SECTION,
        (counted(distinct),),
    ),
    Misconception(
        "clipped-over-the-corpus",
        pooled,
        _(
            "The counts are clipped after all sentences were thrown together. A word may then be "
            "paid by another sentence's reference. Clip within each pair of sentences, and sum the "
            "clipped counts."
        ),
        SECTION,
        (joined,),
        POOLED,
    ),
    Misconception(
        "matched-by-place",
        positions,
        _(
            "An n-gram counts only where the reference has it at the same place. One word more at "
            "the beginning then makes all that follows wrong. BLEU does not ask where an n-gram "
            "stands in the sentence."
        ),
        SECTION,
    ),
)

JOINING = (
    Misconception(
        "averaged-over-sentences",
        counted(average=mean_of_all),
        _(
            "The precision of each sentence is taken, and then their mean. A sentence of two words "
            "then weighs as much as one of forty, and a sentence without any n-gram has to be "
            "skipped or counted as zero. Corpus BLEU sums both counts over all sentences and "
            "divides once."
        ),
        SECTION,
        (counted(average=mean_of_long_enough),),
        TWO,
    ),
    Misconception(
        "hypothesis-and-reference-exchanged",
        exchanged,
        _(
            "Hypothesis and reference have changed places: the matches are divided by the "
            "reference's n-grams. That is recall, which a short translation cannot raise and a "
            "long one can. Precision asks what share of the hypothesis is right."
        ),
        SECTION,
        (counted(clipped, lambda has, right: right.total()),),
        HAND,
    ),
    Misconception(
        "in-per-cent",
        percent,
        _(
            "The result is given in per cent. BLEU is multiplied by 100 once, when all its parts "
            "are put together; a precision lies between 0 and 1. Return the quotient as it is."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "brevity-penalty-included",
        with_brevity,
        _(
            "The result holds the brevity penalty already. It enters BLEU once, for all orders "
            "together, and is no part of a precision. Leave it out here."
        ),
        SECTION,
    ),
)

GRAMS = (
    Misconception(
        "orders-up-to-n",
        counted(grams=up_to),
        _(
            "All n-grams up to n are counted together. Single words, which are the easiest, then "
            "hide how few longer pieces are right. BLEU takes the precision of each order by "
            "itself and their geometric mean."
        ),
        SECTION,
    ),
    Misconception(
        "number-of-grams-wrong",
        counted(grams=without_last),
        _(
            "A sentence of m tokens has m - n + 1 n-grams, and none if m < n. Here the last one is "
            "missing, on one side or on both, or pieces shorter than n are counted, or the total "
            "is the number of tokens, or a short sentence counts below zero. A perfect translation "
            "may then not score 1."
        ),
        SECTION,
        (
            counted(grams=with_short_ends),
            over_tokens,
            below_zero,
            short_on_one_side(hypothesis=True),
            short_on_one_side(hypothesis=False),
            counted(clipped, one_less_each),
        ),
        HAND,
    ),
    Misconception(
        "tokens-joined",
        counted(grams=joined_to_one_word),
        _(
            "The tokens of an n-gram are joined into one string without a gap. 'ab c' and 'a bc' "
            "are then equal, and wrong words count as right. Compare tuples."
        ),
        SECTION,
        case=LETTERS,
    ),
    Misconception(
        "grams-side-by-side",
        counted(grams=side_by_side),
        _(
            "The sentence is cut into pieces that do not overlap. Whether a phrase is found then "
            "depends on where the cuts fall. An n-gram starts at every token that has n - 1 others "
            "behind it."
        ),
        SECTION,
    ),
    Misconception(
        "order-within-a-gram-ignored",
        counted(grams=in_any_order),
        _(
            "The tokens of an n-gram match in any order. Longer n-grams are there to see whether "
            "the words stand in the right order. Compare tuples, not sets or sorted lists."
        ),
        SECTION,
    ),
)

MISCONCEPTIONS = (*COUNTS, *JOINING, *GRAMS)
