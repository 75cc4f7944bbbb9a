"""Mistakes in the alignment error rate."""

from bottomup.exercises.attention.alignment_error_wrong import (
    BRACKETS,
    MEANS,
    PRECISION,
    averaged,
    averaged_without_empty,
    f_measure,
    from_counts,
    merged,
    over_union,
    rate,
    recall,
    skipping,
)
from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("Alignment error rate")
PERFECT = _("a perfect alignment")
SILENT = _("a sentence for which nothing is predicted")

MISCONCEPTIONS = (
    Misconception(
        "sure-possible-swapped",
        lambda links, sure, possible: rate(links, possible, sure),
        _(
            "Sure and possible links have changed places. The numerator treats both alike, so the "
            "difference is the denominator: |A| + |P| instead of |A| + |S|. The aligner is then "
            "charged for every possible link that it left out, although those are optional."
        ),
        SECTION,
    ),
    Misconception(
        "precision-only",
        PRECISION[0],
        _(
            "This is one minus the precision: of the predicted links, the share that is not even "
            "possible. An aligner that predicts a single safe link for the whole text would "
            "have no error. The sure links that are missed have to count as well."
        ),
        SECTION,
        PRECISION[1:],
        case=SILENT,
    ),
    Misconception(
        "recall-only",
        lambda links, sure, possible: 1 - recall(links, sure),
        _(
            "This is one minus the recall: of the sure links, the share that was missed. An "
            "aligner that links every word with every word would have no error. The predicted "
            "links that are not possible have to count as well."
        ),
        SECTION,
    ),
    Misconception(
        "accuracy",
        lambda *sets: 1 - rate(*sets),
        _(
            "This is the share of agreement, and the rate of error is one minus it. Reported as an "
            "AER it would rank the best aligner last: 0 is perfect, 1 is no link in common."
        ),
        SECTION,
    ),
    Misconception(
        "averaged-over-sentences",
        averaged(0.0),
        _(
            "The rate is computed for each sentence and then averaged, so a wrong link in a "
            "sentence with two links weighs fifteen times as much as in one with thirty. Sum the "
            "counts over all sentences, then divide once."
        ),
        SECTION,
        (averaged(1.0), averaged(None), averaged_without_empty),
    ),
    Misconception(
        "one-sentence-only",
        lambda *sets: rate(*(each[:1] for each in sets)),
        _(
            "Only one sentence is counted, the first or the last. A return inside the loop ends it "
            "at the first sentence, and = in the place of += keeps the last alone. Add up over all "
            "sentences, and divide after the loop."
        ),
        SECTION,
        (lambda *sets: rate(*(each[-1:] for each in sets)),),
    ),
    Misconception(
        "sure-link-counted-once",
        from_counts(0, 1),
        _(
            "A sure link that is found counts once in your numerator. It has to count twice, once "
            "in |A ∩ S| and once in |A ∩ P|, since P contains S, as it counts twice in |A| + |S|. "
            "Counted once, it gives a perfect alignment an AER of 0.5."
        ),
        SECTION,
        case=PERFECT,
    ),
    Misconception(
        "possible-ignored",
        from_counts(2, 0),
        _(
            "Only the links in S count as found, so a predicted link that is possible but not sure "
            "counts as an error. Annotators mark a link as possible where they do not insist: the "
            "aligner may predict it. The numerator needs |A ∩ P| as well."
        ),
        SECTION,
        (from_counts(1, 0),),
    ),
    Misconception(
        "possible-counted-twice",
        from_counts(0, 2),
        _(
            "A predicted link that is possible but not sure counts twice in your numerator, like a "
            "sure one. It counts once in |A| and not at all in |S|, so the rate can fall below "
            "zero. The numerator is |A ∩ S| + |A ∩ P|."
        ),
        SECTION,
    ),
    Misconception(
        "sure-ignored",
        lambda links, sure, possible: rate(links, possible, possible),
        _(
            "The sure links are not used: possible ones stand in their place, also in the "
            "denominator. The aligner is then charged for every possible link that it left out, "
            "although those are optional. Use S for what must be found, P for what may be."
        ),
        SECTION,
    ),
    Misconception(
        "mean-of-precision-and-recall",
        MEANS[0],
        _(
            "This is one minus a mean of precision and recall. Both then weigh the same, however "
            "few links are predicted: a single safe link gives half the score. AER adds up before "
            "it divides, so each counts by its number of links. Divide once, by |A| + |S|."
        ),
        SECTION,
        MEANS[1:],
    ),
    Misconception(
        "f-measure",
        lambda links, sure, possible: f_measure(links, possible, sure),
        _(
            "This is the F-measure of precision and recall: a measure of agreement, where the "
            "error rate is one minus agreement. It also weighs precision and recall alike, where "
            "AER adds up what is found and divides once, by |A| + |S|."
        ),
        SECTION,
        (lambda links, sure, possible: f_measure(links, sure, sure),),
    ),
    Misconception(
        "divided-by-the-union",
        over_union,
        _(
            "The hits are divided by |A ∪ S|, where a link that is in both counts once. Above the "
            "line it counts twice, so a perfect alignment gets -1. The denominator is |A| + |S|, "
            "two sizes added."
        ),
        SECTION,
        case=PERFECT,
    ),
    Misconception(
        "brackets-missing",
        BRACKETS[0],
        _(
            "Brackets are missing or stand in another place: Python divides before it adds. "
            "Without them only a part of the sum is above or below the line. Write 1 - (x + y) / "
            "(a + s), or add up both sums first and divide afterwards."
        ),
        SECTION,
        BRACKETS[1:],
    ),
    Misconception(
        "sentences-merged",
        merged,
        _(
            "The links of all sentences are in one set before they are compared. The pair (0, 0) "
            "of one sentence and that of another are then the same link: it counts once, and a "
            "link predicted in one sentence is found in another. Intersect sentence by sentence."
        ),
        SECTION,
    ),
    Misconception(
        "percent",
        lambda *sets: 100 * rate(*sets),
        _(
            "This is the rate in percent, a hundred times the value of the formula. Papers print "
            "it so; a function that returns it invites a comparison of 0.2 with 20. Return the "
            "number between 0 and 1."
        ),
        SECTION,
        (lambda *sets: round(100 * rate(*sets), 2),),
    ),
    Misconception(
        "empty-sentence-skipped",
        skipping(None),
        _(
            "A sentence for which nothing is predicted is left out. Its sure links were missed, "
            "and they belong into |S|. An aligner that stays silent on every hard sentence would "
            "be scored on the easy ones only."
        ),
        SECTION,
        (
            skipping(0.0),
            skipping(1.0),
            skipping(None, both=True),
            skipping(0.0, both=True),
            skipping(1.0, both=True),
        ),
    ),
)
