"""What chapter 08 claims of made-up networks: every claim holds once and fails once."""

from typing import Any

import pytest

from bottomup.experiments import Claim, Record, Verdict
from bottomup.experiments.engine.claim import EverySeedAbove, EverySeedBelow, MeanAbove
from bottomup.experiments.representation_analysis import experiment as analysis
from tests.experiments.records import record_of
from tests.experiments.representation_analysis import made_up_layers as layers

SECTIONS = {
    "08.1": ("What becomes of the input token", "abcdefghi", 2),
    "08.2": ("Where the target comes from", "abcdefghi", 2),
    "08.3": ("Which objectives lie close", "abcdefghijk", 3),
    "08.4": ("How much a layer changes", "abcdefgh", 4),
    "08.5": ("Neighbours and positions", "abc", 2),
}


def made_up(changes: layers.Numbers | None = None) -> Record:
    runs = [{"networks": layers.metrics(changes, factor=factor)} for factor in layers.FACTORS]
    return record_of("representation_analysis", runs, layers.CONFIG)


def claims(changes: layers.Numbers | None = None) -> dict[str, Claim]:
    return layers.by_id(analysis.EXPERIMENT.claims(made_up(changes)))


def near(value: Any) -> Any:
    return pytest.approx(value, abs=1e-12)


def test_claims_stand_in_order_under_the_headings_of_the_chapter():
    found = analysis.EXPERIMENT.claims(made_up())
    assert [(claim.id, claim.section, claim.digits) for claim in found] == [
        (f"{number}{letter}", section, digits)
        for number, (section, letters, digits) in SECTIONS.items()
        for letter in letters
    ]
    assert {claim.chapter for claim in found} == {"08"}
    assert {claim.record for claim in found} == {"representation_analysis/recorded"}


def test_claims_name_the_choices_of_the_record():
    found = claims()
    layers.assert_readable(list(found.values()))
    assert found["08.1a"].measured.endswith("LM, plug-in nats; 11 clusters, 13 types")
    assert found["08.1h"].measured.endswith("LM, held-out nats; 11 clusters, 13 types")
    for name in ("08.1g", "08.1i"):
        assert "17 types" in found[name].measured
    for name in ("08.2c", "08.2d", "08.2e", "08.2h", "08.2i"):
        assert "exchanged tokens (12 % of those of 31 frequent types)" in found[name].measured
    views = [found[f"08.3{letter}"].sentence for letter in "abcdef"]
    for number, words in enumerate(("13 most frequent", "29 most frequent", "37 types, less each")):
        assert words in views[number] and words in views[number + 3]
    assert found["08.3g"].measured.endswith("last layer, 29 types; pairs across starts")
    assert found["08.3h"].measured.endswith("LM–MLM, 13 types; pairs across starts")
    assert found["08.3i"].measured.endswith("last layer, 13 types")
    # the last group begins at rank 41, counted from 0, and has 19 types as every group
    rare, frequent = "types of rank 42 to 60", "19 most frequent types"
    assert f"{frequent} less {rare}" in found["08.4e"].measured
    for name in ("08.4f", "08.4g", "08.4h"):
        assert f"{rare} less the {frequent}" in found[name].measured
    assert "ranks 1–19, 24–42, 42–60 that may read it" in found["08.4g"].measured
    assert found["08.5c"].measured.endswith("last layer, after 1,100 steps")


def test_rows_say_what_else_the_record_holds():
    found = claims()  # of three seeds, all numbers of which are 1, 1.5 and 2 times those by hand
    entropies = "entropies are 4.65 and 6.30"  # 1.5 times 3.1 and 4.2
    assert found["08.2e"].measured.endswith(entropies)


def test_without_a_second_start_nothing_is_claimed_of_distances():
    table = {name: part for name, part in layers.metrics().items() if name != "distances"}
    made = record_of(analysis.NAME, [{"networks": table}], layers.CONFIG)
    found = layers.by_id(analysis.EXPERIMENT.claims(made))
    assert list(found) == [name for name in layers.main_rules() if not name.startswith("08.3")]


def test_margins_are_those_that_were_set_before_the_networks_were_measured():
    margins = {"08.1a": 0.5, "08.1c": 0.1, "08.1g": 0.9, "08.2a": 0.2, "08.2b": 0.2, "08.2c": 1,
               "08.2d": 0.2}  # fmt: skip
    others = {"08.1d": MeanAbove(0.05), "08.4h": EverySeedBelow(0)}
    for name, rule in layers.main_rules().items():
        assert rule == others.get(name, EverySeedAbove(margins.get(name, 0))), name


HOLDS = {
    "08.1a": 1.3,  # 5.3 - 4.0
    "08.1b": 0.5,  # 1.3 - 0.8
    "08.1c": 0.5,  # 5.2 - 4.7
    "08.1d": 0.4,  # 5.1 - 4.7
    "08.1e": 0.6,  # 1.3 - 0.7
    "08.1f": 0.3,  # 4.6 of MT - 4.3
    "08.1g": 0.93,
    "08.1h": 0.7,  # 4.4 of MT - 3.7
    "08.1i": 0.02,  # 0.95 of MT - 0.93
    "08.2a": 0.6,  # 2.4 - 1.8
    "08.2b": 1.3,  # 2.0 - 0.7
    "08.2c": 2.6,  # 3.7 - 1.1
    "08.2d": 1.4,  # 1.9 - 0.5
    "08.2e": 0.8,  # 1.9 - 1.1
    "08.2f": 0.4,  # 0.7 - 0.3
    "08.2g": 1.5,  # 1.4 + 0.1
    "08.2h": 0.9,  # 1.1 - 0.2
    "08.2i": 1.7,  # 2.5 - 0.8
    "08.3a": 0.73 / 3,
    "08.3b": 0.73 / 6,
    "08.3c": 0.073 / 3,
    "08.3d": 0.075,
    "08.3e": 0.0375,
    "08.3f": 0.0075,
    "08.3g": 0.045,  # half of 0.61 - 0.52
    "08.3h": 0.09,  # 0.40 - 0.31
    "08.3i": 0.18,  # 0.42 - 0.24
    "08.3j": 0.1,  # at layer 1: 0.2 less the mean of 0.10, 0.13 and 0.07
    "08.3k": 0.015,  # 0.03 at layer 3; at layer 2 all three are level
    "08.4a": 0.09,  # 0.25 - 0.16
    "08.4b": 0.05,  # 0.16 - 0.11
    "08.4c": 0.09,  # 0.15 - 0.06
    "08.4d": 0.07,  # 0.18 - 0.11
    "08.4e": 0.5 / 3,  # of MT; 1 / 3 of LM
    "08.4f": 0.3,  # 0.5 - 0.2
    "08.4g": 0.1,  # of MT; 0.2 of LM
    "08.4h": -0.2,  # mean of -0.1 and -0.3
    "08.5a": 0.05,  # 0.95 - 0.90
    "08.5b": 0.2,  # 0.90 - 0.70
    "08.5c": 0.2,  # 0.50 - 0.30
}


@pytest.mark.parametrize("name", HOLDS)
def test_a_claim_that_holds_by_hand(name: str):
    claim = claims()[name]
    assert claim.values == near([factor * HOLDS[name] for factor in layers.FACTORS])
    assert claim.verdict == Verdict.HOLDS


def across(view: str, pair: str) -> str:
    return f"distances.across.{view}.{pair}.*"


INFORMATION, BOUND = "information.*.plug_in", "information.*.held_out"
NEXT, HIDDEN = "next.*.held_out", "masked.original.*.held_out"
READ, ORIGINAL = "exchanged.read.*.held_out", "exchanged.original.*.held_out"
FAILS: list[tuple[str, dict[str, Any], float]] = [
    ("08.1a", {f"lm.{INFORMATION}": (5.3, 3.0, 3.0, 5.1)}, 0.2),
    ("08.1b", {f"mt.{INFORMATION}": (5.4, 5.1, 4.8, 4.0)}, -0.1),
    ("08.1c", {f"mlm.{INFORMATION}": (4.7, 4.8, 4.9, 5.1)}, -0.1),
    ("08.1c", {f"mlm.{INFORMATION}": (5.2, 5.16, 3.0, 5.2)}, 0.04),
    ("08.1d", {f"mlm.{INFORMATION}": (5.2, 4.9, 4.1, 4.91)}, 0.01),
    ("08.1e", {f"untrained_causal.{INFORMATION}": (5.6, 5.2, 5.0, 4.2)}, -0.1),
    ("08.1f", {f"mt.{INFORMATION}": (5.4, 5.1, 4.8, 4.1)}, -0.2),
    ("08.1f", {f"mlm.{INFORMATION}": (5.2, 4.7, 4.9, 4.2)}, -0.1),
    ("08.1g", {"lm.probe.layer_3.accuracy": 0.4}, 0.4),
    ("08.1h", {f"mt.{BOUND}": (5.3, 5.0, 4.7, 3.6)}, -0.1),
    ("08.1h", {f"mlm.{BOUND}": (5.0, 4.5, 4.6, 3.5)}, -0.2),
    ("08.1i", {"lm.probe.layer_3.accuracy": 0.96}, -0.01),
    ("08.1i", {"mlm.probe.layer_3.accuracy": 0.91}, -0.02),
    ("08.1i", {"mt.probe.layer_3.accuracy": 0.9}, -0.03),
    ("08.2a", {"lm.next.*.plug_in": (1.8, 2.9, 2.1, 1.87)}, 0.07),
    ("08.2b", {"mlm.masked.original.*.plug_in": (0.7, 1.2, 1.7, 0.75)}, 0.05),
    ("08.2c", {"mlm.exchanged.read.*.plug_in": (3.7, 0.1, 0.1, 3.3)}, 0.4),
    ("08.2d", {"mlm.exchanged.original.*.plug_in": (1.2, 1.9, 1.9, 1.25)}, 0.05),
    ("08.2e", {"mlm.exchanged.read.*.plug_in": (3.7, 0.1, 0.1, 2.1)}, -0.2),
    ("08.2f", {f"lm.{NEXT}": (1.5, 2.9, 2.9, 1.7)}, -0.1),
    ("08.2f", {f"untrained_causal.{NEXT}": (1.4, 1.5, 1.3, 2.3)}, -0.2),
    ("08.2g", {f"mlm.{HIDDEN}": (0.4, 0.9, 1.4, 0.2)}, -0.1),
    ("08.2g", {f"untrained.{HIDDEN}": (0.3, 0.5, 0.4, 1.9)}, -0.2),
    ("08.2h", {f"mlm.{ORIGINAL}": (0.2, 0.5, 1.0, 0.3)}, -0.1),
    ("08.2h", {f"untrained.{ORIGINAL}": (0.1, 0.2, 0.1, 1.4)}, -0.2),
    ("08.2i", {f"mlm.{READ}": (3.4, 0.1, 0.1, 2.8)}, -0.2),
    ("08.2i", {f"untrained.{READ}": (3.3, 3.0, 2.9, 0.7)}, -0.1),
    ("08.3a", {across("all", "mt_mt"): (0.5, 0.07, 0.89, 0.19)}, (1.21 - 1.26) / 3),
    ("08.3b", {across("frequent", "lm_lm"): (0.5, 0.7, 0.1, 0.15)}, (0.54 - 0.8) / 3),
    ("08.3c", {across("within", "mlm_mlm"): (0.05, 0.013, 0.017, 0.17)}, (0.156 - 0.219) / 3),
    ("08.3d", {across("all", "mlm_mt"): (0.5, 0.1, 0.43, 0.53)}, -0.015),
    ("08.3e", {across("frequent", "lm_mlm"): (0.5, 0.5, 0.1, 0.2)}, (-0.075 - 0.015) / 2),
    ("08.3f", {across("within", "lm_mt"): (0.5, 0.5, 0.03, 0.04)}, (-0.005 - 0.003) / 2),
    ("08.3g", {across("frequent", "lm_mt"): (0.9, 0.9, 0.9, 0.25)}, -0.01),
    ("08.3g", {across("frequent", "mlm_mt"): (0.1, 0.1, 0.1, 0.325)}, -0.02),
    ("08.3h", {across("all", "lm_mlm"): (0.1, 0.43, 0.1, 0.1)}, -0.03),
    ("08.3i", {"distances.shared.all.lm_mt.*": (0.9, 0.9, 0.9, -0.19)}, 0.2 - 0.24),
    ("08.3j", {"distances.shared.all.lm_mt.*": (0.9, 0.9, 0.9, -0.19)}, 0.2 - 0.24),
    ("08.3k", {"distances.shared.all.mlm_mt.*": (0.9, 0.9, 0.9, 0.9)}, (-0.6 - 0.49) / 2),
    ("08.4a", {"mt.change.all.*": (0.25, 0.26, 0.30)}, -0.02),
    ("08.4a", {"mlm.change.all.*": (0.25, 0.26, 0.27)}, -0.01),
    ("08.4b", {"mt.change.all.*": (0.19, 0.11, 0.24)}, -0.02),
    ("08.4b", {"lm.change.all.*": (0.10, 0.08, 0.06)}, -0.03),
    ("08.4c", {"mt.change.all.*": (0.06, 0.01, 0.07)}, -0.01),
    ("08.4d", {"mlm.change.all.*": (0.19, 0.21, 0.18)}, -0.03),
    ("08.4d", {"mlm.change.all.*": (0.05, 0.11, 0.18)}, -0.06),
    ("08.4e", {"mt.change_by_group.*.group_2": (0.5, 0.5, 0.6)}, -0.1),
    ("08.4e", {"lm.change_by_group.*.group_2": (0.9, 0.6, 0.6)}, -0.1),
    ("08.4f", {"mlm.change_by_group.*.group_2": (0.9, 0.9, 0.1)}, -0.1),
    ("08.4g", {"mt.influence_by_group.*.group_0": (0.3, 0.3, 0.4)}, -0.1),
    ("08.4g", {"lm.influence_by_group.*.group_0": (0.4, 0.4, 0.5)}, -0.1),
    ("08.4h", {"mlm.influence_by_group.*.group_2": (0.5, 0.6, 0.1)}, 0.1),
    ("08.5a", {"mt.neighbours.*.share": (1, 1, 1, 0.96)}, -0.01),
    ("08.5a", {"lm.neighbours.*.share": (1, 1, 1, 0.97)}, -0.02),
    ("08.5b", {"mt.neighbours.*.share": (1, 1, 1, 0.68)}, -0.02),
    ("08.5b", {"mlm.neighbours.*.share": (1, 1, 1, 0.69)}, -0.01),
    ("08.5c", {"mt.neighbours.*.position": (0, 0, 0, 0.52)}, -0.02),
    ("08.5c", {"lm.neighbours.*.position": (1, 1, 1, 0.29)}, -0.01),
]


@pytest.mark.parametrize(("name", "changes", "value"), FAILS)
def test_a_claim_that_fails_by_hand(name: str, changes: dict[str, Any], value: float):
    claim = claims(changes)[name]
    assert claim.values == near([factor * value for factor in layers.FACTORS])
    assert claim.verdict == Verdict.FAILS


def test_every_claim_is_tried_both_ways():
    assert list(HOLDS) == sorted({name for name, *_ in FAILS}) == list(claims())


def test_seeds_that_disagree_leave_a_claim_undecided():
    runs = [{"networks": layers.metrics(factor=factor)} for factor in (1, 1, -1)]
    mixed = record_of("representation_analysis", runs, layers.CONFIG)
    found = layers.by_id(analysis.EXPERIMENT.claims(mixed))
    assert found["08.2e"].values == near([0.8, 0.8, -0.8])
    assert found["08.2e"].verdict == Verdict.UNDECIDED
    two = record_of("representation_analysis", runs[:2], layers.CONFIG)
    verdicts = {claim.verdict for claim in analysis.EXPERIMENT.claims(two)}
    assert verdicts == {Verdict.UNDECIDED}
