from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from bottomup.data import BOS, EOS, PAD, BatchStream, make_batch

ids = st.integers(3, 50)
pair = st.tuples(st.lists(ids, min_size=1, max_size=7), st.lists(ids, max_size=7))
pairs = st.lists(pair, min_size=1, max_size=23)


@given(pairs)
def test_masks_recover_the_pairs(drawn):
    batch = make_batch(drawn)
    for row, (source, target) in enumerate(drawn):
        assert batch.source[row][batch.source_mask[row]].tolist() == [*source, EOS]
        assert batch.target_in[row][batch.target_mask[row]].tolist() == [BOS, *target]
        assert batch.target_out[row][batch.target_mask[row]].tolist() == [*target, EOS]


@given(pairs)
def test_padding_is_pad_and_stands_at_the_end(drawn):
    batch = make_batch(drawn)
    assert (batch.source[~batch.source_mask] == PAD).all()
    assert (batch.target_in[~batch.target_mask] == PAD).all()
    assert (batch.target_out[~batch.target_mask] == PAD).all()
    for mask in (batch.source_mask, batch.target_mask):
        assert (mask[:, :-1] | ~mask[:, 1:]).all()  # nothing real behind padding
        assert mask.any(dim=0).all()  # no column of padding alone


@given(pairs)
def test_tokens_counts_target_tokens_and_eos(drawn):
    assert make_batch(drawn).tokens == sum(len(target) + 1 for _, target in drawn)


def contents(stream: BatchStream, steps: range) -> Counter:
    """Count the pairs that come in the given steps."""
    found: Counter = Counter()
    for step in steps:
        batch = stream(step)
        for row in range(len(batch)):
            source = batch.source[row][batch.source_mask[row]].tolist()
            target = batch.target_out[row][batch.target_mask[row]].tolist()
            found[tuple(source[:-1]), tuple(target[:-1])] += 1
    return found


@given(pairs, st.integers(1, 40), st.integers(0, 1000), st.integers(0, 5))
def test_each_epoch_holds_each_pair_once(drawn, tokens_per_batch, seed, epoch):
    stream = BatchStream(drawn, tokens_per_batch=tokens_per_batch, seed=seed)
    first = epoch * stream.steps_per_epoch
    expected = Counter((tuple(source), tuple(target)) for source, target in drawn)
    assert contents(stream, range(first, first + stream.steps_per_epoch)) == expected


@given(pairs, st.integers(1, 40), st.integers(0, 1000))
def test_batches_keep_to_the_tokens_or_hold_one_pair(drawn, tokens_per_batch, seed):
    stream = BatchStream(drawn, tokens_per_batch=tokens_per_batch, seed=seed)
    for step in range(stream.steps_per_epoch):
        batch = stream(step)
        assert batch.source_mask.all()
        assert len(batch) == 1 or batch.source.numel() <= tokens_per_batch


@given(pairs, st.lists(st.integers(0, 60), min_size=1, max_size=7))
def test_batches_depend_on_seed_and_step_alone(drawn, steps):
    used = BatchStream(drawn, tokens_per_batch=11, seed=7)
    for step in steps:
        fresh = BatchStream(drawn, tokens_per_batch=11, seed=7)
        assert used(step).target_out.tolist() == fresh(step).target_out.tolist()
