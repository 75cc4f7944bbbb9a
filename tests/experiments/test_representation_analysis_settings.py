"""Chapter 08 under other settings: a tiny run, what a setting changes, shares by hand."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from bottomup.experiments import Claim, Record, Verdict
from bottomup.experiments import representation_analysis as analysis
from bottomup.experiments import representation_analysis_settings as settings
from bottomup.experiments.claim import EverySeedAbove
from bottomup.experiments.representation_analysis_findings import Findings
from bottomup.experiments.representation_analysis_settings_claims import FINDINGS, shares
from bottomup.experiments.units import rounded
from tests.experiments.made_up_layers import Numbers, every_string, metrics, record

CPU = torch.device("cpu")
TINY = settings.PRESETS["tiny"]
RECORDED = settings.PRESETS["recorded"]
CLAIMS = [f"08.7{letter}" for letter in "abcdefghijk"]


# ---- A tiny run


@pytest.fixture(scope="module")
def tiny() -> Record:
    return settings.run(TINY, [3], "cpu")


def test_a_tiny_run_gives_every_setting_and_every_claim(tiny: Record):
    found = tiny.runs[0]["metrics"]
    assert list(found) == ["base", "norm_pre"]
    for table in found.values():
        assert list(table) == ["lm", "mlm", "mt", "untrained", "untrained_causal"]
    assert found["base"]["lm"]["loss"] != found["norm_pre"]["lm"]["loss"]
    claims = settings.EXPERIMENT.claims(tiny)
    assert [claim.id for claim in claims] == CLAIMS
    assert {value for claim in claims for value in claim.values} <= {0, 0.5, 1}
    assert {claim.verdict for claim in claims} == {Verdict.UNDECIDED}  # one seed


def test_the_base_is_the_first_start_of_the_main_experiment(
    tiny: Record, tmp_path: Path, monkeypatch
):
    monkeypatch.setattr(analysis, "distances", lambda *_: {})
    monkeypatch.setattr(analysis, "null", lambda *_: {})
    main = analysis.measure(TINY.base, "networks", 3, CPU, tmp_path / "networks-3.pt").metrics
    base = tiny.runs[0]["metrics"]["base"]
    assert base == {name: rounded(main[name]) for name in base}


# ---- Settings


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("base", {}),
        ("width_32", {"d_model": 32, "d_ff": 128}),
        ("width_128", {"d_model": 128, "d_ff": 512, "rows": 13_000}),
        ("depth_2", {"num_layers": 2}),
        ("norm_pre", {"norm": "pre"}),
        ("clusters_100", {"clusters": 100}),
        ("clusters_1000", {"clusters": 1_000}),
    ],
)
def test_a_setting_changes_what_its_name_says(name: str, changed, tmp_path: Path, monkeypatch):
    seen: list[Any] = []

    def one_start(*given: Any) -> dict[str, Any]:
        seen.append(given)
        return {"lm": {"loss": 2.5}}

    monkeypatch.setattr(settings, "one_start", one_start)
    path = tmp_path / "unit.pt"
    found = settings.measure(RECORDED, name, 7, CPU, path)
    assert found.metrics == {"lm": {"loss": 2.5}}
    ((config, *others),) = seen
    assert others == [7, CPU, path]
    base, here = asdict(RECORDED.base), asdict(config)
    assert {key: here[key] for key in here if here[key] != base[key]} == changed


def test_all_settings_are_recorded_and_the_networks_are_smaller_than_the_main_ones():
    assert settings.variants(RECORDED) == tuple(settings.CHANGES)
    assert RECORDED.base.num_layers < analysis.PRESETS["recorded"].num_layers
    assert RECORDED.base.steps < analysis.PRESETS["recorded"].steps


@pytest.mark.parametrize("preset", settings.PRESETS)
def test_every_setting_of_every_preset_can_be_measured(preset: str):
    chosen = settings.PRESETS[preset]
    assert settings.variants(chosen)[0] == "base"
    for name in settings.variants(chosen):
        config = replace(chosen.base, **settings.CHANGES[name])
        assert config.objectives == ("lm", "mlm", "mt")
        assert config.warmup < config.steps
        assert config.d_model % config.num_heads == 0
        assert config.rows >= 100 * config.d_model  # as many as a distance asks for
        assert config.num_layers >= 2  # claims compare the first layer with the last


# ---- Shares and claims

# Of the made-up numbers every finding holds by the first number, and with one change fails by the
# second. The claim of the mini-language with the same bound stands last.
TRIALS: dict[str, tuple[float, Numbers, float, str]] = {
    "lm_falls": (0.8, {"lm.information.*.plug_in": (5.3, 3.0, 3.0, 5.0)}, -0.2, "08.1a"),
    "mt_loses_less": (0.5, {"mt.information.*.plug_in": (5.4, 5.1, 4.8, 4.0)}, -0.1, "08.1b"),
    "mlm_recovers": (0.35, {"mlm.information.*.plug_in": (5.2, 5.1, 4.9, 4.91)}, -0.04, "08.1d"),
    "fall_learned": (
        0.6, {"untrained_causal.information.*.plug_in": (5.6, 5.2, 5.0, 4.2)}, -0.1, "08.1e",
    ),
    "kept_by_training": (
        0.3, {"mt.information.*.plug_in": (5.4, 5.1, 4.8, 4.1)}, -0.2, "08.1f",
    ),
    "next_gained": (0.4, {"lm.next.*.plug_in": (1.8, 2.9, 2.1, 1.9)}, -0.1, "08.2a"),
    "crossed": (0.8, {"mlm.exchanged.read.*.plug_in": (3.7, 0.1, 0.1, 2.1)}, -0.2, "08.2e"),
    "lm_changes_most": (0.09, {"mt.change.all.*": (0.25, 0.26, 0.30)}, -0.02, "08.4a"),
    "mt_changes_least": (0.05, {"mt.change.all.*": (0.19, 0.11, 0.24)}, -0.02, "08.4b"),
    "mt_declines": (0.09, {"mt.change.all.*": (0.06, 0.01, 0.07)}, -0.01, "08.4c"),
    "lm_neighbours": (0.2, {"mt.neighbours.*.share": (1, 1, 1, 0.68)}, -0.02, "08.5b"),
}  # fmt: skip
OF = {name: value for name, _sentence, value in FINDINGS}


def made_up(*runs: dict[str, Numbers | None]) -> Record:
    """A record with one run for each table of settings and what is changed in them."""
    tables = [{name: metrics(changes) for name, changes in run.items()} for run in runs]
    return record("representation_analysis_settings", tables, {})


def claims(made: Record) -> dict[str, Claim]:
    return {claim.id: claim for claim in settings.EXPERIMENT.claims(made)}


def test_every_finding_is_tried():
    assert list(OF) == list(TRIALS)


@pytest.mark.parametrize("name", TRIALS)
def test_the_number_of_a_finding_by_hand(name: str):
    holds, changes, fails, _ = TRIALS[name]
    assert OF[name](Findings(metrics())) == pytest.approx(holds)
    assert OF[name](Findings(metrics(changes))) == pytest.approx(fails)


@pytest.mark.parametrize("name", TRIALS)
def test_a_finding_has_the_bound_of_the_mini_language(name: str):
    _, changes, _, main = TRIALS[name]
    config = {"clusters": 11, "types": 13, "probed": 17}
    for given in (None, changes):
        table = metrics(given)
        made = record("representation_analysis", [{"networks": table}], config)
        (claim,) = (one for one in analysis.EXPERIMENT.claims(made) if one.id == main)
        assert OF[name](Findings(table)) == pytest.approx(claim.values[0] - claim.margin)


def test_shares_by_hand():
    worse = TRIALS["crossed"][1]
    made = made_up(
        {"base": None, "depth_2": worse, "norm_pre": None},
        {"base": worse, "depth_2": worse, "norm_pre": worse},
        {"base": None, "depth_2": None, "norm_pre": None},
    )
    assert shares(made, Findings.crossed) == pytest.approx((2 / 3, 0, 1))
    assert shares(made, OF["lm_falls"]) == (1, 1, 1)
    # exactly at the bound a finding does not hold
    assert shares(made, lambda run: run.crossed() - run.crossed()) == (0, 0, 0)


def test_claims_count_the_settings_and_the_seeds():
    worse = TRIALS["crossed"][1]
    found = claims(
        made_up(
            {"base": None, "depth_2": worse, "norm_pre": None},
            {"base": worse, "depth_2": worse, "norm_pre": None},
            {"base": None, "depth_2": worse, "norm_pre": None},
        )
    )
    assert list(found) == CLAIMS
    crossed = found[f"08.7{'abcdefghijk'[list(OF).index('crossed')]}"]
    assert crossed.sentence == "In most settings: the curves of exchanged tokens cross."
    assert crossed.measured == (
        "share of 3 settings in which it held: base 2/3, depth 2 0/3, norm pre 3/3"
    )
    assert crossed.values == pytest.approx((2 / 3, 1 / 3, 2 / 3))
    assert crossed.verdict == Verdict.UNDECIDED
    others = [claim for claim in found.values() if claim is not crossed]
    assert {claim.verdict for claim in others} == {Verdict.HOLDS}
    assert {claim.values for claim in others} == {(1, 1, 1)}


@pytest.mark.parametrize(("name", "letter"), list(zip(TRIALS, "abcdefghijk", strict=True)))
def test_a_claim_wants_more_than_half_of_the_settings(name: str, letter: str):
    worse = TRIALS[name][1]
    for runs, verdict in (
        ({"base": None, "depth_2": worse, "norm_pre": None}, Verdict.HOLDS),
        ({"base": None, "depth_2": worse}, Verdict.FAILS),  # a half is not most
    ):
        claim = claims(made_up(*[runs] * 3))[f"08.7{letter}"]
        assert claim.rule == EverySeedAbove(0.5)
        assert claim.verdict == verdict


def test_what_the_claims_say_is_complete():
    found = claims(made_up({"base": None}))
    assert {claim.section for claim in found.values()} == {"How far the findings carry"}
    assert len({claim.sentence for claim in found.values()}) == len(CLAIMS)
    for claim in found.values():
        assert "{" not in every_string(claim)
        assert claim.sentence.endswith(".") and not claim.sentence.endswith("..")
