"""Chapter 10b's experiment on length: measures by hand."""

from dataclasses import replace

import torch

from bottomup.data import InductionBatch
from bottomup.experiments import Record
from bottomup.experiments.decoder_of_today import length
from bottomup.experiments.decoder_of_today.config import POSITIONS, PRESETS

NAME = "decoder_of_today"
TINY = PRESETS["tiny"]


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


def test_what_is_measured_in_a_tiny_run(tiny: Record):
    assert min(tiny.metric("exact")[0].values()) > 11  # digits
    for kind in POSITIONS:
        shares = [tiny.metric(f"{kind}.{reading}")[0] for reading in ("whole", "window", "sinks")]
        assert [list(each) for each in shares] == [["to_007", "to_013"]] * 3
        assert shares[0]["to_007"] == shares[1]["to_007"]  # no longer than the window
