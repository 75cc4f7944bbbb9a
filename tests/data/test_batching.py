"""Batches by hand, and the order of a stream. Masks, epochs and sizes: `tests/properties`."""

from itertools import chain

import pytest
import torch

from bottomup.data import BOS, EOS, PAD, BatchStream, make_batch

PAIRS = [([10, 11, 12], [20]), ([13], [21, 22])]


def test_a_batch_by_hand():
    batch = make_batch(PAIRS)
    assert batch.source.tolist() == [[10, 11, 12, EOS], [13, EOS, PAD, PAD]]
    assert batch.source_mask.tolist() == [[True] * 4, [True, True, False, False]]
    assert batch.target_in.tolist() == [[BOS, 20, PAD], [BOS, 21, 22]]
    assert batch.target_out.tolist() == [[20, EOS, PAD], [21, 22, EOS]]
    assert batch.target_mask.tolist() == [[True, True, False], [True, True, True]]
    assert (batch.tokens, len(batch)) == (5, 2)
    assert {batch.source.dtype, batch.target_in.dtype, batch.target_out.dtype} == {torch.int64}
    assert {batch.source_mask.dtype, batch.target_mask.dtype} == {torch.bool}
    assert make_batch([([10], [])]).target_out.tolist() == [[EOS]]


def test_a_batch_equals_itself_alone_and_moves_with_every_tensor():
    batch = make_batch(PAIRS)
    assert batch == batch
    assert batch != make_batch(PAIRS)
    assert {tensor.device.type for tensor in vars(batch.to("meta")).values()} == {"meta"}


def numbered_pairs(lengths: list[int]) -> list[tuple[list[int], list[int]]]:
    """Pairs of the given source lengths; each target is a number of its own."""
    return [([5] * length, [100 + index]) for index, length in enumerate(lengths)]


def members(batch) -> list[int]:
    return batch.target_out[:, 0].tolist()


def epochs(stream: BatchStream) -> tuple[list[list[int]], list[list[int]]]:
    """The pairs of each batch in two epochs."""
    steps = stream.steps_per_epoch
    first, second = ([members(stream(start + k)) for k in range(steps)] for start in (0, steps))
    return first, second


def test_a_length_is_divided_into_nearly_equal_batches():
    # Five sources of three tokens (EOS included): at most four to a batch, so three and two.
    stream = BatchStream(numbered_pairs([2] * 5), tokens_per_batch=12, seed=0)
    assert sorted(len(stream(step)) for step in range(stream.steps_per_epoch)) == [2, 3]
    stream = BatchStream(numbered_pairs([50, 50]), tokens_per_batch=7, seed=0)
    assert [len(stream(step)) for step in range(stream.steps_per_epoch)] == [1, 1]


@pytest.mark.parametrize("sort_targets", [False, True])
def test_each_epoch_and_each_seed_has_an_order_of_its_own(sort_targets: bool):
    options = {"tokens_per_batch": 16, "sort_targets": sort_targets}
    first, second = epochs(BatchStream(numbered_pairs([3] * 23), seed=0, **options))
    other, _ = epochs(BatchStream(numbered_pairs([3] * 23), seed=1, **options))
    assert first != second and first != other
    for epoch in (first, second, other):
        assert sorted(chain.from_iterable(epoch)) == [100 + n for n in range(23)]


def test_the_lengths_are_mixed_anew_in_each_epoch():
    # One batch for each length: only the order of the batches is left to draw.
    stream = BatchStream(numbered_pairs(list(range(2, 13))), tokens_per_batch=1, seed=0)
    widths = [stream(step).source.shape[1] for step in range(22)]
    first, second = widths[:11], widths[11:]
    assert sorted(first) == sorted(second) == list(range(3, 14))
    assert first != sorted(first)
    assert first != second


def test_sorted_targets_of_like_length_share_a_batch():
    pairs = [([5] * 3, [7] * length) for length in (1, 2, 3, 5, 7, 11) for _ in range(4)]
    stream = BatchStream(pairs, tokens_per_batch=16, seed=0, sort_targets=True)
    batches = [stream(step) for step in range(stream.steps_per_epoch)]
    assert all(batch.target_mask.all() for batch in batches)
    assert sorted(batch.target_out.shape[1] - 1 for batch in batches) == [1, 2, 3, 5, 7, 11]


@pytest.mark.parametrize(
    "sort_targets, steps",
    [
        (False, [[110, 112, 104, 102], [109, 105, 107], [108, 106, 100]]),
        (True, [[112, 106, 100, 110], [107, 111, 105], [104, 102, 108]]),
    ],
)
def test_batches_are_those_that_records_were_made_with(sort_targets, steps):
    pairs = [([5] * (2 + n % 2), [100 + n] * (1 + n % 3)) for n in range(13)]
    stream = BatchStream(pairs, tokens_per_batch=12, seed=3, sort_targets=sort_targets)
    assert [members(stream(step)) for step in range(3)] == steps
