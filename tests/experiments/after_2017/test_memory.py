"""Chapter 10's experiment on memory: its parts by hand, and a tiny run."""

import pytest
import torch

from bottomup.experiments.after_2017.memory import exact, trainings
from bottomup.experiments.after_2017.memory.config import DELAYS, PRESETS
from bottomup.experiments.after_2017.memory.experiment import TEXTS, run
from bottomup.experiments.engine.claim import Verdict
from bottomup.experiments.engine.registry import claims
from bottomup.models import longest_reach

TINY = PRESETS["tiny"]
CPU = torch.device("cpu")


def test_what_is_exact():
    found = exact.measure_exact(3)
    assert found["shift_digits"] > 12
    assert found["segments_digits"] > 10
    assert found["reach"] == 1
    work = [found["work"][f"at_{length}"] for length in exact.LENGTHS]
    assert work == sorted(work)
    assert found["growth"] == pytest.approx(work[-1] / work[0])


@pytest.mark.parametrize("setting", exact.REACHES)
def test_the_reach_is_found_by_editing(setting: tuple[int, int, int]):
    layers, segment, memory = setting
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(2)
        found = exact.reach(*setting)
    assert found == longest_reach(layers=layers, segment=segment, memory=memory)


def test_digits_by_hand():
    one = torch.tensor([1.0, 2.0], dtype=torch.float64)
    assert exact.digits(one, one) == 16
    assert exact.digits(one, one + 1e-3) == pytest.approx(3)


def test_the_delayed_copy_asks_for_what_stood_a_delay_before():
    class Teller(torch.nn.Module):
        """Says the symbol that it was given, in each segment: right where the text repeats."""

        def forward(self, tokens, memory):
            logits = 9.0 * torch.nn.functional.one_hot(tokens, 5).float()
            return type("Output", (), {"logits": logits, "states": (logits,)})

    text = torch.tensor([[0, 1, 2, 3, 4, 0, 1, 2, 3, 1, 2, 4]])
    _, right = trainings.delayed(Teller(), text, 3, 6)
    # of the last six, 1 2 3 1 2 4, the fourth and the fifth stood three places before as well
    assert right.tolist() == [[False, False, False, True, True, False]]


def test_a_tiny_run_and_its_claims(tmp_path):
    record = run(TINY, seeds=[0, 1, 2], device="cpu", out=tmp_path)
    assert set(record.runs[0]["metrics"]) == {
        "exact",
        *(f"delay_{name}" for name in DELAYS),
        *TEXTS,
    }
    found = {claim.id: claim for claim in claims(record)}
    assert list(found) == sorted(found)
    assert found["10.4c"].verdict is Verdict.HOLDS
    assert found["10.5b"].verdict is not Verdict.HOLDS  # nothing is learned, and chance is 0.2
    text = record.metric("text_remembers.at_1.bits")
    assert all(4 < bits < 9 for bits in text)
