import pytest
import torch

from bottomup.models import SparseAutoencoder
from bottomup.training import VectorBatch, fit_autoencoder
from tests.drawn import global_seed, seeded

D_INPUT, DICTIONARY, SAMPLES = 3, 5, 41


def autoencoder(**options) -> SparseAutoencoder:
    with global_seed(0):
        return SparseAutoencoder(D_INPUT, DICTIONARY, **options)


def axes(step: int) -> torch.Tensor:
    """Sums along three axes: each takes part with probability 0.2, uniform between 0 and 1."""
    generator = seeded(step)
    size = torch.rand(SAMPLES, D_INPUT, generator=generator)
    return size * (torch.rand(SAMPLES, D_INPUT, generator=generator) < 0.2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "penalty"), [({"kind": "l1"}, 0.1), ({"kind": "topk", "k": 1}, 0.0)]
)
def test_the_axes_are_found(options, penalty):
    model = autoencoder(**options)
    history = fit_autoencoder(model, axes, steps=400, penalty=penalty, learning_rate=0.01)
    assert sum(history.loss[-20:]) < sum(history.loss[:20])
    assert history.tokens == [SAMPLES] * 400
    assert model.directions.max(dim=0).values.min() > 0.98  # some direction along each axis
    torch.testing.assert_close(model.directions.norm(dim=1), torch.ones(DICTIONARY))


def test_a_finished_training_is_read_from_its_checkpoint(tmp_path):
    path = tmp_path / "run.pt"
    trained, read = autoencoder(), autoencoder()
    assert fit_autoencoder(trained, axes, steps=5, penalty=0.1, checkpoint=path).loss
    fit_autoencoder(read, pytest.fail, steps=5, penalty=0.1, checkpoint=path)
    assert torch.equal(read.D, trained.D)
    assert not torch.equal(read.D, autoencoder().D)


def test_a_batch_counts_its_vectors(device):
    batch = VectorBatch(torch.zeros(SAMPLES, D_INPUT)).to(device)
    assert batch.tokens == SAMPLES
    assert batch.x.device.type == device.type


def test_bad_arguments_are_named():
    model = autoencoder()
    with pytest.raises(TypeError, match="model: expected a SparseAutoencoder, got Linear"):
        fit_autoencoder(torch.nn.Linear(2, 2), axes, steps=1)
    with pytest.raises(ValueError, match="penalty: expected a number >= 0 and < inf, got -1"):
        fit_autoencoder(model, axes, steps=1, penalty=-1)
    with pytest.raises(ValueError, match=r"x: expected axes \[..., d_input=3\]"):
        fit_autoencoder(model, lambda step: torch.zeros(4, 2), steps=1)
    with pytest.raises(ValueError, match=r"vectors: expected axes \[sample, d_input\]"):
        fit_autoencoder(model, lambda step: torch.zeros(D_INPUT), steps=1)
    with pytest.raises(TypeError, match="vectors: expected a torch.Tensor, got list"):
        fit_autoencoder(model, lambda step: [0.0] * D_INPUT, steps=1)
    with pytest.raises(ValueError, match="learning_rate: expected a number > 0"):
        fit_autoencoder(model, axes, steps=1, learning_rate=0.0)
