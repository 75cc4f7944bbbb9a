import pytest
import torch

from bottomup.models import ToySuperposition, sample_features, superposition_loss
from tests.drawn import global_seed, seeded

FEATURES, DIMENSIONS, INSTANCES, SAMPLES = 5, 2, 3, 7


def toy(*rows: list[float], b: list[float] | None = None, linear: bool = False) -> ToySuperposition:
    """One instance with the rows of W given."""
    W = torch.tensor(rows, dtype=torch.float64)
    model = ToySuperposition(W.shape[1], W.shape[0], linear=linear).double()
    with torch.no_grad():
        model.W.copy_(W[None])
        model.b.copy_(torch.tensor(b or [0.0] * W.shape[1], dtype=torch.float64))
    return model


def several(**options) -> ToySuperposition:
    with global_seed(0):
        return ToySuperposition(FEATURES, DIMENSIONS, instances=INSTANCES, **options)


def test_an_antipodal_pair_by_hand():
    x = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.75, 0.25]], dtype=torch.float64)
    model = toy([1.0, -1.0])
    assert model.hidden(x).tolist() == [[[1.0], [-1.0], [0.0], [0.5]]]
    assert model(x).tolist() == [[[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.5, 0.0]]]
    loss = superposition_loss(x, model(x), torch.tensor([1.0, 0.5]).double())
    # one sample loses both ones, the other .25 of each feature
    assert loss.tolist() == pytest.approx([((1 + 0.5) + (1 + 0.5) * 0.25**2) / 4])


def test_two_dimensions_with_a_bias_by_hand():
    # h = (1, 1.5); W^T h + b = (2 - 3, 1 + 1.5 - 1, 1.5 * 2 + .5)
    model = toy([2.0, 1.0, 0.0], [0.0, 1.0, 2.0], b=[-3.0, -1.0, 0.5])
    x = torch.tensor([[0.25, 0.5, 0.5]], dtype=torch.float64)
    assert model.hidden(x).tolist() == [[[1.0, 1.5]]]
    assert model(x).tolist() == [[[0.0, 1.5, 3.5]]]
    loss = superposition_loss(x, model(x), torch.tensor([2.0, 1.0, 0.5]).double())
    assert loss.item() == pytest.approx(2 * 0.25**2 + 1 * 1.0**2 + 0.5 * 3.0**2)


def test_the_linear_model_keeps_what_is_below_zero():
    x = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    assert toy([1.0, -1.0], linear=True)(x).tolist() == [[[1.0, -1.0]]]


def test_instances_have_weights_and_samples_of_their_own():
    model = several()
    x = torch.rand(INSTANCES, SAMPLES, FEATURES, generator=seeded(1))
    together = model(x)
    assert together.shape == (INSTANCES, SAMPLES, FEATURES)
    for each in range(INSTANCES):
        W, b = model.W[each], model.b[each]
        torch.testing.assert_close(together[each], (x[each] @ W.T @ W + b).relu())
    torch.testing.assert_close(model(x[1])[1], together[1])
    with torch.no_grad():
        model.W[0] += 1
    changed = model(x)
    assert not torch.allclose(changed[0], together[0])
    assert torch.equal(changed[1:], together[1:])


def test_losses_of_instances_are_weighed_by_their_own_importances():
    x = torch.zeros(2, 1, 3)
    x_hat = torch.tensor([[[1.0, 2.0, 0.0]], [[1.0, 2.0, 0.0]]])
    importance = torch.tensor([[1.0, 1.0, 1.0], [2.0, 0.5, 9.0]])
    assert superposition_loss(x, x_hat, importance).tolist() == [5.0, 4.0]
    assert superposition_loss(x, x_hat, importance[1]).tolist() == [4.0, 4.0]


def test_the_start_is_normal_with_variance_two_over_the_sum_of_sizes():
    with global_seed(3):
        model = ToySuperposition(30, 20, instances=40)
    assert model.W.mean().item() == pytest.approx(0, abs=0.01)
    assert model.W.var().item() == pytest.approx(2 / 50, rel=0.05)
    assert not model.b.any()


def test_features_are_zero_with_probability_s_else_uniform(generator):
    x = sample_features(40_000, 3, 0.7, generator)
    on = x[x > 0]
    assert (x == 0).float().mean().item() == pytest.approx(0.7, abs=0.01)
    assert on.mean().item() == pytest.approx(1 / 2, abs=0.01)
    assert on.var().item() == pytest.approx(1 / 12, abs=0.003)
    assert x.min() == 0
    assert x.max() < 1
    covariance = torch.cov(x.T)
    assert covariance.triu(1).abs().max() < 0.002


def test_each_instance_has_its_own_sparsity(generator):
    sparsity = torch.tensor([0.0, 0.5, 0.95], dtype=torch.float64)
    x = sample_features(20_000, 2, sparsity, generator)
    assert x.shape == (3, 20_000, 2)
    assert x.dtype == torch.float32
    assert (x == 0).float().mean(dim=(1, 2)).tolist() == pytest.approx([0, 0.5, 0.95], abs=0.01)
    assert not torch.equal(x[0] > 0.5, x[1] > 0)  # instances draw numbers of their own


def test_shared_samples_are_the_same_for_equal_sparsities_and_thinned_for_others(generator):
    x = sample_features(1_000, 3, torch.tensor([0.5, 0.5, 0.8]), generator, shared=True)
    assert torch.equal(x[0], x[1])
    sparser = x[2] > 0
    assert (x[0][sparser] > 0).all()
    torch.testing.assert_close(x[2][sparser], (x[0][sparser] * 0.5 - 0.3) / 0.2)


@pytest.mark.parametrize("sparsity", [1.0, 1, -0.1, float("nan")])
def test_a_sparsity_outside_its_range_is_refused(sparsity):
    with pytest.raises(ValueError, match=r"sparsity: expected numbers in \[0, 1\), got"):
        sample_features(3, 2, torch.tensor([0.5, float(sparsity)]))


@pytest.mark.parametrize("value", [0.0, -1.0, float("inf"), float("nan")])
def test_an_importance_that_is_not_positive_and_finite_is_refused(value):
    x = torch.zeros(SAMPLES, 2)
    with pytest.raises(ValueError, match="importance: expected numbers above 0 and finite, got"):
        superposition_loss(x, x, torch.tensor([1.0, value]))


def test_shapes_that_do_not_fit_are_refused():
    x = torch.zeros(SAMPLES, FEATURES)
    ones = torch.ones(FEATURES)
    with pytest.raises(ValueError, match=r"x_hat: expected axes"):
        superposition_loss(x[:1], x, ones)
    with pytest.raises(ValueError, match="expected axes that fit"):
        superposition_loss(x.expand(3, -1, -1), x.expand(2, -1, -1), ones)
    model = several()
    with pytest.raises(ValueError, match=r"x: expected axes \[instances=3, sample, features\]"):
        model(torch.zeros(INSTANCES + 1, SAMPLES, FEATURES))
