"""Find the leak, chapter 02: the attentions that are handed out, and how a verdict is reported."""

import pytest
import torch

from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from tests.drawn import global_seed, seeded

LEAK = catalog()["find-the-leak"]
ATTENTIONS = {case.name: case.inputs["attend"] for case in LEAK.cases}
MISTAKES = {mistake.slug: mistake.forms for mistake in LEAK.mistakes}


@pytest.mark.parametrize("seed", range(5))
def test_right_answers_do_not_depend_on_the_numbers_drawn(seed: int):
    for answer in (LEAK.solution, *LEAK.alternatives):
        with global_seed(seed):
            verdicts = [bool(answer(attend)) for attend in ATTENTIONS.values()]
        assert verdicts == [case.gives() for case in LEAK.cases], answer


def test_the_sound_attentions_of_one_kind_compute_the_same():
    x = torch.randn(12, 4, generator=seeded(1), dtype=torch.float64)
    masked = ATTENTIONS["a causal mask"](x)
    for name in (
        "no mask, but a loop that hands each position its past only",
        "the sequence turned round, masked, turned back",
        "a causal mask, with rounding noise",
    ):
        torch.testing.assert_close(ATTENTIONS[name](x), masked, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "x, message",
    [
        (torch.zeros(12, 4), "expected a tensor of dtype torch.float64, got torch.float32"),
        ([[0.0]], "expected a tensor of dtype torch.float64, got list"),
        (torch.zeros(13, 4).double(), r"n from 1 to 12, got shape \(13, 4\)"),
        (torch.zeros(12, 5).double(), r"tensor \[n, 4\] with n from 1 to 12, got shape \(12, 5\)"),
        (torch.zeros(1, 12, 4).double(), r"got shape \(1, 12, 4\)"),
    ],
)
def test_an_attention_says_what_it_takes(x, message: str):
    with pytest.raises((TypeError, ValueError), match=f"attend: .*{message}"):
        ATTENTIONS["a causal mask"](x)


@pytest.mark.parametrize("seed", range(5))
def test_differences_with_their_signs_miss_a_leak_whatever_is_drawn(seed: int):
    summed = [attend for name, attend in ATTENTIONS.items() if "summed" in name]
    for form in MISTAKES["signs-kept"]:
        verdicts = []
        for attend in summed:
            with global_seed(seed):
                verdicts.append(bool(form.answer(attend)))
        assert sorted(verdicts) == [False, True], form.source


def test_a_wrong_verdict_is_told_which_way_it_is_wrong():
    missed = examine(LEAK, lambda attend: bool(attend(torch.ones(12, 4).double())[3, 3] > 0.6))
    alarmed = examine(LEAK, MISTAKES["past-edited"][0].answer)
    assert "This attention leaks, and your test does not notice." in repr(missed)
    assert "This attention does not leak, and your test says that it does." in repr(alarmed)
