"""What any corruption leaves alone, and what it may put in a token's place."""

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from bottomup.data import BatchStream, MaskedStream, corrupt, exchange
from tests.drawn import seeded

VOCABULARY = 23
numbers = st.integers(0, VOCABULARY - 1)
sentences = st.integers(1, 7).flatmap(
    lambda n: st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=1, max_size=5)
)
shares = st.floats(0, 1)
seeds = st.integers(0, 1000)
types = st.lists(st.integers(0, VOCABULARY - 1), min_size=2, max_size=7, unique=True)
source = st.lists(st.integers(4, VOCABULARY - 1), min_size=1, max_size=7)
sources = st.lists(source, min_size=1, max_size=11)


def unchanged(one: Tensor, other: Tensor, where: Tensor) -> bool:
    return torch.equal(one[where], other[where])


@given(sentences, shares, seeds, st.sampled_from([0, 3, VOCABULARY, VOCABULARY + 7]))
def test_chosen_tokens_alone_change_into_the_mask_or_a_word(drawn, share, seed, mask_id):
    tokens = torch.tensor(drawn)
    read, chosen = corrupt(
        tokens, mask_id=mask_id, vocabulary=VOCABULARY, generator=seeded(seed), chosen=share
    )
    assert unchanged(read, tokens, ~chosen)
    assert (tokens[chosen] >= 4).all()
    found = read[chosen]
    assert ((found == mask_id) | ((found >= 4) & (found < VOCABULARY))).all()


@given(sentences, shares, shares, seeds)
def test_a_larger_share_chooses_more_of_the_same_draws(drawn, one, other, seed):
    low, high = sorted((one, other))
    few, many = (
        corrupt(
            torch.tensor(drawn),
            mask_id=VOCABULARY,
            vocabulary=VOCABULARY,
            generator=seeded(seed),
            chosen=share,
        )
        for share in (low, high)
    )
    assert not (few.chosen & ~many.chosen).any()
    assert unchanged(few.tokens, many.tokens, few.chosen)


@given(sentences, types, shares, seeds)
def test_exchange_never_keeps_a_type_and_never_leaves_the_types(drawn, among, share, seed):
    tokens, kinds = torch.tensor(drawn), torch.tensor(among)
    read, chosen = exchange(tokens, among=kinds, generator=seeded(seed), chosen=share)
    assert torch.equal(chosen, read != tokens)
    assert torch.isin(tokens[chosen], kinds).all()
    assert torch.isin(read[chosen], kinds).all()


@given(sentences, types, seeds)
def test_the_order_of_the_types_does_not_matter(drawn, among, seed):
    tokens = torch.tensor(drawn)
    one, other = (
        exchange(tokens, among=torch.tensor(order), generator=seeded(seed), chosen=0.5).tokens
        for order in (among, among[::-1])
    )
    assert torch.equal(one, other)


@given(sources, seeds, st.lists(st.integers(0, 60), min_size=1, max_size=5))
def test_a_masked_stream_depends_on_seed_and_step_alone(drawn, seed, steps):
    def stream() -> MaskedStream:
        batches = BatchStream([(words, []) for words in drawn], tokens_per_batch=11, seed=7)
        return MaskedStream(batches, mask_id=VOCABULARY, vocabulary=VOCABULARY, seed=seed)

    used = stream()
    for step in steps:
        one, other = used(step), stream()(step)
        assert torch.equal(one.corrupted, other.corrupted)
        assert torch.equal(one.chosen, other.chosen)
        assert torch.equal(one.original, used.sentences(step).source)
        assert one.tokens == int(one.chosen.sum()) >= 1
