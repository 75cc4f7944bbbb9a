"""Values of chapter 01b's solutions, worked out by hand, and slips that readers make."""

import math
import re

import pytest
import torch

from bottomup.attention import local_p_weights
from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

LOCAL_P_WINDOW = catalog()["local-p-window"]


def test_local_p_weights_of_the_first_case():
    weights = expected_of(LOCAL_P_WINDOW, 0)
    # D = 1, sigma = 1/2. Around 1: words 0, 1, 2 with scores 0, 1, 2. Around 1.5: words 1 and 2
    # with scores 0 and 1, each half a word away. e^-2 at distance 1, e^-0.5 at distance 1/2.
    e = math.e
    first = [e**-2 * 1, e, e**-2 * e**2, 0.0]
    second = [0.0, 1.0, e, 0.0]
    by_hand = [
        [weight / (1 + e + e**2) for weight in first],
        [e**-0.5 * weight / (1 + e) for weight in second],
    ]
    torch.testing.assert_close(weights, torch.tensor([by_hand]))


def local_p(*, log=False, divide=False, round_with=None):
    """A reader's answer in loops, with one slip."""

    def answer(scores, center, half_width):
        weights = torch.zeros_like(scores)
        for b, t in torch.cartesian_prod(*map(torch.arange, center.shape)).tolist():
            p = center[b, t] if round_with is None else round_with(center[b, t])
            inside = [s for s in range(scores.shape[-1]) if abs(s - p) <= half_width]
            exponent = -torch.stack([(s - p) ** 2 for s in inside]) / (half_width**2 / 2)
            if log:
                row = torch.softmax(scores[b, t, inside] + exponent, dim=-1)
            else:
                row = torch.softmax(scores[b, t, inside], dim=-1) * exponent.exp()
            weights[b, t, inside] = row / row.sum() if divide else row
        return weights

    return answer


@pytest.mark.parametrize(
    "slip, name",
    [
        ({}, None),
        ({"log": True}, "renormalised"),
        ({"divide": True}, "renormalised"),  # the same numbers, reached in another way
        ({"round_with": torch.round}, "center-rounded"),
        ({"round_with": torch.floor}, "center-rounded"),
    ],
)
def test_a_slip_in_the_weights_of_local_p_is_named(slip, name):
    report = report_on(LOCAL_P_WINDOW, local_p(**slip))
    assert report.misconception == name
    assert report.passed == (name is None)


def in_tensors(factor):
    """A reader's answer: the softmax over the window times another factor of distance and D."""

    def answer(scores, center, half_width):
        distance = torch.arange(scores.shape[-1]) - center[:, :, None]
        inside = scores.masked_fill(distance.abs() > half_width, -math.inf)
        return torch.softmax(inside, dim=-1) * factor(distance, half_width)

    return answer


@pytest.mark.parametrize(
    "factor, name",
    [
        (lambda d, D: torch.exp(-(d**2) / (2 * (D / 2) ** 2)), None),
        (lambda d, D: torch.exp(-0.5 * d**2 / (D / 2) ** 2), None),
        (lambda d, D: torch.exp(-(d**2) / 2 * (D / 2) ** 2), "denominator-without-brackets"),
        (lambda d, D: torch.exp(-(d**2) / 2 * (D / 2)), "denominator-without-brackets"),
        (lambda d, D: torch.exp((d**2) / (2 * (D / 2) ** 2)), "minus-missing"),
        (lambda d, D: torch.exp((-d) ** 2 / (2 * (D / 2) ** 2)), "minus-missing"),
        (lambda d, D: torch.exp((-d) ** 2 / 2 * (D / 2) ** 2), "minus-missing"),
        (lambda d, D: torch.exp(-(d**2) / (2 * (D // 2) ** 2)), "sigma-rounded-down"),
        (lambda d, D: torch.exp(-d / (2 * (D / 2) ** 2)), "distance-not-squared"),
        (lambda d, D: torch.exp(-d.abs() / (2 * (D / 2) ** 2)), "distance-not-squared"),
    ],
)
def test_a_slip_in_the_gaussian_is_named(factor, name):
    report = report_on(LOCAL_P_WINDOW, in_tensors(factor))
    assert report.misconception == name
    assert report.passed == (name is None)


@pytest.mark.parametrize("spare", [0.0, 1e-10, 1e-20])
@pytest.mark.parametrize(
    "weigh",
    [
        lambda scores, inside: scores.softmax(-1) * inside,
        lambda scores, inside: scores.softmax(-1).masked_fill(~inside, 0),
        lambda scores, inside: (scores - scores.amax(-1, keepdim=True)).exp() * inside,
        lambda scores, inside: scores.exp() * inside,
        lambda scores, inside: scores.masked_fill(~inside, -math.inf).exp(),
    ],
)
def test_a_window_cut_out_of_finished_exponentials_is_said_to_overflow(weigh, spare):
    def divided(scores, center, half_width):
        distance = torch.arange(scores.shape[-1]) - center[..., None]
        weights = weigh(scores, distance.abs() <= half_width)
        weights = weights / (weights.sum(-1, keepdim=True) + spare)
        return weights * torch.exp(-2 * (distance / half_width) ** 2)

    report = report_on(LOCAL_P_WINDOW, divided)
    assert report.misconception == "overflow"
    assert "overflow" in report.message and "-inf before the softmax" in report.message


def with_a_slice(extra):
    def answer(scores, center, half_width):
        weights = torch.zeros_like(scores)
        for b, t in torch.cartesian_prod(*map(torch.arange, center.shape)).tolist():
            p = center[b, t]
            places = slice(max(int(p) - half_width, 0), int(p) + half_width + extra)
            gaussian = torch.exp(-2 * ((torch.arange(scores.shape[-1]) - p) / half_width) ** 2)
            weights[b, t, places] = scores[b, t, places].softmax(-1) * gaussian[places]
        return weights

    return answer


@wrong_answers(
    {
        "window-too-narrow": 0,
        "center-rounded": 1,
    }
)
def test_a_window_cut_at_whole_numbers_is_named(wrong, mistake: str):
    assert named(LOCAL_P_WINDOW, with_a_slice(wrong)) == mistake


@pytest.mark.parametrize("sign", [1, -1])
def test_a_window_with_one_end_is_named(sign):
    def answer(scores, center, half_width):
        distance = sign * (torch.arange(scores.shape[-1]) - center[..., None])
        inside = scores.masked_fill(distance > half_width, -math.inf)
        return inside.softmax(-1) * torch.exp(-2 * (distance / half_width) ** 2)

    assert named(LOCAL_P_WINDOW, answer) == "window-with-one-end"


def test_the_stub_excludes_what_no_case_holds():
    stub = " ".join(LOCAL_P_WINDOW.stub.split())
    assert "a whole number of at least 1" in stub
    assert "every window holds at least one position" in stub
    for case in LOCAL_P_WINDOW.cases:
        scores, center, half_width = case.fresh().inputs.values()
        distance = torch.arange(scores.shape[-1]) - center[..., None]
        assert half_width >= 1
        assert (distance.abs() <= half_width).any(-1).all()


def test_what_the_reader_sees_calls_the_centre_as_the_page_does():
    texts = [
        LOCAL_P_WINDOW.stub,
        *LOCAL_P_WINDOW.hints,
        *(m.diagnosis for m in LOCAL_P_WINDOW.misconceptions),
    ]
    assert not [text for text in texts if re.search(r"\bp_t\b|\bp\b(?!_)", text)]


def test_the_renormalised_variant_is_called_a_variant():
    report = report_on(LOCAL_P_WINDOW, local_p(log=True))
    assert "another known variant" in report.message


def test_the_library_s_local_p_weights_pass():
    assert report_on(LOCAL_P_WINDOW, local_p_weights).passed
