"""The loss of the toy model: values by hand, the library's, typical slips."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup import models
from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

SUPERPOSITION_LOSS = catalog()["superposition-loss"]


def test_loss_of_an_antipodal_pair():
    # one on: exact; both on: the hidden number is 0, both come out 0, errors 1 and 1
    assert float(expected_of(SUPERPOSITION_LOSS, 0)) == pytest.approx((0 + 1 * 1 + 0.5 * 1) / 2)


def test_loss_with_a_bias():
    # hidden (2, .5); back (4, 1.5, .5); with the bias (1, -.5, 1); the ReLU leaves (1, 0, 1)
    assert float(expected_of(SUPERPOSITION_LOSS, 1)) == pytest.approx(0.5 * (1 - 0.5) ** 2)


def test_loss_of_two_features_in_two_dimensions():
    # hidden (1.5, .5); back (1.5, 2); with the bias (1.5, 1.5)
    assert float(expected_of(SUPERPOSITION_LOSS, 4)) == pytest.approx(0.5**2 + 0.5 * 1**2)


def test_absent_features_cost_what_the_bias_lets_through():
    assert float(expected_of(SUPERPOSITION_LOSS, 7)) == pytest.approx(1 * 0.5**2 + 2 * 1**2)


def test_the_library_s_loss_passes():
    def answer(x: Tensor, W: Tensor, b: Tensor, importance: Tensor) -> Tensor:
        return models.superposition_loss(x, (x @ W.T @ W + b).relu(), importance)

    assert report_on(SUPERPOSITION_LOSS, answer).passed


def toy_model(
    *,
    hidden: Callable[[Tensor, Tensor], Tensor] = lambda x, W: torch.einsum("sf,df->sd", x, W),
    back: Callable[[Tensor, Tensor], Tensor] = torch.matmul,
    output: Callable[[Tensor, Tensor], Tensor] = lambda back, b: F.relu(back + b),
    loss: Callable[[Tensor, Tensor, Tensor], Tensor] = (
        lambda x, output, importance: ((x - output) ** 2 * importance).sum(-1).mean()
    ),
) -> Callable[..., Tensor]:
    """An answer as a reader may write it, with one thing to change."""

    def answer(x: Tensor, W: Tensor, b: Tensor, importance: Tensor) -> Tensor:
        return loss(x, output(back(hidden(x, W), W), b), importance)

    return answer


def test_the_reader_s_loss_passes_unchanged():
    assert report_on(SUPERPOSITION_LOSS, toy_model()).passed


def bias_added_to_the_input(x: Tensor, W: Tensor, b: Tensor, importance: Tensor) -> Tensor:
    return (importance * (x - F.relu((x + b) @ (W.T @ W))) ** 2).sum(1).mean()


@wrong_answers(
    {
        "relu-omitted": toy_model(output=lambda back, b: back + b),
        "bias-after-the-relu": toy_model(output=lambda back, b: F.relu(back) + b),
        "bias-missing": toy_model(output=lambda back, b: F.relu(back)),
        "relu-on-the-hidden-vector": toy_model(hidden=lambda x, W: F.relu(x @ W.T)),
        "untied": [
            toy_model(hidden=lambda x, W: x @ W, back=lambda h, W: h @ W.T),
            toy_model(back=lambda h, W: h @ W.T),
        ],
        "samples-as-columns": toy_model(hidden=lambda x, W: W @ x, back=lambda h, W: W.T @ h),
        "importance-inside-the-square": [
            toy_model(loss=lambda x, out, w: ((w * (x - out)) ** 2).sum(-1).mean()),
            toy_model(loss=lambda x, out, w: F.mse_loss(w * x, w * out, reduction="sum") / len(x)),
        ],
        "importance-missing": [
            toy_model(loss=lambda x, out, w: F.mse_loss(out, x)),
            toy_model(loss=lambda x, out, w: (x - out).pow(2).sum(1).mean()),
        ],
        "mean-over-features": toy_model(loss=lambda x, out, w: (w * (x - out) ** 2).mean()),
        "importance-normalised": [
            toy_model(loss=lambda x, out, w: ((x - out) ** 2 @ w).mean() / w.sum()),
            toy_model(loss=lambda x, out, w: ((x - out) ** 2 @ (w / w.max())).mean()),
        ],
        "loss-halved": toy_model(loss=lambda x, out, w: 0.5 * ((x - out) ** 2 @ w).mean()),
        "sum-before-the-square": toy_model(loss=lambda x, out, w: ((x - out) @ w).square().mean()),
        "bias-subtracted": toy_model(output=lambda back, b: F.relu(back - b)),
        "one-product-detached": [
            toy_model(back=lambda h, W: h @ W.detach()),
            toy_model(hidden=lambda x, W: x @ W.data.T),
        ],
        "sum-over-samples": toy_model(loss=lambda x, out, w: ((x - out) ** 2 @ w).sum()),
        "errors-not-squared": toy_model(
            loss=lambda x, out, w: (w * torch.abs(x - out)).sum(-1).mean()
        ),
        "norm-of-the-error": toy_model(
            loss=lambda x, out, w: (w * (x - out) ** 2).sum(-1).sqrt().mean()
        ),
        "only-features-that-are-on": toy_model(
            loss=lambda x, out, w: ((w * (x - out) ** 2) * (x != 0)).sum(-1).mean()
        ),
        "bias-before-the-product": bias_added_to_the_input,
    }
)
def test_a_slip_of_the_loss_is_named(wrong, mistake: str):
    assert named(SUPERPOSITION_LOSS, wrong) == mistake


@pytest.mark.parametrize("dim", [0, 1, None])
def test_a_matrix_made_unit_first_is_named(dim: int | None):
    def answer(x: Tensor, W: Tensor, b: Tensor, importance: Tensor) -> Tensor:
        unit = W / torch.linalg.norm(W) if dim is None else F.normalize(W, dim=dim)
        return toy_model()(x, unit, b, importance)

    assert named(SUPERPOSITION_LOSS, answer) == "weights-normalised"


def test_a_matrix_detached_in_both_places_is_told_that_it_could_not_learn():
    report = report_on(
        SUPERPOSITION_LOSS, lambda x, W, b, importance: toy_model()(x, W.detach(), b, importance)
    )
    assert report.misconception is None
    assert "no gradient leads back from them to W" in report.message


def test_a_loss_made_anew_of_a_number_is_told_of_its_gradient_not_of_its_dtype():
    report = report_on(
        SUPERPOSITION_LOSS, lambda *inputs: torch.tensor(toy_model()(*inputs).item())
    )
    assert report.case == "gradients for W and b"
    assert "no gradient leads back from them to W, b" in report.message


def test_other_wrong_losses_get_a_plain_report():
    def one_number_for_each_sample(x, out, importance):
        return ((x - out) ** 2 * importance).sum(-1)

    def doubled(x, out, importance):
        return 2 * ((x - out) ** 2 * importance).sum(-1).mean()

    def importance_of_samples(x, out, importance):
        return (importance[:, None] * (x - out) ** 2).sum(-1).mean()

    for loss, sentence in (
        (one_number_for_each_sample, "has shape (2,), expected ()"),
        (doubled, "The value differs by 0.75"),
        (importance_of_samples, "The value differs by 0.25"),
    ):
        report = report_on(SUPERPOSITION_LOSS, toy_model(loss=loss))
        assert report.misconception is None
        assert sentence in report.message


def test_a_loss_as_a_number_is_told_that_it_must_be_a_tensor():
    report = report_on(SUPERPOSITION_LOSS, lambda *inputs: toy_model()(*inputs).item())
    assert "It returned a number, expected a tensor" in report.message
