import math
from dataclasses import replace

import numpy as np
import pytest

from bottomup.experiments import (
    Claim,
    EverySeedAbove,
    EverySeedBelow,
    Kind,
    MeanAbove,
    Rule,
    Verdict,
)
from bottomup.experiments.engine.claim import ResampledAbove


def claim(rule: Rule, *values: float, digits: int = 2) -> Claim:
    return Claim(
        id="07.3b",
        kind=Kind.PAPER,
        sentence="It grows.",
        source="Nobody (1999), table 1",
        paper_value="2",
        measured="growth",
        rule=rule,
        values=values,
        record="toy/tiny",
        section="Nowhere",
        digits=digits,
    )


@pytest.mark.parametrize(
    "rule, values, verdict",
    [
        (EverySeedAbove(5), (5.1, 7, 9), Verdict.HOLDS),
        (EverySeedAbove(5), (5.1, 5, 9), Verdict.UNDECIDED),
        (EverySeedAbove(5), (1, 5, -9), Verdict.FAILS),
        (EverySeedAbove(5), (7, 9), Verdict.UNDECIDED),
        (EverySeedBelow(5), (4.9, 0, -3), Verdict.HOLDS),
        (EverySeedBelow(5), (4.9, 5, -3), Verdict.UNDECIDED),
        (EverySeedBelow(5), (5, 6, 7), Verdict.FAILS),
        (EverySeedBelow(5), (1, 1), Verdict.UNDECIDED),
        # mean 3, deviation 1: the interval is 3 ± 4.3027 / sqrt(3) = 3 ± 2.484
        (MeanAbove(0.51), (2, 3, 4), Verdict.HOLDS),
        (MeanAbove(0.52), (2, 3, 4), Verdict.UNDECIDED),
        (MeanAbove(3.0), (2, 3, 4), Verdict.UNDECIDED),
        (MeanAbove(5.48), (2, 3, 4), Verdict.UNDECIDED),
        (MeanAbove(5.49), (2, 3, 4), Verdict.FAILS),
        (MeanAbove(-9.5), (-8, -7, -6), Verdict.HOLDS),
        # five seeds, deviation 1: 3 ± 2.7764 / sqrt(5) = 3 ± 1.242
        (MeanAbove(1.75), (3 - 2**0.5, 3, 3, 3, 3 + 2**0.5), Verdict.HOLDS),
        (MeanAbove(1.76), (3 - 2**0.5, 3, 3, 3, 3 + 2**0.5), Verdict.UNDECIDED),
        (MeanAbove(0.0), (8, 8), Verdict.UNDECIDED),
        # 39 of 40 are 97.5 %
        (ResampledAbove(1.0), (2,) * 195 + (0,) * 5, Verdict.HOLDS),
        (ResampledAbove(1.0), (2,) * 194 + (0,) * 6, Verdict.UNDECIDED),
        (ResampledAbove(1.0), (2,) * 6 + (0,) * 194, Verdict.UNDECIDED),
        (ResampledAbove(1.0), (2,) * 5 + (0,) * 195, Verdict.FAILS),
        (ResampledAbove(1.0), (1,) * 200, Verdict.FAILS),
        (ResampledAbove(1.0), (2,) * 99, Verdict.UNDECIDED),
    ],
)
def test_a_rule_gives_the_verdict(rule: Rule, values: tuple[float, ...], verdict: Verdict):
    assert claim(rule, *values).verdict == verdict


@pytest.mark.parametrize(
    "room, verdict",
    [
        (None, Verdict.FAILS),
        ((0.9, 0.9, 0.9), Verdict.FAILS),
        ((0.0, 0.1, 0.9), Verdict.FAILS),  # a mean of a third was possible
        ((0.02, 0.02, 0.02), Verdict.UNDECIDED),
        ((0.0, 0.01, 0.02), Verdict.UNDECIDED),
    ],
)
def test_a_rule_that_could_not_be_met_decides_nothing(
    room: tuple[float, ...] | None, verdict: Verdict
):
    bounded = replace(claim(MeanAbove(0.02), -0.001, 0, 0.001), room=room)
    assert bounded.verdict == verdict
    assert bounded.is_out_of_reach == (verdict == Verdict.UNDECIDED)


@pytest.mark.parametrize(
    "rule, met",
    [
        (EverySeedAbove(5), [False, False, True]),
        (EverySeedBelow(5), [True, False, False]),
        (MeanAbove(5), [False, False, True]),
        (ResampledAbove(5), [False, False, True]),
    ],
)
def test_a_number_on_the_margin_does_not_meet_a_rule(rule: Rule, met: list[bool]):
    assert [rule.is_met_by(value) for value in (4.9, 5, 5.1)] == met


RULES = [
    (EverySeedAbove(1.5), 3, 1 / 8),
    (EverySeedBelow(1.5), 3, 1 / 8),
    (EverySeedAbove(1.5), 5, 1 / 32),
    (MeanAbove(1.5), 3, 0.025),
    (MeanAbove(1.5), 5, 0.025),
]


@pytest.mark.parametrize("rule, seeds, rate", RULES)
def test_chance_meets_a_rule_as_often_as_it_says(rule: Rule, seeds: int, rate: float):
    """Normal noise around the margin, and no effect: how often does the claim hold?"""
    trials = 4_000
    noise = np.random.default_rng(3).normal(rule.margin, 0.7, (trials, seeds))
    held = sum(rule.judge(values) is Verdict.HOLDS for values in noise.tolist())
    assert (rule.chance(seeds), rule.chance(2)) == (pytest.approx(rate), 0)
    assert abs(held / trials - rate) < 4 * math.sqrt(rate / trials)


def test_claims_stand_in_the_order_of_their_numbers_and_not_of_their_letters():
    ids = ["02b.1", "08.9b", "08.10", "08.10a", "10.1a", "10b.1a"]
    each = [replace(claim(EverySeedAbove(0), 1, 2, 3), id=id) for id in ids]
    assert [found.id for found in sorted(reversed(each), key=lambda one: one.place)] == ids


@pytest.mark.parametrize(
    "kind, rule, values, shown",
    [
        (Kind.PAPER, EverySeedAbove(0), (1.0, 2.0, 3.0), "2.00 ± 1.00 over 3 seeds"),
        (Kind.PAPER, EverySeedAbove(0), (1.0, 1.0, 1.0), "1.00 ± 0.00 over 3 seeds"),
        (Kind.IDENTITY, EverySeedAbove(0), (1.0, 2.0, 3.0), "2.00 ± 1.00 over 3 seeds"),
        (Kind.IDENTITY, EverySeedAbove(0), (-1.0, -1.0, -1.0), "−1.00"),
        (Kind.PAPER, ResampledAbove(0), (1.0,) * 100,
         "1.00 ± 0.00 over 100 resampled test sets, one training"),
    ],
)  # fmt: skip
def test_a_value_says_over_what_it_was_taken(kind: Kind, rule: Rule, values, shown: str):
    found = replace(claim(rule, *values), kind=kind)
    assert (found.value_over_runs, found.chapter) == (shown, "07")


def test_a_value_is_shown_with_its_spread_and_a_true_minus_sign():
    shown = claim(EverySeedAbove(0.3), -1.0, -2.0, -3.0, digits=1)
    assert (shown.value, shown.mean, shown.spread) == ("−2.0 ± 1.0", -2.0, 1.0)
    alone = claim(EverySeedAbove(0), 0.125)
    assert (alone.value, alone.spread) == ("0.12", None)


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"kind": Kind.REPETITION, "repeats": None}, "repeats"),
        ({"kind": Kind.PAPER, "repeats": "01.1a"}, "repeats"),
        ({"values": ()}, "values"),
        ({"values": (1.0, math.nan)}, "values"),
    ],
)
def test_a_claim_that_cannot_be_is_refused(changes: dict, sentence: str):
    with pytest.raises(ValueError, match=sentence):
        replace(claim(EverySeedAbove(0), 1.0), **changes)
