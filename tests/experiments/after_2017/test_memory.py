"""Chapter 10's experiment on memory: its parts by hand."""

import pytest
import torch

from bottomup.experiments import Record
from bottomup.experiments.after_2017.memory import exact, trainings
from bottomup.models import longest_reach

NAME = "after_2017_memory"


def test_what_is_exact(tiny: Record):
    (found,) = tiny.metric("exact")
    assert found["shift_digits"] > 12
    assert found["segments_digits"] > 10
    assert found["reach"] == 1
    work = [found["work"][f"at_{length}"] for length in exact.LENGTHS]
    assert work == sorted(work)
    assert found["growth"] == pytest.approx(work[-1] / work[0], rel=1e-4)


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
