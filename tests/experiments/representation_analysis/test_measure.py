"""Chapter 08's networks of one seed: what is trained, read and compared, and what is deleted."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from bottomup.experiments.engine.units import Trial
from bottomup.experiments.representation_analysis import measure as measuring
from bottomup.experiments.representation_analysis import networks as training
from bottomup.experiments.representation_analysis import readings
from bottomup.experiments.representation_analysis.config import Config
from bottomup.experiments.representation_analysis.experiment import TINY
from bottomup.experiments.representation_analysis.measure import Networks
from bottomup.experiments.representation_analysis.networks import Start
from bottomup.training import fit
from tests.experiments.representation_analysis.tiny_layers import (
    CPU,
    OBJECTIVES,
    tiny_batches,
    tiny_text,
)

ONE_START = replace(TINY, starts=1)


def networks_of(folder: Path, config: Config = TINY, seed: int = 3) -> Networks:
    return Networks(config, Trial(seed, CPU, folder / f"networks-{seed}.pt"))


def same(one: torch.nn.Module, other: torch.nn.Module) -> bool:
    return all(
        torch.equal(mine, its)
        for mine, its in zip(one.parameters(), other.parameters(), strict=True)
    )


# ---- Networks


def test_what_is_trained_is_read_back_from_its_file(tmp_path: Path, monkeypatch):
    steps: list[int] = []

    def counting(*given: Any, **options: Any) -> Any:
        return fit(*given, on_step=lambda step, _: steps.append(step), **options)

    monkeypatch.setattr(training, "fit", counting)
    networks = networks_of(tmp_path, replace(TINY, objectives=("lm", "mlm")))
    first, again = dict(networks.trained(0)), dict(networks.trained(0))
    assert steps == [0, 1, 2] * 2  # once for each objective
    assert all(same(first[name], again[name]) for name in ("lm", "mlm"))
    other = dict(networks.trained(1))
    assert len(steps) == 3 * 4
    assert not same(first["mlm"], other["mlm"])


def test_a_unit_forgets_its_own_files_alone(tmp_path: Path):
    own = [f"networks-1-{name}.pt" for name in ("lm-0", "mlm-1", "mt-0")]
    others = ["networks-1.json", "networks-10-lm-0.pt", "networks-11.pt", "other-1-lm-0.pt"]
    for name in (*own, *others):
        (tmp_path / name).touch()
    networks_of(tmp_path, seed=1).forget()
    assert sorted(path.name for path in tmp_path.iterdir()) == others
    networks_of(tmp_path, seed=10).forget()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        name for name in others if name != "networks-10-lm-0.pt"
    ]


# ---- What is read


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """In place of readings, the objective and the network that are asked about."""
    seen: list[Any] = []

    def read(
        config: Config, objective: str, model: torch.nn.Module, batches: list[Tensor], seed: int
    ) -> dict[str, Any]:
        seen.append((objective, model))
        assert (config.d_model, len(batches), seed) == (TINY.d_model, len(tiny_batches()), 3)
        return {"asked": objective}

    monkeypatch.setattr(measuring, "read", read)
    return seen


def test_untrained_networks_are_asked_what_trained_ones_are(tmp_path: Path, unread: list[Any]):
    found = measuring.measure_networks(networks_of(tmp_path, ONE_START))
    assert found.pop("tokens") == sum(int((tokens >= 4).sum()) for tokens in tiny_batches())
    asked = {"lm": "lm", "mlm": "mlm", "mt": "mt", "untrained": "mlm", "untrained_causal": "lm"}
    assert found == {name: {"asked": objective} for name, objective in asked.items()}
    for objective, model in unread[3:]:
        start = training.untrained(TINY, tiny_text(), objective, Start.of(3, 0))
        assert type(model) is type(start) and same(model, start)
    assert not same(unread[1][1], unread[3][1])  # MLM's network has been trained
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == [f"networks-3-{name}-0.pt" for name in OBJECTIVES]  # and no second start


# ---- Distances


def test_distances_by_hand(monkeypatch):
    """A view is one number for each station, and the distance of two is their product."""
    monkeypatch.setattr(measuring, "distance", lambda x, y: float(x * y))
    first = {"lm": 2, "mlm": 3, "untrained": 5}
    second = {"lm": 7, "mlm": 11, "untrained": 13}
    seen = [
        {
            name: {"all": [torch.tensor(value), torch.tensor(10 * value)]}
            for name, value in of.items()
        }
        for of in (first, second)
    ]
    table = measuring.distances(replace(TINY, objectives=("lm", "mlm")), seen)
    by_hand = {
        "across": {
            "lm_lm": 2 * 7,
            "lm_mlm": (2 * 11 + 7 * 3) / 2,
            "lm_untrained": (2 * 13 + 7 * 5) / 2,
            "mlm_mlm": 3 * 11,
            "mlm_untrained": (3 * 13 + 11 * 5) / 2,
            "untrained_untrained": 5 * 13,
        },
        "shared": {
            "lm_mlm": (2 * 3 + 7 * 11) / 2,
            "lm_untrained": (2 * 5 + 7 * 13) / 2,
            "mlm_untrained": (3 * 5 + 11 * 13) / 2,
        },
    }
    for kind, pairs in by_hand.items():
        found = table[kind]["all"]
        assert found == {
            pair: {"layer_0": value, "layer_1": 100 * value} for pair, value in pairs.items()
        }


def test_states_that_share_nothing_are_far_apart(generator):
    views = {"all": [torch.randn(700, 4, generator=generator) for _ in range(2)]}
    table = measuring.null(TINY, [{"lm": views}, {"lm": views}], seed=5)
    # the same rows on both sides, but one side is shuffled
    assert list(table) == ["all"]
    assert 0.8 < table["all"] < 1
    assert readings.distance(*[views["all"][-1]] * 2) == pytest.approx(0, abs=1e-4)
