from dataclasses import replace

import pytest
import torch

from bottomup.attention import MultiHeadAttention
from bottomup.models import DecoderOnly, DecoderOnlyConfig, from_llama, llama_weights
from bottomup.models.decoder import KINDS
from tests.drawn import global_seed, learned, seeded

WORDS, LONGEST, BATCH, N = 13, 17, 3, 11
SMALL = DecoderOnlyConfig(
    vocabulary=WORDS, max_length=LONGEST, d_model=12, num_heads=6, num_groups=3, d_ff=7
)


def made(**changes) -> DecoderOnly:
    with global_seed(3):
        return learned(DecoderOnly(replace(SMALL, **changes)).double()).eval()


def tokens(n: int = N) -> torch.Tensor:
    return torch.randint(WORDS, (BATCH, n), generator=seeded(1))


@pytest.mark.parametrize("positions", KINDS)
def test_no_position_sees_what_is_behind_it(positions):
    model, read = made(positions=positions), tokens()
    edited = read.clone()
    edited[:, 7:] = (edited[:, 7:] + 1) % WORDS
    before, after = model(read), model(edited)
    assert torch.equal(before[:, :7], after[:, :7])
    assert (before[:, 7:] - after[:, 7:]).abs().amax(dim=-1).min() > 1e-6


@pytest.mark.parametrize("positions", KINDS)
@pytest.mark.parametrize("window", [None, 4])
@pytest.mark.parametrize("steps", [[1] * N, [5, 1, 1, 4]])
def test_steps_with_a_cache_give_the_logits_of_one_pass(positions, window, steps):
    model, read = made(positions=positions, window=window, sinks=2), tokens()
    caches, said = model.start(BATCH, N), []
    for part in read.split(steps, dim=1):
        said.append(model.step(part, caches))
    torch.testing.assert_close(torch.cat(said, dim=1), model(read), rtol=0, atol=1e-12)


@pytest.mark.parametrize("positions", ["rotary", "alibi", "none"])
def test_told_by_distance_a_window_does_not_feel_where_it_stands(positions):
    """What the window of all layers cannot reach may be cut off in front."""
    model, read = made(positions=positions, window=3), tokens(LONGEST)
    reach = SMALL.num_layers * (3 - 1) + 1
    short = model(read[:, 4:])[:, reach:]
    torch.testing.assert_close(short, model(read)[:, 4 + reach :], rtol=0, atol=1e-12)


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_told_by_place_it_does(positions):
    model, read = made(positions=positions, window=3), tokens(LONGEST)
    assert (model(read[:, 4:])[:, 6:] - model(read)[:, 10:]).abs().max() > 0.01


def test_the_reach_of_a_window_through_the_layers():
    model, read = made(window=3, num_layers=2), tokens()
    last = model(read)[:, -1]
    for place in range(N):
        edited = read.clone()
        edited[:, place] = (edited[:, place] + 1) % WORDS
        moved = (model(edited)[:, -1] - last).abs().max() > 0
        assert moved == (place >= N - 5)  # 2 (3 - 1) + 1


def test_all_parameters_learn_and_none_is_a_bias():
    model = made()
    model(tokens()).square().sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad.any(), name
        assert not name.endswith("bias")


def test_parameters_and_cache_are_counted_as_stated():
    model = made()
    attention, gated = 2 * 2 * 12 * (6 + 3), 3 * 12 * 7
    layers = 2 * (attention + gated + 2 * 12)
    assert sum(p.numel() for p in model.parameters()) == layers + 12 + 2 * WORDS * 12
    caches = model.start(BATCH, N)
    held = sum(cache.numbers for cache in caches)
    assert held == SMALL.numbers_per_token * BATCH * N


def test_a_tied_table_reads_and_writes():
    model = made(tied=True)
    assert model.unembedding is None
    assert sum(p.shape == (WORDS, 12) for p in model.parameters()) == 1


def test_the_defaults():
    config = DecoderOnlyConfig(vocabulary=WORDS, max_length=LONGEST)
    assert (config.groups, config.neurons) == (4, 171)
    gated, plain = 3 * config.neurons, 2 * 4 * config.d_model
    assert gated == pytest.approx(plain, abs=2)


def test_as_many_groups_as_heads_are_heads():
    model = made(num_groups=None, positions="none")
    attention = model.layers[0].attention
    plain = MultiHeadAttention(12, 6, bias=False).double()
    plain.load_state_dict(attention.state_dict())
    x = torch.randn(BATCH, N, 12, generator=seeded(4), dtype=torch.float64)
    expected, _ = plain(x, x, x, causal=True)
    causal = torch.ones(N, N, dtype=torch.bool).tril()
    torch.testing.assert_close(attention(x, causal)[0], expected)


def test_it_runs_in_other_precisions(device):
    model = made().to(device).float()
    read = tokens().to(device)
    torch.testing.assert_close(model(read).double(), model.double()(read), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"positions": "relative"}, "positions: expected one of"),
        ({"num_heads": 5}, "num_heads: expected a divisor of d_model=12, got 5"),
        ({"num_groups": 0}, "num_groups: expected an integer of at least 1, got 0"),
        ({"d_ff": 0}, "d_ff: expected an integer of at least 1, got 0"),
        ({"window": 0}, "window: expected an integer of at least 1, got 0"),
        ({"sinks": -1}, "sinks: expected an integer of at least 0, got -1"),
        ({"num_groups": 4}, "num_groups: expected a divisor of num_heads=6, got 4"),
        ({"vocabulary": 0}, "vocabulary: expected an integer of at least 1, got 0"),
        ({"tied": "yes"}, "tied: expected one of"),
    ],
)
def test_a_bad_choice_is_named(changes, message):
    with pytest.raises(ValueError, match=message):
        DecoderOnly(replace(SMALL, **changes))


def test_weights_with_biases_are_refused():
    model = made()
    weights = llama_weights(model)
    assert torch.equal(from_llama(weights, SMALL)(tokens()), model(tokens()))
    weights["model.layers.0.self_attn.q_proj.bias"] = torch.zeros(12)
    with pytest.raises(ValueError, match="left over: model.layers.0.self_attn.q_proj.bias"):
        from_llama(weights, SMALL)


def test_a_sequence_that_is_too_long_is_refused():
    model = made()
    with pytest.raises(ValueError, match="tokens: expected positions below max_length=17, got 17"):
        model(tokens(LONGEST + 1))
    with pytest.raises(ValueError, match="tokens"):
        model(tokens() + WORDS)
