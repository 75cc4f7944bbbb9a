"""What every experiment costs: a sum over its variants, a bound where it is stopped, a table."""

import json

import pytest
from benchmarks import plans

from bottomup.experiments.engine import registry
from tools.notebooks.paths import ROOT
from tools.plans import planned

FOUND = json.loads((ROOT / "book/plans.json").read_text("utf-8"))


def test_a_preset_is_summed_over_its_variants():
    experiment = registry.experiment("decoder_of_today")
    plan = planned(experiment, "tiny", 60.0)
    assert plan["variants"] == len(experiment.variants(experiment.preset("tiny")))
    assert 0 < plan["trainings"] <= plan["variants"]
    assert plan["bytes"] > 16 * plan["parameters"] > 0
    assert plan["stopped"] == 0
    assert all(0 < low < high for low, high in plan["gpu_hours"].values())


def test_what_is_stopped_is_counted():
    plan = planned(registry.experiment("decoder_of_today"), "laptop", 0.01)
    assert 0 < plan["stopped"] <= plan["variants"]  # one that trains nothing may end in time


def test_every_experiment_has_both_plans_and_its_largest_preset():
    assert list(FOUND["plans"]) == list(registry.NAMES)
    for name, found in FOUND["plans"].items():
        presets = [*registry.experiment(name).presets]
        assert [found[kind]["preset"] for kind in ("laptop", "largest")] == ["laptop", presets[-1]]


def test_the_table_has_a_row_for_each_with_as_many_cells_as_heads():
    table = plans.table(FOUND)
    rows = [[cell.astext() for cell in row] for row in table.findall(plans.nodes.row)]
    assert len(rows) == 1 + len(registry.NAMES)
    assert {len(row) for row in rows} == {9}
    assert all(row[2] for row in rows)


@pytest.mark.parametrize(
    ("trainings", "hours", "stopped", "written"),
    [(3, 0.1234, 0, "0.12"), (3, 12.6, 0, "13"), (3, 2.0, 3, "≥ 2"), (0, 0.1, 1, "—")],
)
def test_what_was_stopped_is_a_bound_or_nothing(
    trainings: int, hours: float, stopped: int, written: str
):
    plan = {"hours": hours, "stopped": stopped, "trainings": trainings}
    assert plans.hours(plan) == written


def test_a_range_has_both_ends_and_is_a_bound_too():
    plan = {"gpu_hours": {"T4": [0.25, 31.2]}, "stopped": 0, "trainings": 1}
    assert plans.on_card(plan, "T4") == "0.25–31"
    assert plans.on_card({**plan, "stopped": 1}, "T4") == "≥ 0.25–31"
    assert plans.on_card({**plan, "trainings": 0}, "T4") == "—"
