import tempfile

import torch
from hypothesis import given
from hypothesis import strategies as st

from bottomup.data import UNK, BatchStream
from bottomup.data.shards import Origin, ShardedPairs, ShardWriter

ids = st.one_of(st.integers(UNK, 50), st.integers(65_530, 65_540))
pair = st.tuples(st.lists(ids, min_size=1, max_size=7), st.lists(ids, max_size=7))
pairs = st.lists(pair, min_size=1, max_size=23)


@given(pairs, st.integers(1, 40), st.integers(0, 22), st.integers(0, 100), st.booleans())
def test_what_is_written_is_read_and_batched_alike(drawn, shard_tokens, stopped, seed, sort):
    largest = max(max(source + target) for source, target in drawn)
    origin = Origin("drawn", "", "", vocabulary=largest + 1)
    with tempfile.TemporaryDirectory() as folder:
        for end in (min(stopped, len(drawn)), len(drawn)):  # once interrupted
            writer = ShardWriter(folder, origin, shard_tokens=shard_tokens)
            for source, target in drawn[writer.written : end]:
                writer.add(source, target)
        writer.finish()
        stored = ShardedPairs(folder, tokenizer="")
        assert list(stored) == drawn
        options = {"tokens_per_batch": 17, "seed": seed, "sort_targets": sort}
        ours, theirs = BatchStream(stored, **options), BatchStream(drawn, **options)
        for step in range(theirs.steps_per_epoch):
            assert torch.equal(ours(step).source, theirs(step).source)
            assert torch.equal(ours(step).target_out, theirs(step).target_out)
