"""Mistakes with three measurements of use: what each proves, and how it is taken."""

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.representation_analysis.rank_interventions_parts import (
    along_control_by,
    control_removed,
    counted_above_half,
    distance,
    followed_if_needed,
    followed_if_readable,
    largest,
    measuring,
    on_top_of_the_removal,
    ranked,
    removal_first,
    step_alone,
    step_by_step,
    strongest,
    weakest,
    with_a_mean,
)
from bottomup.i18n import _

SECTION = _("What an intervention proves")
FOLLOWS = _("the answer is looked up for the token")
IGNORES = _("the token is there, the answer is the context's")
LENGTH = _("the answer is the context's, for states of the usual length only")
GATED = _("the answer is the context's, if some token is there")
COMPARES = _("the answer is the context's, if the token's is the same")
MOSTLY = _("the token decides in three of four sentences")
COPY = _("the token decides, and a weaker copy where it is missing")

CLAIMS = (
    Misconception(
        "probe-taken-as-use",
        measuring(verdict=lambda a, b, c: ranked(a, b, c)),
        _(
            "What a probe can read is taken as used. The probe was fitted from outside; nothing "
            "says that the layers above read the same directions, and here is a network that does "
            "not. A probe proves that the token can be read, claim 1."
        ),
        SECTION,
        (
            measuring(verdict=lambda a, b, c: 3 if a > 0.5 else strongest(a, b, c)),
            measuring(verdict=lambda a, b, c: ranked(a, c, b)),
            measuring(verdict=lambda a, b, c: ranked(c, a, b)),
        ),
        IGNORES,
    ),
    Misconception(
        "removal-taken-as-use",
        measuring(verdict=lambda a, b, c: ranked(b, c, a)),
        _(
            "A removal that changes the answer is taken as proof that the answer follows the "
            "token. It may depend on this part in another way: whether anything is there, or "
            "whether it fits the rest. Only the donor's answer shows that the token decides which."
        ),
        SECTION,
        (
            measuring(verdict=lambda a, b, c: 3 if b > 0.5 else strongest(a, b, c)),
            measuring(verdict=lambda a, b, c: ranked(b, a, c)),
        ),
        GATED,
    ),
    Misconception(
        "removal-required",
        measuring(verdict=step_by_step),
        _(
            "The strongest claim is granted only if the weaker measurements succeed as well. A "
            "removal can change nothing because a copy takes over, and a linear probe can fail "
            "where the network reads something that is not linear. The swap needs neither: what "
            "fails proves nothing."
        ),
        SECTION,
        (
            measuring(verdict=counted_above_half),
            measuring(verdict=followed_if_needed),
            measuring(verdict=followed_if_readable),
        ),
        COPY,
    ),
    Misconception(
        "weakest-claim",
        measuring(verdict=weakest),
        _(
            "The weakest claim that holds is returned: the questions are asked from the bottom, "
            "and the first yes ends them. Nearly every network would get 1, for a token can nearly "
            "always be read. Begin with the strongest claim."
        ),
        SECTION,
        case=FOLLOWS,
    ),
    Misconception(
        "removal-before-swap",
        measuring(verdict=removal_first),
        _(
            "The removal is asked before the swap. Where the answer follows the token, taking the "
            "part away changes it too, so such a network gets 2 and hardly any gets 3. The swap "
            "proves more: ask for claim 3 first."
        ),
        SECTION,
        case=FOLLOWS,
    ),
    Misconception(
        "largest-share",
        measuring(verdict=largest(later=False, gated=False)),
        _(
            "The claim is that of the largest share. The shares answer different questions, and a "
            "probe that is right more often than a swap says nothing against the swap. Hold each "
            "share against 1/2, from the strongest claim down."
        ),
        SECTION,
        (
            measuring(verdict=largest(later=False, gated=True)),
            measuring(verdict=largest(later=True, gated=False)),
            measuring(verdict=largest(later=True, gated=True)),
        ),
        MOSTLY,
    ),
)

REMOVAL = (
    Misconception(
        "removed-without-control",
        measuring(moved=None),
        _(
            "Nothing is taken off what the removal does. A state without the part is one that the "
            "layers above may never have met, and they may fail at any state that is as far off. "
            "Move h as far along control, count the answers that change, and subtract."
        ),
        SECTION,
        (
            measuring(moved=None, verdict=lambda a, b, c: ranked(b, c, a)),
            measuring(moved=None, verdict=lambda a, b, c: 3 if b > 0.5 else strongest(a, b, c)),
        ),
        LENGTH,
    ),
    Misconception(
        "control-of-another-size",
        measuring(moved=along_control_by(lambda h, here: 1.0)),
        _(
            "The control moves the states by another length than the removal did. A small step "
            "changes nothing, whatever the direction, and a large one everything, so the "
            "difference says nothing about the direction. The length is that of the part, "
            "for each sentence: `here.norm(dim=1, keepdim=True)`."
        ),
        SECTION,
        (
            measuring(moved=control_removed),
            measuring(moved=along_control_by(lambda h, here: h.norm(dim=1, keepdim=True))),
            measuring(moved=along_control_by(lambda h, here: here.norm())),
        ),
        LENGTH,
    ),
    Misconception(
        "control-from-another-state",
        measuring(moved=on_top_of_the_removal),
        _(
            "The control does not start from h. Without the part it repeats the removal and takes "
            "its effect away; without anything else no network could answer. The two states to "
            "compare are h less its part, and h with a step of the same length along control."
        ),
        SECTION,
        (measuring(moved=step_alone),),
        FOLLOWS,
    ),
    Misconception(
        "mean-instead-of-zero",
        measuring(removed=with_a_mean),
        _(
            "The part is replaced by its mean over the sentences. That is often the fairer "
            "removal, since the states stay closer to those that the network knows. The statement "
            "asks for zero, and for a control that shows what zero does by itself."
        ),
        SECTION,
    ),
    Misconception(
        "rest-instead-of-part",
        measuring(removed=lambda h, here: here),
        _(
            "The part is kept and everything else is removed, or swapped. That asks whether the "
            "part is enough, where the question is what happens without it. `h @ part @ part.T` is "
            "what goes: subtract it from h."
        ),
        SECTION,
        (
            measuring(patched=lambda h, here, donor: h[donor] - here[donor] + here),
            measuring(
                removed=lambda h, here: here,
                patched=lambda h, here, donor: h[donor] - here[donor] + here,
            ),
        ),
        IGNORES,
    ),
    Misconception(
        "answers-subtracted",
        measuring(changed=distance),
        _(
            "The answers are subtracted from each other. They are names, and 9 is no farther from "
            "0 than 1 is. Count the sentences in which the answer is another one."
        ),
        SECTION,
    ),
)

SWAP = (
    Misconception(
        "any-change-counted",
        measuring(counted=lambda now, before, tokens, donor: now != before),
        _(
            "Every answer that changes counts as a success of the swap. A state put together from "
            "two sentences may be one that the network cannot place, and then it answers something "
            "else. Only the donor's answer shows that it has followed the token."
        ),
        SECTION,
        case=COMPARES,
    ),
    Misconception(
        "wrong-answer-compared",
        measuring(counted=lambda now, before, tokens, donor: now == before),
        _(
            "The answer after the swap is compared with something other than the donor's answer: "
            "with the answer before, with a token, or with the donor's number. What the network "
            "says of the donor itself is `answer[donor]`."
        ),
        SECTION,
        (
            measuring(counted=lambda now, before, tokens, donor: now == tokens[donor]),
            measuring(counted=lambda now, before, tokens, donor: now == donor),
            measuring(counted=lambda now, before, tokens, donor: now == tokens),
        ),
        FOLLOWS,
    ),
    Misconception(
        "whole-state-changed",
        measuring(patched=lambda h, here, donor: h[donor]),
        _(
            "The whole state of the donor is put in, or the whole state removed. The network then "
            "gives the donor's answer, or another one, whatever it reads, and every network "
            "passes. Change the part alone, and leave the rest of h as it is."
        ),
        SECTION,
        (
            measuring(removed=lambda h, here: 0 * h),
            measuring(removed=lambda h, here: 0 * h, patched=lambda h, here, donor: h[donor]),
        ),
        IGNORES,
    ),
    Misconception(
        "part-added",
        measuring(patched=lambda h, here, donor: h + here[donor]),
        _(
            "The donor's part is added, and the own one stays. The state then holds two tokens, "
            "and the answer says which is stronger, not which is used. Take the own part away "
            "first: h - here + here[donor]."
        ),
        SECTION,
        case=FOLLOWS,
    ),
    Misconception(
        "part-alone",
        measuring(patched=lambda h, here, donor: here[donor]),
        _(
            "Only the donor's part goes into the network, without the rest of the state. What the "
            "network does with so strange a state says little about what it does with sentences. "
            "The rest of h stays: h - here + here[donor]."
        ),
        SECTION,
        case=COMPARES,
    ),
)

MISCONCEPTIONS = (*CLAIMS, *REMOVAL, *SWAP)
