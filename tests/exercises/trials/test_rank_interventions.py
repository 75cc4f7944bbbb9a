"""Probe, removal and swap, of chapter 08: toy networks by hand, what is proved, typical slips."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from bottomup.exercises import catalog
from bottomup.exercises.engine.show import show
from bottomup.exercises.representation_analysis import rank_interventions as networks
from bottomup.exercises.representation_analysis.rank_interventions import drawn
from tests.drawn import seeded
from tests.exercises.trials.verdicts import is_plain, named, report_on, wrong_answers

RANK_INTERVENTIONS = catalog()["rank-interventions"]
evidence = RANK_INTERVENTIONS.solution

CASES = {case.name: case for case in RANK_INTERVENTIONS.cases}
HALF = "the token decides in half of the sentences"


def evidence_of(name: str) -> tuple[float, ...]:
    return RANK_INTERVENTIONS.run(evidence, CASES[name].fresh())


# readable, needed, followed, proved
BY_HAND = {
    "the answer is looked up for the token": (1, 1, 1, 3),
    "the token is there, the answer is the context's": (1, 0, 0, 1),
    # removal changes every answer, and so does a step of the same length elsewhere
    "the answer is the context's, for states of the usual length only": (1, 0, 0, 1),
    # any token will do, so the donor's changes nothing
    "the answer is the context's, if some token is there": (1, 1, 0, 2),
    # the swap changes every answer to 9, and none to the donor's
    "the answer is the context's, if the token's is the same": (1, 1, 0, 2),
    "the token decides, and a weaker copy where it is missing": (1, 0, 1, 3),
    "the token is not there, and the probe guesses": (0.5, 0, 0, 0),
    HALF: (0.75, 0.5, 0.5, 1),  # a half is not above a half
    "the token decides in three of four sentences": (1, 0.75, 0.75, 3),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_four_sentences_by_hand(name: str):
    assert evidence_of(name) == BY_HAND[name]


def test_what_the_networks_prove():
    proved = {name: evidence_of(name)[3] for name in CASES if name not in BY_HAND}
    assert proved == {
        "eleven numbers: the token decides": 3,
        "the token decides, and a default where there is none": 3,
        "eleven numbers: nothing reads the token": 1,
        "control points at what the network reads": 1,
        "eleven numbers: lengths matter": 1,
        "eleven numbers: some token is needed": 2,
        "thirteen numbers: token and context are compared": 2,
        "eleven numbers: a copy takes over": 3,
        "the token is a product, which the probe cannot read": 3,
        "the token decides in some contexts": 1,
        "as many sentences as numbers": 3,
        "a part of one direction": 3,
        "float64": 3,
    }


def test_a_control_can_do_more_harm_than_the_removal():
    assert evidence_of("control points at what the network reads")[1] < -0.5


@pytest.mark.parametrize("name", CASES)
def test_every_case_is_what_the_statement_says(name: str):
    network, h, tokens, _read, part, control, donor = CASES[name].inputs.values()
    answer = network(h)
    assert (tokens[donor] != tokens).all()
    assert (answer[donor] != answer).all()
    torch.testing.assert_close(part.T @ part, torch.eye(part.shape[1]).to(part))
    assert control.norm().item() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("name", CASES)
def test_rounding_decides_no_case(name: str):
    """Neither an answer that is counted nor a claim changes with the last digits of the states."""
    network, h, tokens, read, part, control, donor = CASES[name].inputs.values()
    here = h @ part @ part.T
    moved = h + here.norm(dim=1, keepdim=True) * control
    for states in (h, h - here, moved, h - here + here[donor]):
        for seed in range(5):
            noise = 1e-4 * torch.randn(h.shape, generator=seeded(seed))
            assert network(states + noise.to(h)).equal(network(states))
    numbers = [float(x) for x in evidence(network, h, tokens, read, part, control, donor)]
    assert name in BY_HAND or min(abs(x - 0.5) for x in numbers[:3]) > 0.03


@pytest.mark.parametrize("name", CASES)
def test_a_case_shows_what_its_network_answers(name: str):
    inputs = CASES[name].inputs
    shown = show(inputs["network"])
    assert shown.startswith(f"a function of states [sentence, {inputs['h'].shape[1]}]: ")
    assert "{" not in shown


def test_a_product_is_not_readable_by_a_linear_probe():
    inputs = drawn(networks.multiplies, 4001, 7)(seeded(1))
    network, h, tokens = (inputs[name] for name in ("network", "h", "tokens"))
    sign = 2.0 * (tokens - tokens.min()) - 1
    train, test = slice(0, 2001), slice(2001, None)
    weights = torch.linalg.lstsq(h[train], sign[train, None]).solution
    share = ((h[test] @ weights)[:, 0].sign() == sign[test]).float().mean()
    assert 0.4 < share < 0.6
    assert len(set(zip(tokens.tolist(), network(h).tolist(), strict=True))) == 2


@pytest.mark.parametrize(
    "h, error, message",
    [
        (torch.zeros(3, 4).long(), TypeError, "floating-point numbers, got torch.int64"),
        ([[0.0]], TypeError, "floating-point numbers, got list"),
        (torch.zeros(3, 5), ValueError, r"expected states \[sentence, 4\], got shape \(3, 5\)"),
        (torch.zeros(1, 3, 4), ValueError, r"got shape \(1, 3, 4\)"),
    ],
)
def test_a_network_says_what_it_takes(h: Any, error: type[Exception], message: str):
    network = RANK_INTERVENTIONS.cases[0].inputs["network"]
    with pytest.raises(error, match=f"network: .*{message}"):
        network(h)


# ---- Other right answers


def with_sets_of_sentences(network, h, tokens, read, part, control, donor):
    before = network(h).tolist()
    coordinates = h @ part
    without = h - torch.einsum("sw,dw->sd", coordinates, part)
    size = coordinates.norm(dim=1)  # orthonormal directions keep lengths
    swapped = network(without + torch.einsum("sw,dw->sd", coordinates[donor], part)).tolist()
    gone = [a != b for a, b in zip(network(without).tolist(), before, strict=True)]
    along = network(h + torch.einsum("s,d->sd", size, control)).tolist()
    off = [a != b for a, b in zip(along, before, strict=True)]
    took = [a == before[i] for a, i in zip(swapped, donor.tolist(), strict=True)]
    n = len(before)
    readable = sum(a == b for a, b in zip(tokens.tolist(), read.tolist(), strict=True)) / n
    needed, followed = (sum(gone) - sum(off)) / n, sum(took) / n
    proved = 3 if followed > 0.5 else 2 if needed > 0.5 else 1 if readable > 0.5 else 0
    return [readable, needed, followed, proved]


def test_another_writing_passes():
    assert report_on(RANK_INTERVENTIONS, with_sets_of_sentences).passed


def test_one_tensor_of_four_numbers_passes():
    assert report_on(
        RANK_INTERVENTIONS, lambda *inputs: torch.tensor([float(x) for x in evidence(*inputs)])
    ).passed


# ---- Slips


def by_steps(
    *, without=lambda h, here: h - here,
    along=lambda h, here, control: h + here.norm(dim=1)[:, None] * control,
    swap=lambda h, here, donor: h - here + here[donor],
    success=lambda now, answer, tokens, donor: now == answer[donor],
    proves=lambda a, b, c: 3 if c > 0.5 else 2 if b > 0.5 else 1 if a > 0.5 else 0,
):  # fmt: skip
    """An answer as a reader may write it, with one thing to change."""

    def answer(network, h, tokens, read, part, control, donor):
        here, before = (h @ part) @ part.T, network(h)

        def mean(truths: Tensor) -> float:
            return float(truths.float().mean())

        a = mean(tokens == read)
        b = mean(network(without(h, here)) != before)
        b -= mean(network(along(h, here, control)) != before)
        c = mean(success(network(swap(h, here, donor)), before, tokens, donor))
        return a, b, c, proves(a, b, c)

    return answer


SLIPS = {
    "probe-taken-as-use": by_steps(
        proves=lambda a, b, c: 3 if a > 0.5 else 2 if b > 0.5 else 1 if c > 0.5 else 0
    ),
    "removal-taken-as-use": by_steps(
        proves=lambda a, b, c: 3 if b > 0.5 else 2 if c > 0.5 else 1 if a > 0.5 else 0
    ),
    "weakest-claim": by_steps(
        proves=lambda a, b, c: 1 if a > 0.5 else 2 if b > 0.5 else 3 if c > 0.5 else 0
    ),
    "removal-required": [
        by_steps(proves=lambda a, b, c: (a > 0.5) + (b > 0.5) + (c > 0.5)),
        by_steps(proves=lambda a, b, c: 0 if a <= 0.5 else 1 if b <= 0.5 else 2 if c <= 0.5 else 3),
        by_steps(
            proves=lambda a, b, c: 3 if min(a, b, c) > 0.5 else 2 if b > 0.5 else int(a > 0.5)
        ),
    ],
    "removal-before-swap": by_steps(
        proves=lambda a, b, c: 2 if b > 0.5 else 3 if c > 0.5 else int(a > 0.5)
    ),
    "largest-share": [
        by_steps(proves=lambda a, b, c: 1 + [a, b, c].index(max(a, b, c))),
        by_steps(
            proves=lambda a, b, c: max((a, 1), (b, 2), (c, 3))[1] if max(a, b, c) > 0.5 else 0
        ),
    ],
    "removed-without-control": by_steps(along=lambda h, here, control: h),
    "control-of-another-size": [
        by_steps(along=lambda h, here, control: h + control),
        by_steps(along=lambda h, here, control: h - (h @ control)[:, None] * control),
        by_steps(along=lambda h, here, control: h + h.norm(dim=1)[:, None] * control),
    ],
    "control-from-another-state": [
        by_steps(along=lambda h, here, control: h - here + here.norm(dim=1)[:, None] * control),
        by_steps(along=lambda h, here, control: here.norm(dim=1)[:, None] * control),
    ],
    "mean-instead-of-zero": by_steps(without=lambda h, here: h - here + here.mean(dim=0)),
    "rest-instead-of-part": [
        by_steps(without=lambda h, here: here),
        by_steps(swap=lambda h, here, donor: h[donor] - here[donor] + here),
    ],
    "whole-state-changed": [
        by_steps(without=lambda h, here: torch.zeros_like(h)),
        by_steps(swap=lambda h, here, donor: h[donor]),
    ],
    "part-added": by_steps(swap=lambda h, here, donor: h + here[donor]),
    "part-alone": by_steps(swap=lambda h, here, donor: here[donor]),
    "any-change-counted": by_steps(success=lambda now, answer, tokens, donor: now != answer),
    "wrong-answer-compared": [
        by_steps(success=lambda now, answer, tokens, donor: now == answer),
        by_steps(success=lambda now, answer, tokens, donor: now == tokens[donor]),
    ],
}


def test_the_reader_s_steps_pass_unchanged():
    assert report_on(RANK_INTERVENTIONS, by_steps()).passed


@wrong_answers(SLIPS)
def test_a_slip_is_named(wrong, mistake: str):
    assert named(RANK_INTERVENTIONS, wrong) == mistake


@wrong_answers(
    {
        "probe-taken-as-use": "nothing says that the layers above read the same directions",
        "removed-without-control": "one that the layers above may never have met",
        "any-change-counted": "Only the donor's answer shows",
    }
)
def test_a_diagnosis_says_what_the_measurement_leaves_open(mistake: str, wrong):
    found = {each.slug: each for each in RANK_INTERVENTIONS.misconceptions}[mistake]
    assert wrong in report_on(RANK_INTERVENTIONS, found.wrong).message


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda *inputs: evidence(*inputs)[:3], "expected 4 values"),
        (lambda *inputs: (*evidence(*inputs)[:3], 3), "In proved: "),
        (lambda *inputs: (*evidence(*inputs)[:3], "3"), "In proved: It returned"),
        (by_steps(proves=lambda a, b, c: 3 if c > 0.25 else 2 if b > 0.25 else 1), "In proved: "),
        (lambda *inputs: evidence(*inputs)[::-1], "In readable: "),
    ],
)
def test_another_measurement_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(RANK_INTERVENTIONS, answer, sentence)
