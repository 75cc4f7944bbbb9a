"""Chapter 08 under other settings: what a variant of three rooms measures, and shares of seeds."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any

import pytest

from bottomup import results
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.representation_analysis.again import again, main_claims
from bottomup.experiments.representation_analysis.docstrings import experiment as docstrings
from bottomup.experiments.representation_analysis.measure import Networks
from bottomup.experiments.representation_analysis.settings import experiment as settings
from bottomup.experiments.representation_analysis.settings.quantities import (
    FROM_CLUSTERS,
    by_setting,
    share_of_settings,
)
from bottomup.experiments.representation_analysis.steps import experiment as steps

RECORD = results.load("representation_analysis_settings.json")


@pytest.mark.parametrize(
    ("room", "variant", "base", "changes"),
    [
        (settings, "base", lambda config: config.base, {}),
        (settings, "width_48", lambda config: config.base, {"d_model": 48, "d_ff": 192}),
        (settings, "norm_pre", lambda config: config.base, {"norm": "pre"}),
        (settings, "depth_3", lambda config: config.base, {"num_layers": 3, "starts": 1}),
        (settings, "clusters_100", lambda config: config.base, {"clusters": 100, "starts": 1}),
        (steps, "steps_5400", lambda config: config.base, {"steps": 5_400}),
        (docstrings, "networks", lambda config: config, {}),
    ],
)
def test_a_variant_changes_what_its_name_says_and_leaves_no_file(
    room: ModuleType,
    variant: str,
    base: Callable[[Any], Any],
    changes: dict[str, Any],
    trial: Trial,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    seen = []

    def measure(networks: Networks) -> dict[str, Any]:
        seen.append(networks)
        trial.checkpoint.with_name("unit-lm-0.pt").touch()
        return {"lm": {"loss": 2.5}}

    measured = "measure_trained" if room is steps else "measure_networks"
    monkeypatch.setattr(room, measured, measure)
    config = room.PRESETS["tiny" if room is docstrings else "recorded"]
    found = room.measure(config, variant, trial)
    assert found.metrics["lm"] == {"loss": 2.5}
    assert seen == [Networks(replace(base(config), **changes), trial)]
    assert list(tmp_path.iterdir()) == []


def test_shares_of_seeds_and_of_settings_count_the_same():
    found = by_setting(RECORD)
    assert list(found) == list(main_claims())
    for claim, shares in found.items():
        if not claim.startswith("08.3") and "clusters_100" in shares:
            assert fmean(shares.values()) == pytest.approx(fmean(share_of_settings(RECORD, claim)))


def test_the_record_agrees_on_what_is_read_from_clusters():
    for claim in main_claims():
        if not claim.startswith("08.3"):  # distances: with other clusters there are none
            values = (again(RECORD, setting, claim) for setting in ("base", "clusters_100"))
            changed = [base != other for base, other in zip(*values, strict=True)]
            assert changed == [claim in FROM_CLUSTERS] * 3, claim
