"""Find the leak, chapter 02: the verdicts, and slips in a reader's test that are named."""

import pytest
import torch

from bottomup.exercises import catalog
from tests.drawn import global_seed, seeded
from tests.exercises.trials.verdicts import named, report_on, wrong_answers

LEAK = catalog()["find-the-leak"]
SOUND = {
    "a causal mask",
    "a causal mask without its diagonal",
    "a causal mask, each token is normalised first",
    "a causal mask, then the mean of the positions so far is subtracted",
    "no mask, but a loop that hands each position its past only",
    "the sequence turned round, masked, turned back",
    "a causal mask, with rounding noise",
}


def test_the_verdicts_on_all_attentions():
    assert {case.name for case in LEAK.cases} > SOUND
    for case in LEAK.cases:
        assert LEAK.solution(case.inputs["attend"]) == (case.name not in SOUND)


@pytest.mark.parametrize("seed", range(5))
def test_right_answers_do_not_depend_on_the_numbers_drawn(seed: int):
    for answer in (LEAK.solution, *LEAK.alternatives):
        with global_seed(seed):
            verdicts = [bool(answer(case.inputs["attend"])) for case in LEAK.cases]
        assert verdicts == [case.name not in SOUND for case in LEAK.cases], answer


def test_the_sound_attentions_of_one_kind_compute_the_same():
    attentions = {case.name: case.inputs["attend"] for case in LEAK.cases}
    x = torch.randn(12, 4, generator=seeded(1), dtype=torch.float64)
    masked = attentions["a causal mask"](x)
    for name in (
        "no mask, but a loop that hands each position its past only",
        "the sequence turned round, masked, turned back",
        "a causal mask, with rounding noise",
    ):
        torch.testing.assert_close(attentions[name](x), masked, rtol=1e-12, atol=1e-12)


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
    attend = LEAK.cases[0].inputs["attend"]
    with pytest.raises((TypeError, ValueError), match=f"attend: .*{message}"):
        attend(x)


def tokens() -> torch.Tensor:
    return torch.randn(12, 4, dtype=torch.float64)


def leaks_after(edit):
    """A test for leaks that edits what follows a cut in place, for every cut."""

    def leaks(attend) -> bool:
        x = tokens()
        before = attend(x)
        for cut in range(1, 12):
            edited = x.clone()
            edit(edited[cut:])
            if not torch.allclose(attend(edited)[:cut], before[:cut]):
                return True
        return False

    return leaks


@pytest.mark.parametrize(
    "edit, slug",
    [
        (lambda future: future.add_(10), "undone-by-normalisation"),
        (lambda future: future.mul_(2), "undone-by-normalisation"),
        (lambda future: future.copy_(future.roll(1, dims=0)), "shuffled-future"),
        (lambda future: future.fill_(torch.nan), "nan-as-an-edit"),
        (lambda future: future.zero_(), None),
        (lambda future: future.fill_(7), None),
        (lambda future: future.normal_(), None),
    ],
    ids=["add", "multiply", "roll", "nan", "zeros", "sevens", "random"],
)
def test_an_edit_that_an_attention_undoes_is_named(edit, slug: str | None):
    report = report_on(LEAK, leaks_after(edit))
    assert report.misconception == slug
    assert report.passed == (slug is None)


@pytest.mark.parametrize("tolerance", [0.1, 0.05, 0.01, 0.001])
def test_a_loose_tolerance_is_named(tolerance: float):
    def leaks(attend) -> bool:
        x = tokens()
        for i in range(11):
            edited = x.clone()
            edited[i + 1 :] = tokens()[i + 1 :]
            if (attend(edited) - attend(x))[: i + 1].abs().max() > tolerance:
                return True
        return False

    assert named(LEAK, leaks) == "too-loose"


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("reduced", [torch.max, torch.sum, torch.mean], ids=["max", "sum", "mean"])
def test_differences_with_their_signs_miss_a_leak_whatever_is_drawn(reduced, seed: int):
    def leaks(attend) -> bool:
        x, other = tokens(), tokens()
        edits = [torch.cat([x[:cut], other[cut:]]) for cut in range(1, 12)]
        moves = [(attend(edit) - attend(x))[:cut] for cut, edit in enumerate(edits, start=1)]
        return any(bool(reduced(move) > 1e-9) for move in moves)

    verdicts = []
    for case in LEAK.cases:
        if "summed" in case.name:
            with global_seed(seed):
                verdicts.append(leaks(case.inputs["attend"]))
    assert sorted(verdicts) == [False, True]


def edits_its_own_tokens(attend):
    x = tokens()
    edited = x
    edited[6:] = tokens()[6:]
    return not torch.allclose(attend(edited)[:6], attend(x)[:6])


def zeroes_the_last(attend):
    x = tokens()
    edited = x.clone()
    edited[-1] = 0
    return not torch.allclose(attend(edited)[:-1], attend(x)[:-1])


def takes_gradients(attend):
    slopes = torch.autograd.functional.jacobian(attend, tokens()).abs().sum((1, 3))
    return bool(slopes.triu(1).any())


@wrong_answers(
    {
        "never-moves": edits_its_own_tokens,
        "last-token-only": zeroes_the_last,
        "too-small-an-edit": takes_gradients,
        "own-position-compared": lambda attend: True,
    }
)
def test_a_slip_in_a_test_for_leaks_is_named(wrong, mistake: str):
    assert named(LEAK, wrong) == mistake


def leaks_in(cuts, *, copy=torch.clone, watched=lambda i: i + 1):
    """A test as a reader writes it: everything after position i is drawn anew."""

    def leaks(attend) -> bool:
        x = tokens()
        before = attend(x)
        for i in cuts:
            edited = copy(x)
            edited[i + 1 :] = tokens()[i + 1 :]
            if ((attend(edited) - before)[: watched(i)].abs() > 1e-9).any():
                return True
        return False

    return leaks


@pytest.mark.parametrize(
    "answer, slug",
    [
        (leaks_in(range(11)), None),
        (leaks_in(range(12)), None),
        (leaks_in(range(1, 11)), "a-cut-missing"),
        (leaks_in(range(10)), "a-cut-missing"),
        (leaks_in(range(12), watched=lambda i: i), "last-output-unwatched"),
        (leaks_in(range(11), copy=lambda x: x), "own-position-compared"),
    ],
)
def test_slips_at_the_edge_of_the_cut_are_named(answer, slug: str | None):
    report = report_on(LEAK, answer)
    assert report.misconception == slug
    assert report.passed == (slug is None)


def test_a_forgotten_copy_is_told_where_to_look():
    assert "`edited = x` is none" in repr(report_on(LEAK, leaks_in(range(11), copy=lambda x: x)))


def test_a_wrong_verdict_is_told_which_way_it_is_wrong():
    missed = report_on(LEAK, lambda attend: bool(attend(tokens())[3, 3] > 0.6))
    past_edited = next(m.wrong for m in LEAK.misconceptions if m.slug == "past-edited")
    alarmed = report_on(LEAK, past_edited)
    assert "This attention leaks, and your test does not notice." in repr(missed)
    assert "This attention does not leak, and your test says that it does." in repr(alarmed)
