import pytest
import torch

from bottomup.attention import prune_heads, scaled_dot_product_attention
from bottomup.blocks import sinusoidal_positions
from bottomup.models import AttentionOnly, AttentionOnlyConfig
from tests.drawn import global_seed, seeded

VOCABULARY, OUTPUTS, D_MODEL, BATCH, N = 13, 11, 6, 2, 5


def model_of(**options) -> AttentionOnly:
    with global_seed(0):
        return AttentionOnly(
            AttentionOnlyConfig(vocabulary=VOCABULARY, outputs=OUTPUTS, d_model=D_MODEL, **options)
        ).double()


def tokens(count: int = BATCH) -> torch.Tensor:
    return torch.randint(VOCABULARY, (count, N), generator=seeded(2))


def test_one_layer_step_by_step():
    model, ids = model_of(), tokens()
    x = model.embedding.weight[ids] + sinusoidal_positions(N, D_MODEL, dtype=torch.float64)
    layer = model.layers[0]
    maps = (x @ linear.weight.T for linear in (layer.W_Q, layer.W_K, layer.W_V))
    read, weights = scaled_dot_product_attention(*maps)
    output = model(ids)
    assert torch.allclose(output.states, x + read)
    assert torch.allclose(output.logits, model.readout(x + read))
    assert torch.allclose(output.weights[0], weights)


def test_a_causal_network_does_not_see_the_future():
    model, ids = model_of(num_layers=2, causal=True), tokens()
    edited = ids.clone()
    edited[:, 3:] = (edited[:, 3:] + 1) % VOCABULARY
    one, other = model(ids).logits, model(edited).logits
    assert torch.equal(one[:, :3], other[:, :3])
    assert not torch.allclose(one[:, 3:], other[:, 3:])


def test_a_network_without_heads_starts_as_the_recorded_ones_did():
    parameters = list(model_of(num_layers=2).named_parameters())
    names = ["embedding.weight"]
    names += [f"layers.{layer}.W_{role}.weight" for layer in range(2) for role in "QKV"]
    assert [name for name, _ in parameters] == [*names, "readout.weight", "readout.bias"]
    # what the seed gives; runs that were recorded began from these numbers
    total = sum(parameter.abs().sum().item() for _, parameter in parameters)
    assert total == pytest.approx(122.26279342919588, rel=1e-6)
    logits = model_of(num_layers=2)(tokens()).logits
    assert logits.abs().sum().item() == pytest.approx(96.06546543421886, rel=1e-5)


@pytest.mark.parametrize("num_heads", [1, 2, 3])
def test_with_heads_one_layer_step_by_step(num_heads):
    model, ids = model_of(num_heads=num_heads), tokens()
    x, layer = model.embed(ids), model.layers[0]
    read, weights = layer(x, x, x)
    output = model(ids)
    assert torch.allclose(output.states, x + read)
    assert torch.allclose(output.logits, model.readout(x + read))
    assert torch.allclose(output.weights[0], weights)
    assert weights.shape == (BATCH, num_heads, N, N)


def test_positions_in_the_scores_are_read_by_queries_and_keys_and_not_carried():
    model, ids = model_of(num_layers=2, num_heads=3, positions="in_scores"), tokens()
    P = sinusoidal_positions(N, D_MODEL, dtype=torch.float64)
    x, weights = model.embedding.weight[ids], []
    assert torch.equal(model.embed(ids), x)
    for layer in model.layers:
        assert torch.equal(model.in_scores(x), x + P)
        read, layer_weights = layer(x + P, x + P, x)
        x = x + read
        weights.append(layer_weights)
    output = model(ids)
    assert torch.equal(output.states, x)
    assert all(torch.equal(a, b) for a, b in zip(output.weights, weights, strict=True))
    plain = model_of(num_heads=3)
    assert torch.equal(plain.in_scores(x), x)


def test_heads_can_be_switched_off_layer_by_layer():
    model, ids = model_of(num_layers=2, num_heads=3), tokens()
    on = torch.tensor([[True, False, True], [False, True, True]])
    switched = model(ids, head_mask=on)
    model.layers[0] = prune_heads(model.layers[0], [1])
    model.layers[1] = prune_heads(model.layers[1], [0])
    assert torch.allclose(model(ids).logits, switched.logits, atol=1e-12)
    assert switched.weights[0][:, 1].abs().sum() == switched.weights[1][:, 0].abs().sum() == 0


@pytest.mark.parametrize(
    ("num_heads", "head_mask", "message"),
    [
        (None, torch.ones(1, 1) > 0, "head_mask: expected None for a network without heads"),
        (3, torch.ones(2, 3) > 0, r"head_mask: expected a shape that broadcasts to \(1, 3\)"),
    ],
)
def test_switches_for_other_heads_are_refused(num_heads, head_mask, message):
    with pytest.raises(ValueError, match=message):
        model_of(num_heads=num_heads)(tokens(), head_mask=head_mask)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"d_model": 6, "num_heads": 4}, "num_heads: expected a divisor of d_model=6, got 4"),
        ({"d_model": 7, "num_heads": 1, "positions": "in_scores"}, "d_model: expected an even"),
        ({"positions": "in_scores"}, "num_heads: expected a number of heads with positions='in_sc"),
    ],
)
def test_bad_configurations_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        AttentionOnlyConfig(**{"vocabulary": 3, "outputs": 2, **options})


@pytest.mark.parametrize("options", [{}, {"causal": True}, {"causal": True, "num_heads": 3}])
def test_a_bad_mask_is_named(options):
    model, ids = model_of(**options), tokens()
    with pytest.raises(TypeError, match="mask: expected a boolean mask"):
        model(ids, torch.ones(N, N))
    message = r"mask: expected a shape that broadcasts to \(2, (3, )?5, 5\)"
    with pytest.raises(ValueError, match=message):
        model(ids, torch.ones(N + 1, N + 1, dtype=torch.bool))
