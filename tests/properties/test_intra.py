"""What holds of attention inside one sentence for every input."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.attention import (
    LSTMN,
    distance_bias,
    intra_attention,
    intra_decoder_attention,
    intra_scores,
    temporal_attention,
)
from tests.drawn import global_seed, seeded
from tests.properties.strategies import seeds, sizes

lengths = st.integers(min_value=2, max_value=9)
few = settings(max_examples=50)


def randn(*shape, generator):
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def lstmn(seed, d_word, d_state):
    with global_seed(seed):
        return LSTMN(d_word, d_state, 3).double()


@few
@given(n=lengths, r=sizes, seed=seeds)
def test_the_bias_depends_on_the_signed_distance_alone(n, r, seed):
    square = distance_bias(randn(2 * r + 1, generator=seeded(seed)), n)
    assert torch.equal(square[1:, 1:], square[:-1, :-1])  # the same along every diagonal
    assert (square[:, 0][r:] == square[min(r, n - 1), 0]).all()
    assert (square[0, :][r:] == square[0, min(r, n - 1)]).all()


@few
@given(n=lengths, d=sizes, seed=seeds)
def test_without_bias_no_two_words_prefer_each_other_to_themselves(n, d, seed):
    scores = intra_scores(randn(n, d, generator=seeded(seed)), torch.zeros(1, dtype=torch.float64))
    own = scores.diagonal()
    prefers_other = scores > own[:, None] + 1e-9
    assert not (prefers_other & prefers_other.T).any()


@few
@given(n=lengths, d=sizes, seed=seeds)
def test_one_bias_for_all_distances_sees_no_order(n, d, seed):
    generator = seeded(seed)
    features, words = randn(n, d, generator=generator), randn(n, 3, generator=generator)
    bias = torch.full((5,), 0.5, dtype=torch.float64)
    order = torch.randperm(n, generator=generator)
    output, _ = intra_attention(features, words, bias)
    shuffled, _ = intra_attention(features[order], words[order], bias)
    torch.testing.assert_close(shuffled, output[order], rtol=1e-12, atol=1e-12)


@few
@given(steps=lengths, keys=lengths, seed=seeds, more=st.floats(min_value=0.1, max_value=5))
def test_a_key_read_more_before_is_read_less_now(steps, keys, seed, more):
    scores = randn(steps, keys, generator=seeded(seed))
    _, weights = temporal_attention(scores, torch.eye(keys, dtype=torch.float64))
    raised = scores.clone()
    raised[0, 0] += more
    _, changed = temporal_attention(raised, torch.eye(keys, dtype=torch.float64))
    assert changed[0, 0] > weights[0, 0]
    assert (changed[1:, 0] < weights[1:, 0]).all()
    assert (changed[1:, 1:] > weights[1:, 1:]).all()


@few
@given(keys=lengths, seed=seeds, gap=st.floats(min_value=0.1, max_value=5))
def test_of_two_keys_with_one_score_the_one_already_read_gets_less(keys, seed, gap):
    scores = randn(2, keys, generator=seeded(seed))
    scores[0, 0], scores[1, 0] = scores[0, 1] + gap, scores[1, 1]
    _, weights = temporal_attention(scores, torch.eye(keys, dtype=torch.float64))
    assert weights[0, 0] > weights[0, 1]
    assert weights[1, 0] < weights[1, 1]


@few
@given(steps=lengths, keys=sizes, seed=seeds, at=st.integers(min_value=1, max_value=8))
def test_a_later_step_does_not_change_what_an_earlier_one_reads(steps, keys, seed, at):
    generator = seeded(seed)
    scores, value = randn(steps, keys, generator=generator), randn(keys, 3, generator=generator)
    edited = scores.clone()
    edited[at:] += 1
    output, weights = temporal_attention(scores, value)
    changed, changed_weights = temporal_attention(edited, value)
    assert torch.equal(changed[:at], output[:at])
    assert torch.equal(changed_weights[:at], weights[:at])


@few
@given(n=lengths, d_word=sizes, d_state=sizes, seed=seeds, data=st.data())
def test_editing_a_word_leaves_what_the_lstmn_did_before_it_as_it_was(
    n, d_word, d_state, seed, data
):
    at = data.draw(st.integers(min_value=1, max_value=n - 1))
    generator = seeded(seed)
    words = randn(2, n, d_word, generator=generator)
    model = lstmn(seed, d_word, d_state)
    edited = words.clone()
    edited[:, at] = randn(2, d_word, generator=generator)
    hidden, weights = model(words)
    changed, changed_weights = model(edited)
    assert torch.equal(changed[:, :at], hidden[:, :at])
    assert torch.equal(changed_weights[:, :at], weights[:, :at])
    assert not torch.equal(changed[:, at], hidden[:, at])


@few
@given(n=lengths, d=sizes, seed=seeds, data=st.data())
def test_editing_a_decoder_step_leaves_the_steps_before_it_as_they_were(n, d, seed, data):
    at = data.draw(st.integers(min_value=1, max_value=n - 1))
    generator = seeded(seed)
    states, W_d = randn(n, d, generator=generator), randn(d, d, generator=generator)
    edited = states.clone()
    edited[at] = randn(d, generator=generator)
    output, weights = intra_decoder_attention(states, W_d)
    changed, changed_weights = intra_decoder_attention(edited, W_d)
    assert torch.equal(changed[:at], output[:at])
    assert torch.equal(changed_weights[:at], weights[:at])
