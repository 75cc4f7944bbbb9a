"""What holds for Transformers of any size: who sees whom, and that steps add up to the whole."""

from dataclasses import dataclass

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from bottomup.data import BOS, Batch
from bottomup.models import Transformer, TransformerConfig
from tests.drawn import global_seed, seeded
from tests.properties.strategies import seeds

WORDS = 11
each = settings(max_examples=15)
lengths = st.lists(
    st.tuples(st.integers(min_value=1, max_value=6), st.integers(min_value=1, max_value=5)),
    min_size=1, max_size=4,
)  # fmt: skip
configs = st.builds(
    TransformerConfig,
    source_vocabulary=st.just(WORDS),
    target_vocabulary=st.just(WORDS),
    d_model=st.sampled_from([4, 12]),
    encoder_layers=st.integers(min_value=1, max_value=2),
    decoder_layers=st.integers(min_value=1, max_value=2),
    num_heads=st.sampled_from([1, 2, 4]),
    d_ff=st.sampled_from([5, 13]),
    norm=st.sampled_from(["pre", "post"]),
    activation=st.sampled_from(["relu", "gelu"]),
    positions=st.sampled_from(["sinusoidal", "learned"]),
    max_length=st.just(10),
    shared=st.sampled_from(["none", "target", "all"]),
    share_layers=st.booleans(),
    final_norm=st.sampled_from([None, True, False]),
)


@dataclass(frozen=True)
class Case:
    model: Transformer
    batch: Batch


def drawn(config: TransformerConfig, pairs: list[tuple[int, int]], seed: int) -> Case:
    """A model, and a batch of these lengths with any numbers at all behind the real tokens."""
    with global_seed(seed):
        model = Transformer(config).double()
    generator = seeded(seed)
    sides = []
    for row_lengths in zip(*pairs, strict=True):
        shape = (len(pairs), max(row_lengths))
        sides.append(torch.randint(WORDS, shape, generator=generator))
        sides.append(torch.arange(shape[1]) < torch.tensor(row_lengths)[:, None])
    source, source_mask, target, target_mask = sides
    target[:, 0] = BOS
    return Case(model, Batch(source, source_mask, target, target, target_mask))


def with_tokens(batch: Batch, source: Tensor, target: Tensor) -> Batch:
    return Batch(source, batch.source_mask, target, target, batch.target_mask)


def changed(tokens: Tensor) -> Tensor:
    return (tokens + 1) % WORDS


def same(one: Tensor, other: Tensor) -> None:
    torch.testing.assert_close(one, other, rtol=0, atol=1e-10)


@each
@given(config=configs, pairs=lengths, seed=seeds, data=st.data())
def test_no_target_position_sees_what_comes_later_to_the_last_bit(config, pairs, seed, data):
    case = drawn(config, pairs, seed)
    n = case.batch.target_in.shape[1]
    first = data.draw(st.integers(min_value=1, max_value=n))
    target = case.batch.target_in.clone()
    target[:, first:] = changed(target[:, first:])
    other = case.model(with_tokens(case.batch, case.batch.source, target)).logits
    assert torch.equal(case.model(case.batch).logits[:, :first], other[:, :first])


@each
@given(config=configs, pairs=lengths, seed=seeds)
def test_what_stands_at_padding_does_not_count_to_the_last_bit(config, pairs, seed):
    case = drawn(config, pairs, seed)
    batch, real = case.batch, case.batch.target_mask
    source = torch.where(batch.source_mask, batch.source, changed(batch.source))
    target = torch.where(real, batch.target_in, changed(batch.target_in))
    other = case.model(with_tokens(batch, source, target)).logits
    assert torch.equal(case.model(batch).logits[real], other[real])


@each
@given(config=configs, pairs=lengths, seed=seeds)
def test_a_sequence_alone_gets_what_it_gets_in_a_batch(config, pairs, seed):
    case = drawn(config, pairs, seed)
    batch, logits = case.batch, case.model(case.batch).logits
    for row, (source, target) in enumerate(pairs):
        alone = Batch(
            batch.source[row : row + 1, :source],
            batch.source_mask[row : row + 1, :source],
            batch.target_in[row : row + 1, :target],
            batch.target_out[row : row + 1, :target],
            batch.target_mask[row : row + 1, :target],
        )
        same(case.model(alone).logits[0], logits[row, :target])


@each
@given(config=configs, pairs=lengths, seed=seeds, data=st.data())
def test_the_order_of_the_batch_does_not_count(config, pairs, seed, data):
    case = drawn(config, pairs, seed)
    order = torch.tensor(data.draw(st.permutations(range(len(pairs)))))
    batch = case.batch
    tensors = (batch.source, batch.source_mask, batch.target_in, batch.target_out)
    turned = Batch(*(tensor[order] for tensor in (*tensors, batch.target_mask)))
    same(case.model(turned).logits, case.model(batch).logits[order])


@each
@given(config=configs, pairs=lengths, seed=seeds)
def test_steps_add_up_to_the_whole(config, pairs, seed):
    case = drawn(config, pairs, seed)
    batch, whole = case.batch, case.model(case.batch).logits
    state = case.model.start(batch.source, batch.source_mask)
    for place, token in enumerate(batch.target_in.unbind(dim=1)):
        logits, state, weights = case.model.step(token, state)
        same(logits, whole[:, place])
        same(weights.sum(dim=1), torch.ones_like(logits[:, 0]))
        assert not weights[~batch.source_mask].any()
