"""Chapter 10b's experiment on length: measures by hand, a tiny run, its claims."""

from dataclasses import replace

import pytest
import torch

from bottomup import experiments
from bottomup.data import InductionBatch
from bottomup.experiments import Record
from bottomup.experiments.decoder_of_today import experiment as today
from bottomup.experiments.decoder_of_today import length, quantities
from bottomup.experiments.decoder_of_today.config import POSITIONS, PRESETS
from bottomup.experiments.decoder_of_today.exact import measure_exact
from tests.experiments.records import record_of

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
    assert [claim.id for claim in experiments.claims(tiny)] == expected


def test_what_is_lost_from_the_first_stretch_to_the_last():
    whole = {"to_032": 0.9, "to_064": 0.1, "to_256": 0.75}
    record = record_of("x", [{"alibi": {"whole": whole}}], {"stretches": [32, 64, 256]})
    assert quantities.lost(record, "alibi.whole") == pytest.approx((0.15,))
