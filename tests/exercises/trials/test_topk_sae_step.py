"""One step of a TopK autoencoder: its properties, the library's, and the words of a report."""

import pytest
import torch

from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from bottomup.models import SparseAutoencoder

TOPK_SAE_STEP = catalog()["topk-sae-step"]


@pytest.mark.parametrize("case", TOPK_SAE_STEP.cases, ids=lambda case: case.name)
def test_at_most_k_codes_and_columns_of_length_one(case):
    codes, _reconstruction, W_dec = TOPK_SAE_STEP.solution(*case.inputs.values())
    assert codes.min() >= 0
    assert codes.max() > 0
    assert (codes > 0).sum(dim=1).max() <= case.inputs["k"]
    torch.testing.assert_close(W_dec.norm(dim=0), torch.ones_like(W_dec[0]))


def by_module(x, W_enc, b_enc, W_dec, b_dec, k):
    with torch.random.fork_rng(devices=[]):
        model = SparseAutoencoder(x.shape[1], len(W_enc), kind="topk", k=k).to(x)
    model.load_state_dict({"E": W_enc, "b_enc": b_enc, "D": W_dec, "b_dec": b_dec})
    model.project_decoder()
    with torch.no_grad():
        x_hat, activations = model(x)
    return activations, x_hat, model.D.detach()


def test_the_library_s_autoencoder_passes():
    assert examine(TOPK_SAE_STEP, by_module).passed


def test_a_decoder_projected_in_place_is_told_so():
    def answer(x, W_enc, b_enc, W_dec, b_dec, k):
        W_dec /= W_dec.norm(dim=0)
        return TOPK_SAE_STEP.solution(x, W_enc, b_enc, W_dec, b_dec, k)

    report = examine(TOPK_SAE_STEP, answer)
    assert not report.passed
    assert "changes its input W_dec in place" in report.message


def test_the_missing_tensor_is_asked_for():
    report = examine(TOPK_SAE_STEP, lambda *inputs: TOPK_SAE_STEP.solution(*inputs)[:2])
    assert "It returned 2 values, expected 3 tensors: codes, reconstruction, W_dec." in repr(report)
