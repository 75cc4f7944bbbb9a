"""An exercise of chapter 04: one step of a TopK autoencoder."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.exercises import catalog
from bottomup.models import SparseAutoencoder
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

TOPK_SAE_STEP = catalog()["topk-sae-step"]


def test_a_step_by_hand():
    codes, reconstruction, W_dec = expected_of(TOPK_SAE_STEP, 0)
    # x - b_dec = (2, 1); scores (2, 1 + 4, -7); unit 2 is kept, and its direction is (.6, .8)
    assert codes.tolist() == [[0, 5, 0]]
    torch.testing.assert_close(reconstruction, torch.tensor([[5 * 0.6 + 1, 5 * 0.8]]))
    torch.testing.assert_close(W_dec, torch.tensor([[1, 0.6, 0], [0, 0.8, 1]]))


def test_a_weak_sample_keeps_its_own_unit():
    codes, _reconstruction, _W_dec = expected_of(TOPK_SAE_STEP, 1)
    # scores (7 - .5, 6 + .75) and (1 - .5, 2 + .75)
    assert codes.tolist() == [[0, 6.75], [0, 2.75]]


@pytest.mark.parametrize("case", range(len(TOPK_SAE_STEP.cases)))
def test_at_most_k_codes_and_columns_of_length_one(case: int):
    codes, _reconstruction, W_dec = expected_of(TOPK_SAE_STEP, case)
    k = TOPK_SAE_STEP.cases[case].inputs["k"]
    assert codes.min() >= 0
    assert codes.max() > 0
    assert (codes > 0).sum(dim=1).max() <= k
    torch.testing.assert_close(W_dec.norm(dim=0), torch.ones_like(W_dec[0]))


def test_fewer_than_k_codes_where_fewer_numbers_are_positive():
    codes, reconstruction, _W_dec = expected_of(TOPK_SAE_STEP, 4)
    # scores (1, -1, -.5), of which 1 and -.5 are kept
    assert codes.tolist() == [[1, 0, 0]]
    assert reconstruction.tolist() == [[2, 1]]


def by_module(x, W_enc, b_enc, W_dec, b_dec, k):
    with torch.random.fork_rng(devices=[]):
        model = SparseAutoencoder(x.shape[1], len(W_enc), kind="topk", k=k).to(x)
    model.load_state_dict({"E": W_enc, "b_enc": b_enc, "D": W_dec, "b_dec": b_dec})
    model.project_decoder()
    with torch.no_grad():
        x_hat, activations = model(x)
    return activations, x_hat, model.D.detach()


def test_the_library_s_autoencoder_passes():
    assert report_on(TOPK_SAE_STEP, by_module).passed


def unit(W_dec: Tensor) -> Tensor:
    return F.normalize(W_dec, dim=0)


def autoencoder(
    *,
    project: Callable[[Tensor], Tensor] = unit,
    centre: Callable[[Tensor, Tensor], Tensor] = torch.sub,
    keep: Callable[[Tensor, int], Tensor] = lambda scores, k: torch.where(
        scores >= scores.topk(k, dim=-1).values[:, -1:], scores, 0
    ),
    code: Callable[[Tensor], Tensor] = F.relu,
    shift: Callable[[Tensor, Tensor], Tensor] = torch.add,
) -> Callable[..., tuple[Tensor, ...]]:
    """An answer as a reader may write it, with one thing to change."""

    def answer(x, W_enc, b_enc, W_dec, b_dec, k):
        decoder = project(W_dec)
        scores = F.linear(centre(x, b_dec), W_enc, b_enc)
        codes = code(keep(scores, k))
        return codes, shift(F.linear(codes, decoder), b_dec), decoder

    return answer


def test_the_reader_s_step_passes_unchanged():
    assert report_on(TOPK_SAE_STEP, autoencoder()).passed


def of_the_batch(scores: Tensor, k: int) -> Tensor:
    smallest = scores.flatten().topk(k * len(scores)).values[-1]
    return scores * (scores >= smallest)


def by_size(scores: Tensor, k: int) -> Tensor:
    places = scores.abs().topk(k).indices
    return torch.zeros_like(scores).scatter_(1, places, scores.gather(1, places))


def in_columns(scores: Tensor, k: int) -> Tensor:
    found = scores.topk(k, dim=0)
    return torch.zeros_like(scores).scatter(0, found.indices, found.values)


def smallest(scores: Tensor, k: int) -> Tensor:
    found = scores.topk(k, largest=False)
    return torch.zeros_like(scores).scatter(1, found.indices, found.values)


def in_the_first_columns(scores: Tensor, k: int) -> Tensor:
    kept = torch.zeros_like(scores)
    kept[:, :k] = torch.topk(scores, k).values
    return kept


def sorted_down(scores: Tensor) -> Tensor:
    return scores.sort(dim=-1, descending=True).values


def chosen_before_the_bias(x, W_enc, b_enc, W_dec, b_dec, k):
    found = ((x - b_dec) @ W_enc.T).topk(k)
    decoder = W_dec / W_dec.norm(dim=0, keepdim=True)
    codes = torch.zeros(len(x), len(W_enc), dtype=x.dtype)
    codes = F.relu(codes.scatter(1, found.indices, found.values) + b_enc)
    return codes, codes @ decoder.T + b_dec, decoder


def encoder_of_unit_rows(x, W_enc, b_enc, W_dec, b_dec, k):
    return autoencoder()(x, W_enc / W_enc.norm(dim=1, keepdim=True), b_enc, W_dec, b_dec, k)


def values_alone(x, W_enc, b_enc, W_dec, b_dec, k):
    decoder = W_dec / W_dec.norm(dim=0)
    values, places = ((x - b_dec) @ W_enc.T + b_enc).relu().topk(k)
    rebuilt = (values[..., None] * decoder.T[places]).sum(1) + b_dec
    return values, rebuilt, decoder


def projected_at_the_end(x, W_enc, b_enc, W_dec, b_dec, k):
    codes, reconstruction, _ = autoencoder(project=lambda W_dec: W_dec)(
        x, W_enc, b_enc, W_dec, b_dec, k
    )
    return codes, reconstruction, F.normalize(W_dec, dim=0)


@wrong_answers(
    {
        "k-over-the-batch": [
            autoencoder(keep=of_the_batch),
            autoencoder(
                keep=lambda scores, k: scores * (scores >= sorted_down(scores.flatten())[k - 1])
            ),
        ],
        "k-samples-of-each-unit": autoencoder(keep=in_columns),
        "values-in-the-first-places": autoencoder(keep=in_the_first_columns),
        "strictly-above-the-threshold": [
            autoencoder(keep=lambda scores, k: scores * (scores > scores.topk(k).values[:, -1:])),
            autoencoder(
                keep=lambda scores, k: scores * (scores > scores.topk(k).values.amin(1, True))
            ),
        ],
        "one-too-many-kept": [
            autoencoder(
                keep=lambda scores, k: scores * (scores >= sorted_down(scores)[:, k : k + 1])
            ),
            autoencoder(keep=lambda scores, k: scores * (scores >= sorted_down(scores)[:, [k]])),
            autoencoder(
                keep=lambda scores, k: scores * (scores >= scores.topk(k + 1).values[:, -1:])
            ),
        ],
        "one-threshold-for-the-batch": [
            autoencoder(keep=lambda scores, k: scores * (scores >= scores.topk(k).values.min())),
            autoencoder(
                keep=lambda scores, k: scores * (scores >= scores.relu().topk(k).values.min())
            ),
            autoencoder(keep=lambda scores, k: scores * (scores >= scores.topk(k).values[-1, -1])),
        ],
        "squared-length-divides": [
            autoencoder(project=lambda W_dec: W_dec / W_dec.square().sum(0)),
            autoencoder(project=lambda W_dec: W_dec / W_dec.norm(dim=0) ** 2),
        ],
        "another-norm": [
            autoencoder(project=lambda W_dec: W_dec / W_dec.norm(p=1, dim=0)),
            autoencoder(project=lambda W_dec: W_dec / W_dec.abs().amax(0)),
        ],
        "largest-by-absolute-value": [
            autoencoder(keep=by_size),
            autoencoder(keep=by_size, code=lambda codes: codes),
        ],
        "nothing-cut-off": autoencoder(keep=lambda scores, k: scores),
        "relu-missing": autoencoder(code=lambda codes: codes),
        "codes-are-ones": [
            autoencoder(code=lambda codes: (codes > 0).to(codes.dtype)),
            autoencoder(code=lambda codes: (codes != 0).to(codes.dtype)),
        ],
        "decoder-lengths-free": autoencoder(project=lambda W_dec: W_dec),
        "rows-made-unit": autoencoder(project=F.normalize),
        "smallest-kept": [
            autoencoder(keep=smallest),
            autoencoder(keep=lambda scores, k: scores.scatter(1, scores.argsort(1)[:, k:], 0.0)),
        ],
        "one-length-for-all": autoencoder(project=lambda W_dec: W_dec / torch.norm(W_dec)),
        "only-long-columns-shortened": autoencoder(
            project=lambda W_dec: torch.minimum(W_dec.norm(dim=0), torch.ones(())) * unit(W_dec)
        ),
        "decoder-bias-not-subtracted": autoencoder(centre=lambda x, b_dec: x),
        "decoder-bias-not-added": autoencoder(shift=lambda vectors, b_dec: vectors),
        "decoder-bias-ignored": autoencoder(centre=lambda x, b: x, shift=lambda x, b: x),
        "decoder-projected-too-late": projected_at_the_end,
        "codes-without-places": values_alone,
        "encoder-normalised": encoder_of_unit_rows,
        "chosen-before-the-encoder-bias": chosen_before_the_bias,
    }
)
def test_a_slip_of_the_step_is_named(wrong, mistake: str):
    assert named(TOPK_SAE_STEP, wrong) == mistake


def test_other_wrong_steps_get_a_plain_report():
    cases = (
        ({"centre": torch.add}, "In codes: "),
        ({"shift": torch.sub}, "In reconstruction: "),
        ({"project": lambda W_dec: W_dec / W_dec.sum(0)}, "In reconstruction: "),
        ({"keep": lambda scores, k: -smallest(scores, k)}, "In codes: "),
    )
    for change, sentence in cases:
        report = report_on(TOPK_SAE_STEP, autoencoder(**change))
        assert report.misconception is None, report
        assert not report.passed
        assert sentence in report.message


def test_a_decoder_projected_in_place_is_told_so():
    def answer(x, W_enc, b_enc, W_dec, b_dec, k):
        W_dec /= W_dec.norm(dim=0)
        return autoencoder()(x, W_enc, b_enc, W_dec, b_dec, k)

    report = report_on(TOPK_SAE_STEP, answer)
    assert not report.passed
    assert "changes its input W_dec in place" in report.message


def test_the_missing_tensor_is_asked_for():
    report = report_on(TOPK_SAE_STEP, lambda *inputs: autoencoder()(*inputs)[:2])
    assert "It returned 2 values, expected 3 tensors: codes, reconstruction, W_dec." in repr(report)
