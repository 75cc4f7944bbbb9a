"""Chapter 10b's experiment on length: measures by hand, a tiny run, its claims."""

from dataclasses import replace

import pytest
import torch

from bottomup.data import InductionBatch
from bottomup.experiments import Record
from bottomup.experiments.decoder_of_today import experiment as today
from bottomup.experiments.decoder_of_today import length
from bottomup.experiments.decoder_of_today.config import POSITIONS, PRESETS
from bottomup.experiments.decoder_of_today.exact import measure_exact
from bottomup.experiments.engine.claim import Verdict

CPU = torch.device("cpu")
TINY = PRESETS["tiny"]


@pytest.fixture(scope="module")
def tiny() -> Record:
    return today.run(TINY, (0, 1, 2), "cpu")


def test_the_share_of_each_stretch_by_hand():
    config = replace(TINY, stretches=(2, 5))
    following = torch.tensor([[0, 1, 2, 1, 0]])
    predictable = torch.tensor([[False, True, True, False, True]])
    batch = InductionBatch(torch.zeros_like(following), following, predictable)

    def always_one(tokens: torch.Tensor) -> torch.Tensor:
        return torch.tensor([0.0, 1.0, 0.0]).expand(*tokens.shape, 3)

    assert length.by_stretch(config, always_one, batch) == {"to_002": 1.0, "to_005": 0.0}


def test_a_window_as_wide_as_the_sequence_changes_nothing():
    model, batch = length.build(TINY, "rotary", 3), length.evaluated(TINY)
    whole = model(batch.symbols)
    within = length.within(model, 13)
    torch.testing.assert_close(within(batch.symbols), whole)
    narrow = length.within(model, 3)(batch.symbols)
    torch.testing.assert_close(narrow[:, :3], whole[:, :3])
    assert (narrow[:, 3:] - whole[:, 3:]).abs().max() > 1e-4
    assert (length.within(model, 3, 2).config.window, model.config.window) == (3, None)


def test_all_networks_are_asked_the_same_and_start_alike():
    one, two = (length.evaluated(TINY).symbols for _ in range(2))
    assert one.shape == (11, 13)
    assert torch.equal(one, two)
    rotary, none = (length.build(TINY, kind, 3) for kind in ("rotary", "none"))
    for a, b in zip(rotary.parameters(), none.parameters(), strict=True):
        assert torch.equal(a, b)


def test_identities_hold_to_the_last_digits():
    for seed in range(4):
        found = measure_exact(seed, CPU)
        assert set(found) == {"relative_digits", "grouped_digits", "norm_digits"}
        assert min(found.values()) > 11


def test_a_tiny_run_gives_every_measure_and_claim(tiny: Record):
    assert set(tiny.runs[0]["metrics"]) == {"exact", *POSITIONS}
    for kind in POSITIONS:
        for reading in ("whole", "window", "sinks"):
            shares = tiny.metric(f"{kind}.{reading}")[0]
            assert list(shares) == ["to_007", "to_013"]
            assert all(0 <= share <= 1 for share in shares.values())
        first = tiny.metric(f"{kind}.whole.to_007")
        assert first == tiny.metric(f"{kind}.window.to_007")
    letters = {1: "abc", 2: "abcd", 3: "abc", 4: "abc"}
    expected = [f"10b.{number}{letter}" for number, each in letters.items() for letter in each]
    assert [claim.id for claim in today.claims(tiny)] == expected


def test_what_claims_read():
    def shares(first: float, second: float, last: float) -> dict[str, float]:
        return {"to_032": first, "to_064": second, "to_256": last}

    def kind(whole: tuple, window: tuple, sinks: tuple) -> dict:
        each = {"whole": whole, "window": window, "sinks": sinks}
        return {name: shares(*values) for name, values in each.items()}

    metrics = {
        "exact": dict.fromkeys(("relative_digits", "grouped_digits", "norm_digits"), 12.5),
        "rotary": kind((1.0, 0.8, 0.1), (1.0, 1.0, 0.98), (1.0, 0.9, 0.9)),
        "alibi": kind((0.9, 0.8, 0.75), (0.9, 0.8, 0.8), (0.9, 0.8, 0.8)),
        "none": kind((0.5, 0.1, 0.1), (0.5, 0.1, 0.1), (0.5, 0.1, 0.1)),
        "sinusoidal": kind((1.0, 0.2, 0.0), (1.0, 0.2, 0.1), (1.0, 0.2, 0.1)),
        "learned": kind((1.0, 0.1, 0.0), (1.0, 0.1, 0.2), (1.0, 0.1, 0.1)),
    }
    config = {"positions": POSITIONS, "stretches": [32, 64, 256], "length": 32}
    record = Record(
        experiment="decoder_of_today",
        preset="recorded",
        config={**config, "symbols": 32, "steps": 600},
        seeds=(0, 1, 2),
        runs=tuple({"seed": seed, "metrics": metrics, "seconds": 1.0} for seed in range(3)),
        versions={},
        device="cpu",
        threads=1,
        seconds=3.0,
        command="",
        base_commit="",
        dirty=False,
    )
    found = {claim.id: claim for claim in today.claims(record)}
    expected = {
        "10b.2a": 0.1,
        "10b.2b": 0.2,
        "10b.2c": 0.75,
        "10b.2d": 0.15,
        "10b.3a": 0.02,
        "10b.3b": 0.2,
        "10b.3c": 0.08,
        "10b.4a": 1.0,
        "10b.4b": 0.1,
        "10b.4c": 0.5,
    }
    for name, value in expected.items():
        assert found[name].values == pytest.approx([value] * 3), name
    assert {claim.verdict for claim in found.values()} == {Verdict.HOLDS}
