from dataclasses import replace

import pytest
import torch

from bottomup.models import DecoderOnly, DecoderOnlyConfig
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


def test_groups_that_do_not_divide_the_heads_are_refused():
    with pytest.raises(ValueError, match="num_groups: expected a divisor of num_heads=6, got 4"):
        made(num_groups=4)


def test_a_sequence_that_is_too_long_is_refused():
    model = made()
    with pytest.raises(ValueError, match="tokens: expected positions below max_length=17, got 17"):
        model(tokens(LONGEST + 1))
