"""Additive attention: values by hand, gradients, masks, and the module against the function."""

import pytest
import torch

from bottomup.attention import AdditiveAttention, additive_attention, additive_scores, attend
from tests.drawn import seeded

BATCH, QUERY, KEY, D_QUERY, D_KEY, D_ATTENTION, D_VALUE = 2, 3, 5, 7, 11, 13, 17


@pytest.fixture
def tensors():
    """Query, key, value and parameters on distinct prime sizes, in float64."""
    generator = seeded(1)
    shapes = {
        "query": (BATCH, QUERY, D_QUERY),
        "key": (BATCH, KEY, D_KEY),
        "value": (BATCH, KEY, D_VALUE),
        "W_a": (D_ATTENTION, D_QUERY),
        "U_a": (D_ATTENTION, D_KEY),
        "v_a": (D_ATTENTION,),
    }
    return {
        name: torch.randn(shape, generator=generator, dtype=torch.float64)
        for name, shape in shapes.items()
    }


def test_scores_equal_the_formula_in_loops(tensors):
    query, key, _, W_a, U_a, v_a = tensors.values()
    scores = additive_scores(query, key, W_a, U_a, v_a)
    assert scores.shape == (BATCH, QUERY, KEY)
    for b in range(BATCH):
        for i in range(QUERY):
            for j in range(KEY):
                energy = v_a @ torch.tanh(W_a @ query[b, i] + U_a @ key[b, j])
                assert torch.allclose(scores[b, i, j], energy, rtol=1e-12)


def test_scores_pass_gradcheck(tensors):
    inputs = [tensors[name] for name in ("query", "key", "W_a", "U_a", "v_a")]
    assert torch.autograd.gradcheck(additive_scores, [x.requires_grad_() for x in inputs])


def test_fully_masked_row_gives_zero_output_and_finite_gradients(tensors):
    mask = torch.ones(BATCH, QUERY, KEY, dtype=torch.bool)
    mask[0, 1] = False
    leaves = {name: tensor.requires_grad_() for name, tensor in tensors.items()}
    output, weights = additive_attention(**leaves, mask=mask)
    output.sum().backward()
    assert output[0, 1].tolist() == [0.0] * D_VALUE
    assert weights[0, 1].tolist() == [0.0] * KEY
    assert all(leaf.grad.isfinite().all() for leaf in leaves.values())
    assert leaves["query"].grad[0, 1].tolist() == [0.0] * D_QUERY


def test_module_equals_function_with_its_parameters(tensors):
    query, key, value = (tensors[name].float() for name in ("query", "key", "value"))
    module = AdditiveAttention(D_QUERY, D_KEY, D_ATTENTION)
    expected = additive_attention(query, key, value, **dict(module.named_parameters()))
    for got, want in zip(module(query, key, value), expected, strict=True):
        assert torch.equal(got, want)
    assert str(module) == "AdditiveAttention(d_query=7, d_key=11, d_attention=13)"


def test_projecting_the_keys_first_changes_nothing(tensors):
    module = AdditiveAttention(D_QUERY, D_KEY, D_ATTENTION).double()
    query, key, value = (tensors[name] for name in ("query", "key", "value"))
    projected = module.project_key(key)
    assert torch.equal(module.score_projected(query, projected), module.score(query, key))
    output, weights = attend(module.score_projected(query, projected), value)
    assert torch.equal(output, module(query, key, value)[0])
    assert torch.equal(weights, module(query, key, value)[1])


@pytest.mark.parametrize(
    ("name", "shape", "message"),
    [
        ("key", (BATCH + 1, KEY, D_KEY), r"key: expected the leading axes \(2,\) of query"),
        ("v_a", (1, D_ATTENTION), r"v_a: expected axes \[d_attention=13\]"),
    ],
)
def test_bad_shape_is_named(tensors, name, shape, message):
    tensors[name] = torch.zeros(shape, dtype=torch.float64)
    with pytest.raises(ValueError, match=message):
        additive_attention(**tensors)


def test_module_checks_its_widths_and_the_projected_key(tensors):
    module = AdditiveAttention(D_QUERY, D_KEY, D_ATTENTION).double()
    query, key = tensors["query"], tensors["key"]
    with pytest.raises(ValueError, match=r"projected_key: expected axes .*d_attention=13"):
        module.score_projected(query, key)
    with pytest.raises(ValueError, match=r"projected_key: expected the leading axes \(2,\) of q"):
        module.score_projected(query, module.project_key(key)[:1])


def test_initial_parameters_spread_by_the_width_they_read():
    module = AdditiveAttention(d_query=400, d_key=25, d_attention=10_000)
    for parameter, width in [(module.W_a, 400), (module.U_a, 25), (module.v_a, 10_000)]:
        assert 0.9 < parameter.max() * width**0.5 <= 1
        assert -1 <= parameter.min() * width**0.5 < -0.9
