"""Layer normalisation: values by hand, the library's own function, typical slips."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.blocks.normalization import layer_norm
from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

LAYER_NORM = catalog()["layer-norm"]


def test_two_vectors_of_four_numbers_are_normalised():
    # means 2 and 2, roots of the variances 1 and 2; gain 1 2 1 1, bias 0 0 10 0
    expected = torch.tensor([[[-1.0, 2, 9, 1], [-1, -2, 11, 1]]])
    torch.testing.assert_close(expected_of(LAYER_NORM, 0), expected, rtol=1e-5, atol=0)


def test_a_vector_of_equal_numbers_becomes_the_bias():
    assert expected_of(LAYER_NORM, 2)[0, 0].tolist() == [1, 2, 3, 4]


def test_the_library_s_layer_norm_passes():
    assert report_on(LAYER_NORM, layer_norm).passed


def by_batch_norm(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    return F.batch_norm(x.transpose(1, 2), None, None, gain, bias, True).transpose(1, 2)


def by_instance_norm(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    mean, std = x.mean(1, keepdim=True), x.var(1, unbiased=False, keepdim=True).add(1e-5).sqrt()
    return (x - mean) / std * gain + bias


def as_a_famous_notebook_writes_it(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    return gain * (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6) + bias


def through_numbers(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    with torch.no_grad():
        std, mean = torch.std_mean(x, -1, correction=0, keepdim=True)
        root = (std**2 + 1e-5).sqrt()
    return (x - mean) / root * gain + bias


def mean_without_its_axis(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
    centred = x - x.mean(-1)
    return gain * centred / (centred.square().mean(-1, keepdim=True) + 1e-5).sqrt() + bias


LAYER_NORM_SLIPS = {
    "parentheses-missing": [
        lambda x, g, b: (
            (g * x - x.mean(-1, True)) / torch.sqrt(x.var(-1, correction=0, keepdim=True) + 1e-5)
            + b
        ),
        lambda x, g, b: (
            g * x - x.mean(-1, True) / torch.sqrt(x.var(-1, correction=0, keepdim=True) + 1e-5) + b
        ),
    ],
    "over-the-batch": [by_batch_norm, lambda x, g, b: g * (x - x.mean(0)) / (x.std(0) + 1e-5) + b],
    "over-the-positions": [
        by_instance_norm,
        lambda x, g, b: g * (x - x.mean(1, True)) / torch.sqrt(x.var(1, keepdim=True) + 1e-5) + b,
    ],
    "one-mean-for-all-positions": [
        lambda x, g, b: F.layer_norm(x, x.shape[1:]) * g + b,
        lambda x, g, b: g * (x - x.mean()) / torch.sqrt(x.var() + 1e-5) + b,
    ],
    "keepdim-forgotten": [
        lambda x, g, b: g * (x - x.mean(-1)) / (x.var(-1, correction=0) + 1e-5).sqrt() + b,
        lambda x, g, b: g * (x - x.mean(-1)) / (x.std(-1) + 1e-5) + b,
        mean_without_its_axis,
    ],
    "unbiased-variance": lambda x, g, b: (
        g * (x - x.mean(-1, True)) / (x.var(-1, keepdim=True) + 1e-5).sqrt() + b
    ),
    "std-plus-epsilon": as_a_famous_notebook_writes_it,
    "epsilon-outside-the-root": lambda x, g, b: (
        g * (x - x.mean(-1, True)) / (x.std(-1, correction=0, keepdim=True) + 1e-5) + b
    ),
    "divided-by-the-variance": lambda x, g, b: (
        g * (x - x.mean(-1, True)) / (x.var(-1, correction=0, keepdim=True) + 1e-5) + b
    ),
    "epsilon-missing": lambda x, g, b: (
        g * (x - x.mean(-1, True)) / x.std(-1, correction=0, keepdim=True) + b
    ),
    "another-epsilon": [
        lambda x, g, b: F.layer_norm(x, x.shape[-1:], g, b, eps=1e-6),
        lambda x, g, b: F.layer_norm(x, x.shape[-1:], g, b, eps=1e-12),
    ],
    "gain-and-bias-missing": lambda x, g, b: F.layer_norm(x, x.shape[-1:]),
    "bias-missing": lambda x, g, b: F.layer_norm(x, x.shape[-1:], g),
    "gain-missing": lambda x, g, b: F.layer_norm(x, x.shape[-1:], bias=b),
    "gain-and-bias-exchanged": lambda x, g, b: F.layer_norm(x, x.shape[-1:], b, g),
    "gain-before-normalising": lambda x, g, b: F.layer_norm(x * g + b, x.shape[-1:]),
    "bias-scaled": lambda x, g, b: F.layer_norm(x, x.shape[-1:], g) + g * b,
    "length-one": [
        lambda x, g, b: g * F.normalize(x, dim=-1) + b,
        lambda x, g, b: g * F.normalize(x - x.mean(-1, True), dim=-1) + b,
    ],
    "root-mean-square": lambda x, g, b: F.rms_norm(x, x.shape[-1:], g, eps=1e-5) + b,
    "mean-not-subtracted": lambda x, g, b: (
        g * x / torch.sqrt(x.var(-1, correction=0, keepdim=True) + 1e-5) + b
    ),
    "variance-as-a-difference": lambda x, g, b: (
        g
        * (x - x.mean(-1, True))
        / torch.sqrt((x * x).mean(-1, True) - x.mean(-1, True) ** 2 + 1e-5)
        + b
    ),
    "statistics-detached": through_numbers,
    "one-added-to-gain": lambda x, g, b: F.layer_norm(x, x.shape[-1:], 1 + g, b),
    "mean-absolute-deviation": lambda x, g, b: (
        g * (x - x.mean(-1, True)) / ((x - x.mean(-1, True)).abs().mean(-1, True) + 1e-5) + b
    ),
}


@wrong_answers(LAYER_NORM_SLIPS)
def test_a_slip_of_layer_norm_is_named(wrong, mistake: str):
    assert named(LAYER_NORM, wrong) == mistake


@pytest.mark.parametrize(
    "variance",
    [
        lambda x, centred: (centred**2).mean(-1),
        lambda x, centred: x.var(-1),
        lambda x, centred: x.var(-1, correction=0),
    ],
)
@pytest.mark.parametrize("root", [lambda v: torch.sqrt(v + 1e-5), lambda v: v**0.5 + 1e-5])
@pytest.mark.parametrize("keep_the_mean", [True, False])
def test_a_variance_without_its_axis_is_named(
    variance: Callable[..., Tensor], root: Callable[[Tensor], Tensor], keep_the_mean: bool
):
    def answer(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
        centred = x - x.mean(-1, keepdim=keep_the_mean)
        return gain * centred / root(variance(x, centred)) + bias

    assert named(LAYER_NORM, answer) == "keepdim-forgotten"


def test_what_an_epsilon_outside_the_root_blows_up_is_told():
    def answer(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
        return gain * (x - x.mean(-1, True)) / (x.std(-1, correction=0, keepdim=True) + 1e-8) + bias

    message = report_on(LAYER_NORM, answer).message
    assert "variance 1, a length of sqrt(d_model)" in message


@pytest.mark.parametrize(
    "answer",
    [
        lambda x, g, b: (x - x.mean(-1, True)) / (x - x.mean(-1, True)).abs().mean(-1, True),
        lambda x, g, b: g * (x - x.amin(-1, True)) / (x.amax(-1, True) - x.amin(-1, True)) + b,
        lambda x, g, b: g.exp() * F.layer_norm(x, x.shape[-1:]) + b,
        lambda x, g, b: g * torch.softmax(x, dim=-1) + b,
        lambda x, g, b: g * (x - x.median(-1, True).values) / x.std(-1, keepdim=True) + b,
    ],
)
def test_another_normalisation_gets_a_plain_report(answer: Callable[..., Any]):
    report = report_on(LAYER_NORM, answer)
    assert report.status == "failed"
    assert report.misconception is None
    assert "values differ" in report.message
    assert "of 11 cases agree with the solution" in report.message


def test_a_centred_input_written_in_place_is_told():
    def answer(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
        x -= x.mean(-1, keepdim=True)
        return gain * x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt() + bias

    assert "changes its input x in place" in report_on(LAYER_NORM, answer).message
