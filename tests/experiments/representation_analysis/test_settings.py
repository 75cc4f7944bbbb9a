"""Chapter 08 under other settings: a tiny run, what a setting changes, shares by hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from bottomup import experiments, results
from bottomup.experiments import Record, Verdict
from bottomup.experiments.representation_analysis import experiment as analysis
from bottomup.experiments.representation_analysis.again import again, main_claims
from bottomup.experiments.representation_analysis.measure import Networks
from bottomup.experiments.representation_analysis.settings import experiment as settings
from bottomup.experiments.representation_analysis.settings.quantities import (
    FROM_CLUSTERS,
    by_setting,
    share_of_settings,
)
from tests.experiments.records import record_of
from tests.experiments.representation_analysis import made_up_layers as layers
from tests.experiments.representation_analysis.tiny_layers import CPU, OBJECTIVES, asked

TINY = settings.PRESETS["tiny"]
RECORDED = settings.PRESETS["recorded"]
CLAIMS = [f"08.7{letter}" for letter in "abcdefghijklm"]


# ---- A tiny run


@pytest.fixture(scope="module")
def tiny() -> Record:
    return settings.run(TINY, [3], "cpu")


def test_a_tiny_run_gives_every_setting_and_every_claim(tiny: Record):
    found = tiny.runs[0]["metrics"]
    assert list(found) == ["base", "norm_pre"]
    for table in found.values():
        assert list(table) == [*OBJECTIVES, "untrained", "untrained_causal", "distances", "tokens"]
    assert found["base"]["lm"]["loss"] != found["norm_pre"]["lm"]["loss"]
    claims = experiments.claims(tiny)
    assert [claim.id for claim in claims] == CLAIMS
    assert {value for claim in claims for value in claim.values} <= {0, 0.5, 1}
    assert {claim.verdict for claim in claims} == {Verdict.UNDECIDED}  # one seed


# ---- Settings


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("base", {}),
        ("width_48", {"d_model": 48, "d_ff": 192}),
        ("norm_pre", {"norm": "pre"}),
        ("depth_3", {"num_layers": 3, "starts": 1}),
        ("steps_1000", {"steps": 1_000, "starts": 1}),
        ("clusters_100", {"clusters": 100, "starts": 1}),
    ],
)
def test_a_setting_changes_what_its_name_says(name: str, changes, tmp_path: Path, monkeypatch):
    seen = asked(monkeypatch, settings, "measure_networks", {"lm": {"loss": 2.5}})
    path = tmp_path / "unit.pt"
    found = settings.measure(RECORDED, name, 7, CPU, path)
    assert found.metrics == {"lm": {"loss": 2.5}}
    assert seen == [Networks(replace(RECORDED.base, **changes), 7, CPU, path)]
    assert list(tmp_path.iterdir()) == []


def test_all_settings_are_recorded_and_the_networks_are_smaller_than_the_main_ones():
    assert settings.variants(RECORDED) == tuple(settings.CHANGES)
    assert RECORDED.base.num_layers < analysis.PRESETS["recorded"].num_layers
    assert RECORDED.base.steps < analysis.PRESETS["recorded"].steps


@pytest.mark.parametrize("preset", settings.PRESETS)
def test_every_setting_of_every_preset_can_be_measured(preset: str):
    chosen = settings.PRESETS[preset]
    assert settings.variants(chosen)[0] == "base"
    assert chosen.base.starts == 2
    for name in settings.variants(chosen):
        config = replace(chosen.base, **settings.CHANGES[name])
        assert config == chosen.base or name != "base"
        assert config.objectives == OBJECTIVES
        assert config.warmup < config.steps
        assert config.d_model % config.num_heads == 0
        assert config.rows >= 100 * config.d_model  # as many as a distance asks for
        assert config.num_layers >= 3  # a claim compares the ends with the layers between them


# ---- Shares and claims

# Changes with which a claim fails, by its number.
CROSSED: layers.Numbers = {"mlm.exchanged.read.*.plug_in": (3.7, 0.1, 0.1, 2.1)}  # 08.2e
APART: layers.Numbers = {"distances.across.frequent.lm_lm.*": (0.5, 0.7, 0.1, 0.15)}  # 08.3b
# What is changed in each setting; the one named "one_start" has no distances.
Run = dict[str, layers.Numbers | None]


def made_up(*runs: Run) -> Record:
    tables = [{name: layers.metrics(changes) for name, changes in run.items()} for run in runs]
    for table in tables:
        if "one_start" in table:
            del table["one_start"]["distances"]
    return record_of("representation_analysis_settings", tables, {"base": layers.CONFIG})


def test_the_share_of_settings_keeps_to_the_rule_of_the_main_record():
    influence: layers.Numbers = {"mlm.influence_by_group.*.group_2": (0.5, 0.6, 0.1)}
    falls: layers.Numbers = {"lm.information.*.plug_in": (5.3, 3.0, 3.0, 5.1)}  # by 0.2, not 0.5
    record = made_up(
        {"base": None, "depth": CROSSED, "norm": influence},
        {"base": CROSSED, "depth": CROSSED, "norm": CROSSED},
        {"base": None, "depth": falls, "norm": falls},
    )
    assert share_of_settings(record, "08.2e") == pytest.approx((2 / 3, 0, 1))
    assert share_of_settings(record, "08.4h") == pytest.approx((2 / 3, 1, 1))  # below 0
    assert share_of_settings(record, "08.1a") == pytest.approx((1, 1, 1 / 3))


def test_the_share_of_seeds_in_each_setting_by_hand():
    found = by_setting(
        made_up(
            {"base": None, "depth": CROSSED, "one_start": CROSSED},
            {"base": APART, "depth": None, "one_start": CROSSED},
            {"base": CROSSED, "depth": None, "one_start": CROSSED},
        )
    )
    assert list(found) == list(main_claims())
    assert found["08.2e"] == pytest.approx({"base": 2 / 3, "depth": 2 / 3, "one_start": 0})
    assert found["08.3b"] == pytest.approx({"base": 2 / 3, "depth": 1})
    assert found["08.1a"] == {"base": 1, "depth": 1, "one_start": 1}


def test_other_clusters_count_for_what_is_read_from_clusters():
    run: Run = {"base": None, "clusters_100": CROSSED}
    found = by_setting(made_up(run, run, run))
    assert found["08.2e"] == {"base": 1, "clusters_100": 0}
    assert found["08.1a"] == {"base": 1, "clusters_100": 1}
    for name in ("08.1g", "08.3b", "08.4a", "08.5b"):  # a probe, distances, change, neighbours
        assert found[name] == {"base": 1}


def test_the_record_agrees_on_what_is_read_from_clusters():
    record = results.load("representation_analysis_settings.json")
    for claim in main_claims():
        if not claim.startswith("08.3"):  # distances: with other clusters there are none
            values = (again(record, setting, claim) for setting in ("base", "clusters_100"))
            changed = [base != other for base, other in zip(*values, strict=True)]
            assert changed == [claim in FROM_CLUSTERS] * 3, claim


def test_without_two_starts_nothing_is_claimed_of_distances():
    made = made_up({"one_start": None}, {"one_start": CROSSED})
    assert list(by_setting(made)) == [name for name in main_claims() if not name.startswith("08.3")]
    assert [name for name in CLAIMS if name not in layers.claims(made)] == ["08.7h", "08.7i"]


def test_claims_count_the_settings_and_the_seeds():
    found = layers.claims(
        made_up(
            {"base": None, "depth_3": CROSSED, "one_start": None},
            {"base": CROSSED, "depth_3": CROSSED, "one_start": None},
            {"base": None, "depth_3": APART, "one_start": None},
        )
    )
    assert list(found) == CLAIMS
    assert found["08.7g"].sentence == (
        "In most settings: At the top, the clusters tell more of an exchanged token's original "
        "than of the token read."
    )
    text = (
        "share of {} settings in which a seed's number met the margin of {}; the base has 3 "
        "layers and 1,100 steps; seeds that met it: {}"
    )
    for number, counts in {
        "08.7g": (3, "08.2e", "base 2/3, depth 3 1/3, one start 3/3"),
        "08.7h": (2, "08.3b", "base 3/3, depth 3 2/3"),
    }.items():
        assert found[number].measured == text.format(*counts)
    assert found["08.7g"].values == pytest.approx((2 / 3, 1 / 3, 1))
    assert found["08.7h"].values == (1, 1, 0.5)
