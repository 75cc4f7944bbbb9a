"""Mistakes in a step of beam search: what competes, by which number, and what is carried on."""

from itertools import product

import torch

from bottomup.exercises.decoding.beam_step_parts import (
    all_zero,
    by_rank,
    by_sum,
    chosen,
    divided_by_beams,
    dropped,
    extended,
    newest_penalised,
    no_order,
    no_penalty,
    of_each,
    paid_again,
    right_sums,
    sorted_by_sums,
)
from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("Beam search")
HAND = _("two beams, three tokens, none has ended")
ENDED = _("two beams, one has ended")
PENALTY = _("two long beams and one that ended early")
SUMS = (right_sums, extended)

ENDINGS = (
    Misconception(
        "finished-beams-extended",
        chosen(extended),
        _(
            "A beam that has ended gets further tokens, or pays for its EOS once more. Its sum "
            "falls with every step, so finished sentences are pushed out by longer ones. An ended "
            "beam has one candidate: itself, with EOS and with the score it had."
        ),
        SECTION,
        (
            chosen(paid_again),
            chosen(
                extended,
                lambda beams: beams.penalty_of(beams.lengths[:, None] + 1),
            ),
        ),
        ENDED,
    ),
    Misconception(
        "finished-beams-dropped",
        chosen(dropped),
        _(
            "A beam that has ended has no candidate left, so the sentence is lost in the step "
            "after its EOS. Some searches move ended sentences to a list of their own; here "
            "nothing else keeps them. An ended beam goes on competing as it is."
        ),
        SECTION,
        case=ENDED,
    ),
    Misconception(
        "finished-beam-many-times",
        chosen(all_zero),
        _(
            "A beam that has ended competes once for every token, with the same score. Copies of "
            "one sentence then fill the beam. Give it one candidate, EOS, and minus infinity for "
            "the other tokens."
        ),
        SECTION,
        case=ENDED,
    ),
    Misconception(
        "finished-length-grows",
        chosen(penalty=lambda beams: beams.penalty_of(beams.lengths[:, None] + 1)),
        _(
            "A beam that has ended is ranked as if it had one token more. Its rank then rises from "
            "step to step though nothing is added. Only a beam that goes on gets longer."
        ),
        SECTION,
        case=PENALTY,
    ),
)

PENALTIES = (
    Misconception(
        "penalty-inverted",
        chosen(ranked=torch.mul),
        _(
            "The length penalty is turned round: it multiplies. Log-probabilities are negative, so "
            "a long sentence then falls further back, and translations become shorter than "
            "without it. Divide the sum by the penalty."
        ),
        SECTION,
        (chosen(penalty=lambda beams: beams.penalty_of(beams.new_lengths) ** -1),),
        PENALTY,
    ),
    Misconception(
        "penalty-missing",
        chosen(penalty=no_penalty),
        _(
            "The candidates are ranked by their sums. Every further token makes a sum smaller, so "
            "the search prefers sentences that end early. Rank by the sum divided by the length "
            "penalty."
        ),
        SECTION,
        case=PENALTY,
    ),
    Misconception(
        "length-before-the-step",
        chosen(penalty=lambda beams: beams.penalty_of(beams.lengths[:, None])),
        _(
            "The penalty is taken for the length before this step. A beam that goes on has one "
            "token more after it, an ended one has not, and the two are compared. Add one where a "
            "beam has not ended."
        ),
        SECTION,
        case=PENALTY,
    ),
    Misconception(
        "another-penalty",
        chosen(penalty=lambda beams: beams.new_lengths**beams.alpha),
        _(
            "Another penalty is used: perhaps the plain length to the power of alpha, which is "
            "also in use and prefers long sentences more, or a bracket is missing, as in "
            "(5 + length / 6) ** alpha. The same alpha then means something else. The statement "
            "asks for ((5 + length) / 6) ** alpha."
        ),
        SECTION,
        (
            chosen(penalty=lambda beams: beams.new_lengths.float()),
            chosen(penalty=lambda beams: (5 + beams.new_lengths / 6) ** beams.alpha),
        ),
        PENALTY,
    ),
    Misconception(
        "penalty-on-the-newest-token",
        chosen(
            newest_penalised,
            no_penalty,
            lambda b, r: (r[0], r[1], b.sums[r[0], r[1]]),
        ),
        _(
            "Only the newest log-probability is divided by the penalty. The penalty is for the "
            "length of the whole sentence: an ended beam keeps its old sum here, and a long one is "
            "compared with it as if there were no penalty. Divide the sum."
        ),
        SECTION,
        (chosen(newest_penalised, no_penalty),),
        PENALTY,
    ),
    Misconception(
        "sorted-by-sums",
        chosen(returned=sorted_by_sums),
        _(
            "The right candidates are returned in the order of their sums. Where a beam has ended "
            "the lengths differ, and a short sentence with the best sum may have a worse rank. The "
            "statement asks for the best rank first, not the best sum."
        ),
        SECTION,
        case=PENALTY,
    ),
    Misconception(
        "penalised-score-returned",
        chosen(returned=lambda b, r: (r[0], r[1], (b.sums / b.penalty)[r[0], r[1]])),
        _(
            "The score that is returned is divided by the penalty already. The next step adds to "
            "it and divides again, so early words count less and less. Rank by the quotient, and "
            "carry the sum."
        ),
        SECTION,
        case=HAND,
    ),
)

COMPETITION = (
    Misconception(
        "best-of-each-beam",
        of_each(by_rank),
        _(
            "Each beam keeps its own best token. That is greedy search several times over: a weak "
            "beam is never given up, and two good words after the same prefix cannot both stay. "
            "Take the best of all beam times V candidates together."
        ),
        SECTION,
        tuple(of_each(*way) for way in product((by_rank, by_sum, no_order), SUMS))[1:],
        HAND,
    ),
    Misconception(
        "scores-not-accumulated",
        chosen(lambda beams: beams.allowed),
        _(
            "Only the newest token counts. The candidates are compared by one log-probability, and "
            "what came before is forgotten: a sure word after an unlikely prefix wins. A candidate "
            "has the sum of its beam plus its own log-probability."
        ),
        SECTION,
        (
            chosen(
                lambda beams: beams.allowed,
                returned=lambda b, r: (r[0], r[1], b.sums[r[0], r[1]]),
            ),
            chosen(returned=lambda b, r: (r[0], r[1], b.allowed[r[0], r[1]])),
            chosen(lambda beams: beams.scores[:, None] + beams.log_p.exp()),
        ),
        HAND,
    ),
    Misconception(
        "divided-by-the-beams",
        chosen(returned=divided_by_beams),
        _(
            "The flat number of a candidate is taken apart with the number of beams. A row of the "
            "table has V entries: beam = number // V, token = number % V. With another divisor the "
            "words go to the wrong prefixes."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "beam-and-token-exchanged",
        chosen(returned=lambda b, r: (r[1], r[0], r[2])),
        _(
            "Beam and token have changed places. The quotient by V is the beam that is continued, "
            "the remainder is the token. The caches are reordered by the first and the second is "
            "what the model reads next."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "least-probable-kept",
        chosen(ranked=lambda sums, penalty: -sums / penalty),
        _(
            "The smallest candidates are kept, or the sign was lost. A log-probability is negative "
            "and the better candidate is the larger one, nearer to zero. Take the largest."
        ),
        SECTION,
        case=HAND,
    ),
)

MISCONCEPTIONS = (*ENDINGS, *PENALTIES, *COMPETITION)
