"""Label smoothing, of chapter 05: values by hand, the library's and torch's losses, slips."""

from collections.abc import Callable
from math import log

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises import catalog
from bottomup.exercises.encoder_decoder.label_smoothing import distribution
from bottomup.training import token_cross_entropy
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

LABEL_SMOOTHING = catalog()["label-smoothing"]

LABEL_SMOOTHING = catalog()["label-smoothing"]

VALUES = [case for case in LABEL_SMOOTHING.cases if not case.wants_gradients]


def test_one_place_with_four_classes():
    # probabilities 1/8 (padding), 1/2 (right), 1/4, 1/8; masses 0, 0.8, 0.1, 0.1
    assert expected_of(LABEL_SMOOTHING, 0).item() == pytest.approx(
        (0.8 * 1 + 0.1 * 2 + 0.1 * 3) * log(2), rel=1e-6
    )


def test_a_padded_place_does_not_count():
    # class 2 is right: masses 0, 0.1, 0.8, 0.1
    assert expected_of(LABEL_SMOOTHING, 1).item() == pytest.approx(
        (0.1 * 1 + 0.8 * 2 + 0.1 * 3) * log(2), rel=1e-6
    )


@pytest.mark.parametrize("case", VALUES, ids=lambda case: case.name)
def test_the_masses_sum_to_one_without_padding(case):
    inputs = case.inputs
    spread = distribution(
        inputs["target"], inputs["logits"].shape[-1], inputs["smoothing"], inputs["pad"]
    )[inputs["mask"]]
    assert spread.sum(-1).allclose(torch.ones(len(spread), dtype=torch.float64))
    assert spread[:, inputs["pad"]].count_nonzero() == 0


@pytest.mark.parametrize("case", VALUES, ids=lambda case: case.name)
def test_without_smoothing_it_is_the_library_s_cross_entropy(case):
    logits, target, mask, _smoothing, pad = case.fresh().inputs.values()
    expected = token_cross_entropy(logits, target, mask)
    torch.testing.assert_close(LABEL_SMOOTHING.solution(logits, target, mask, 0.0, pad), expected)


def test_torch_s_loss_is_this_one_where_padding_cannot_be_predicted():
    # torch shares among V - 1 tokens then, the right one too: less is taken from it
    logits, target, mask, smoothing, pad = LABEL_SMOOTHING.cases[2].fresh().inputs.values()
    tokens = [c for c in range(logits.shape[-1]) if c != pad]
    renumbered = target.sub(1).clamp(min=0)  # padding is class 0
    theirs = F.cross_entropy(logits[..., tokens][mask], renumbered[mask], label_smoothing=smoothing)
    lowered = logits.double()
    lowered[..., pad] = -1e4
    others = len(tokens) - 1
    ours = LABEL_SMOOTHING.solution(lowered, target, mask, smoothing * others / len(tokens), pad)
    torch.testing.assert_close(ours.float(), theirs)


def through_a_distribution(
    *,
    fill: Callable[[int, float], float] = lambda v, e: e / (v - 2),
    right: Callable[[int, float], float] = lambda v, e: 1 - e,
    emptied: bool = True,
    finish: Callable[[Tensor, Tensor], Tensor] = lambda losses, mask: losses[mask].mean(),
) -> Callable[..., Tensor]:
    """An answer as a reader may write it, with one thing to change."""

    def answer(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        classes = logits.shape[-1]
        spread = torch.full_like(logits, fill(classes, smoothing))
        spread.scatter_(-1, target.unsqueeze(-1), right(classes, smoothing))
        if emptied:
            spread[..., pad] = 0
        return finish(-(spread * F.log_softmax(logits, dim=-1)).sum(-1), mask)

    return answer


def test_the_reader_s_distribution_passes_unchanged():
    assert report_on(LABEL_SMOOTHING, through_a_distribution()).passed


SLIPS = {
    "mass-on-padding": through_a_distribution(emptied=False),
    "shared-among-all-others": through_a_distribution(fill=lambda v, e: e / (v - 1), emptied=False),
    "shared-among-all-classes": through_a_distribution(
        fill=lambda v, e: e / v, right=lambda v, e: 1 - e + e / v, emptied=False
    ),
    "masses-do-not-sum-to-one": [
        through_a_distribution(fill=lambda v, e: e / (v - 1)),
        through_a_distribution(fill=lambda v, e: e / v),
        through_a_distribution(fill=lambda v, e: e),
        through_a_distribution(right=lambda v, e: 1.0),
        through_a_distribution(right=lambda v, e: 1 - e + e / (v - 2)),
    ],
    "right-token-gets-the-rest": through_a_distribution(
        fill=lambda v, e: (1 - e) / (v - 2), right=lambda v, e: e
    ),
    "not-smoothed": through_a_distribution(fill=lambda v, e: 0.0, right=lambda v, e: 1.0),
    "padding-counted": [
        through_a_distribution(finish=lambda losses, mask: losses.mean()),
        through_a_distribution(finish=lambda losses, mask: losses.sum() / mask.sum()),
    ],
    "mean-over-all-places": through_a_distribution(
        finish=lambda losses, mask: (losses * mask).mean()
    ),
    "mask-inverted": through_a_distribution(finish=lambda losses, mask: losses[~mask].mean()),
    "sum": through_a_distribution(finish=lambda losses, mask: (losses * mask).sum()),
    "mean-of-sentence-means": through_a_distribution(
        finish=lambda losses, mask: ((losses * mask).sum(1) / mask.sum(1)).mean()
    ),
    "sign": through_a_distribution(finish=lambda losses, mask: -losses[mask].mean()),
    "bits": through_a_distribution(finish=lambda losses, mask: losses[mask].mean() / log(2)),
}


@wrong_answers(SLIPS)
def test_a_slip_of_the_distribution_is_named(wrong, mistake: str):
    assert named(LABEL_SMOOTHING, wrong) == mistake


def with_pad_at(below: float) -> Callable[..., Tensor]:
    def answer(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        lowered = logits.clone()
        lowered[..., pad] = below
        return through_a_distribution()(lowered, target, mask, smoothing, pad)

    return answer


@pytest.mark.parametrize("below", [float("-inf"), -1e9])
def test_a_softmax_without_padding_is_named(below: float):
    assert named(LABEL_SMOOTHING, with_pad_at(below)) == "padding-taken-out-of-the-softmax"


def of_log_p(log_softmax: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    def answer(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        log_p = log_softmax(logits)
        right = log_p.gather(-1, target[..., None])[..., 0]
        others = log_p.sum(-1) - right - log_p[..., pad]
        loss = -((1 - smoothing) * right + smoothing / (logits.shape[-1] - 2) * others)
        return loss[mask].mean()

    return answer


@wrong_answers(
    {
        "softmax-over-the-positions": lambda logits: logits.log_softmax(1),
        "softmax-twice": lambda logits: F.log_softmax(logits.softmax(-1), dim=-1),
    }
)
def test_another_softmax_is_named(wrong, mistake: str):
    assert report_on(LABEL_SMOOTHING, of_log_p(lambda logits: logits.log_softmax(-1))).passed
    assert named(LABEL_SMOOTHING, of_log_p(wrong)) == mistake


WITHOUT_A_DISTRIBUTION = {
    "not-smoothed": lambda x, t, m, e, p: F.cross_entropy(x[m], t[m]),
    "shared-among-all-classes": [
        lambda x, t, m, e, p: F.cross_entropy(x[m], t[m], label_smoothing=e),
        lambda x, t, m, e, p: F.cross_entropy(x.mT, t, ignore_index=p, label_smoothing=e),
    ],
    "padding-counted": lambda x, t, m, e, p: F.cross_entropy(x.mT, t, label_smoothing=e),
    "logits-smoothed": [
        lambda x, t, m, e, p: F.cross_entropy((1 - e) * x[m], t[m]),
        lambda x, t, m, e, p: F.cross_entropy((1 - e) * x[m] + e / x.shape[-1], t[m]),
    ],
    "divergence": lambda x, t, m, e, p: F.kl_div(
        x.log_softmax(-1)[m],
        distribution(t, x.shape[-1], e, p).to(x)[m],
        reduction="batchmean",
    ),
    "mean-over-classes": lambda x, t, m, e, p: (
        LABEL_SMOOTHING.solution(x, t, m, e, p) / x.shape[-1]
    ),
    "padding-assumed-first": lambda x, t, m, e, p: LABEL_SMOOTHING.solution(x, t, m, e, 0),
}


@wrong_answers(WITHOUT_A_DISTRIBUTION)
def test_another_loss_is_named(wrong, mistake: str):
    assert named(LABEL_SMOOTHING, wrong) == mistake


def through_probabilities(*, added: float = 0.0, floor: float = 0.0) -> Callable[..., Tensor]:
    """The distribution against the logarithm of the softmax, safe only for small logits."""

    def answer(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
        log_p = (logits.softmax(-1) + added).clamp(min=floor).log()
        spread = distribution(target, logits.shape[-1], smoothing, pad).to(logits)
        return -(spread * log_p).sum(-1)[mask].mean()

    return answer


def by_subtraction(
    logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int
) -> Tensor:
    log_p = torch.log(torch.softmax(logits, -1))
    right = log_p.gather(-1, target[..., None])[..., 0]
    others = log_p.sum(-1) - right - log_p[..., pad]
    share = smoothing / (logits.shape[-1] - 2)
    return -((1 - smoothing) * right + share * others)[mask].mean()


def by_loops(logits: Tensor, target: Tensor, mask: Tensor, smoothing: float, pad: int) -> Tensor:
    losses = []
    for b, i in mask.nonzero().tolist():
        log_p, right = logits[b, i].softmax(0).log(), int(target[b, i])
        others = [log_p[c] for c in range(len(log_p)) if c not in (pad, right)]
        share = smoothing / len(others)
        losses.append(-(1 - smoothing) * log_p[right] - share * torch.stack(others).sum())
    return torch.stack(losses).mean()


@pytest.mark.parametrize(
    "answer",
    [
        through_probabilities(),
        through_probabilities(added=1e-9),
        through_probabilities(added=1e-12),
        through_probabilities(floor=1e-9),
        by_subtraction,
        by_loops,
    ],
)
def test_a_logarithm_after_the_softmax_is_named(answer: Callable[..., Tensor]):
    report = report_on(LABEL_SMOOTHING, answer)
    assert report.misconception == "log-of-softmax"
    assert "Take log_softmax" in report.message


def test_a_convention_is_called_one():
    conventions = [m for m in LABEL_SMOOTHING.misconceptions if m.slug.startswith("shared-")]
    assert len(conventions) == 3
    assert all("convention" in misconception.diagnosis for misconception in conventions)


@pytest.mark.parametrize(
    "answer",
    [
        lambda x, t, m, e, p: F.cross_entropy(x[m], t[m]) + e * x.square().mean(),
        lambda x, t, m, e, p: (x.log_softmax(-1)[m].exp() - 1).square().mean(),
        lambda x, t, m, e, p: LABEL_SMOOTHING.solution(x, t, m, e / 2, p),
    ],
)
def test_some_other_loss_gets_a_plain_report(answer: Callable[..., Tensor]):
    report = report_on(LABEL_SMOOTHING, answer)
    assert report.status == "failed" and report.misconception is None
    assert "differs" in repr(report)
