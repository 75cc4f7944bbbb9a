from itertools import chain

import pytest
import torch

from bottomup.data import BOS, EOS, PAD, BatchStream, make_batch

PAIRS = [([10, 11, 12], [20]), ([13], [21, 22])]


def test_make_batch_appends_eos_and_pads_the_source():
    batch = make_batch(PAIRS)
    assert batch.source.tolist() == [[10, 11, 12, EOS], [13, EOS, PAD, PAD]]
    assert batch.source_mask.tolist() == [[True] * 4, [True, True, False, False]]


def test_make_batch_shifts_the_target_by_one():
    batch = make_batch(PAIRS)
    assert batch.target_in.tolist() == [[BOS, 20, PAD], [BOS, 21, 22]]
    assert batch.target_out.tolist() == [[20, EOS, PAD], [21, 22, EOS]]
    assert batch.target_mask.tolist() == [[True, True, False], [True, True, True]]


def test_make_batch_dtypes_are_int64_and_bool():
    batch = make_batch(PAIRS)
    assert {batch.source.dtype, batch.target_in.dtype, batch.target_out.dtype} == {torch.int64}
    assert {batch.source_mask.dtype, batch.target_mask.dtype} == {torch.bool}


def test_tokens_counts_real_target_tokens():
    assert make_batch(PAIRS).tokens == 5
    assert len(make_batch(PAIRS)) == 2


def test_a_batch_equals_itself_alone():
    batch = make_batch(PAIRS)
    assert batch == batch
    assert batch != make_batch(PAIRS)


def test_to_moves_every_tensor():
    batch = make_batch(PAIRS).to("meta")
    assert {tensor.device.type for tensor in vars(batch).values()} == {"meta"}


def test_an_empty_target_leaves_eos_alone():
    batch = make_batch([([10], [])])
    assert batch.target_in.tolist() == [[BOS]]
    assert batch.target_out.tolist() == [[EOS]]


@pytest.mark.parametrize(
    "pairs, error, message",
    [
        ([], ValueError, "at least one pair, got none"),
        (7, TypeError, r"pairs: expected a list of pairs \(source, target\), got int"),
        (iter(PAIRS), TypeError, "pairs: expected a list of pairs .* got list_iterator"),
        ([[5, 6, 7]], TypeError, r"pairs\[0\]: expected a pair .* got \[5, 6, 7\]"),
        ([7], TypeError, r"pairs\[0\]: expected a pair \(source, target\), got 7"),
        ([([10], [20]), ([], [20])], ValueError, r"pairs\[1\] source: expected at least one token"),
        ([([10, EOS], [20])], ValueError, r"pairs\[0\] source: .* at least 3, got 2"),
        ([([10], [BOS, 20])], ValueError, r"pairs\[0\] target: .* at least 3, got 1"),
        ([([10], [-7])], ValueError, r"pairs\[0\] target: .* at least 3, got -7"),
        ([([10.5], [20])], TypeError, r"pairs\[0\] source: expected a list of int"),
        ([([10], "20")], TypeError, r"pairs\[0\] target: expected a list of int"),
        ([(torch.tensor([10]), [20])], TypeError, r"pairs\[0\] source: expected a list of int"),
    ],
)
def test_make_batch_refuses_bad_pairs(pairs, error, message):
    with pytest.raises(error, match=message):
        make_batch(pairs)


def numbered_pairs(lengths: list[int]) -> list[tuple[list[int], list[int]]]:
    """Pairs of the given source lengths; each target is a number of its own."""
    return [([5] * length, [100 + index]) for index, length in enumerate(lengths)]


def members(batch) -> list[int]:
    return batch.target_out[:, 0].tolist()


def test_stream_batches_have_one_source_length_and_no_padding():
    stream = BatchStream(numbered_pairs([2] * 5 + [3] * 7 + [11]), tokens_per_batch=12, seed=0)
    for step in range(stream.steps_per_epoch):
        assert stream(step).source_mask.all()


def test_stream_divides_a_length_into_nearly_equal_batches():
    # Five sources of three tokens (EOS included): at most four to a batch, so three and two.
    stream = BatchStream(numbered_pairs([2] * 5), tokens_per_batch=12, seed=0)
    assert stream.steps_per_epoch == 2
    assert sorted(len(stream(step)) for step in range(2)) == [2, 3]


def test_stream_gives_a_long_pair_a_batch_of_its_own():
    stream = BatchStream(numbered_pairs([50, 50]), tokens_per_batch=7, seed=0)
    assert [len(stream(step)) for step in range(stream.steps_per_epoch)] == [1, 1]


def test_stream_epochs_differ_in_order():
    stream = BatchStream(numbered_pairs([2] * 23), tokens_per_batch=9, seed=0)
    steps = stream.steps_per_epoch
    first = [members(stream(step)) for step in range(steps)]
    second = [members(stream(steps + step)) for step in range(steps)]
    assert first != second
    for epoch in (first, second):
        assert sorted(chain.from_iterable(epoch)) == [100 + n for n in range(23)]


def test_stream_mixes_the_lengths_anew_in_each_epoch():
    # One batch for each length: only the order of the batches is left to draw.
    stream = BatchStream(numbered_pairs(list(range(2, 13))), tokens_per_batch=1, seed=0)
    widths = [stream(step).source.shape[1] for step in range(22)]
    first, second = widths[:11], widths[11:]
    assert sorted(first) == sorted(second) == list(range(3, 14))
    assert first != sorted(first)
    assert first != second


def test_stream_seeds_differ_in_order():
    pairs = numbered_pairs([2] * 23)
    one, two = (BatchStream(pairs, tokens_per_batch=100, seed=seed) for seed in (0, 1))
    assert members(one(0)) != members(two(0))


def test_sorted_targets_of_like_length_share_a_batch():
    pairs = [([5] * 3, [7] * length) for length in (1, 2, 3, 5, 7, 11) for _ in range(4)]
    stream = BatchStream(pairs, tokens_per_batch=16, seed=0, sort_targets=True)
    batches = [stream(step) for step in range(stream.steps_per_epoch)]
    assert all(batch.target_mask.all() for batch in batches)
    assert sorted(batch.target_out.shape[1] - 1 for batch in batches) == [1, 2, 3, 5, 7, 11]


def test_sorted_targets_of_one_length_are_shuffled_anew():
    pairs = [([5] * 3, [100 + index]) for index in range(23)]
    stream = BatchStream(pairs, tokens_per_batch=16, seed=0, sort_targets=True)
    steps = stream.steps_per_epoch
    first, second = ([members(stream(start + k)) for k in range(steps)] for start in (0, steps))
    assert first != second
    assert sorted(chain.from_iterable(first)) == sorted(chain.from_iterable(second))


def test_stream_refuses_sort_targets_that_is_no_truth_value():
    with pytest.raises(TypeError, match="sort_targets: expected True or False, got 1"):
        BatchStream(PAIRS, tokens_per_batch=7, seed=0, sort_targets=1)


def test_stream_does_not_depend_on_the_order_of_questions():
    pairs = numbered_pairs([2, 3, 4] * 7)
    stream = BatchStream(pairs, tokens_per_batch=9, seed=3)
    forward = [members(stream(step)) for step in range(40)]
    backward = [members(stream(step)) for step in reversed(range(40))][::-1]
    assert forward == backward
    assert members(BatchStream(pairs, tokens_per_batch=9, seed=3)(37)) == forward[37]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"tokens_per_batch": 0, "seed": 0}, "tokens_per_batch"),
        ({"tokens_per_batch": 8, "seed": -1}, "seed"),
    ],
)
def test_stream_refuses_bad_options(options, message):
    with pytest.raises(ValueError, match=f"{message}: expected an integer"):
        BatchStream(PAIRS, **options)


def test_stream_refuses_a_bad_pair_before_the_first_step():
    with pytest.raises(ValueError, match=r"pairs\[2\] source: .* at least 3, got 2"):
        BatchStream([*PAIRS, ([10, EOS], [20])], tokens_per_batch=8, seed=0)
    with pytest.raises(TypeError, match=r"pairs\[1\]: expected a pair"):
        BatchStream([PAIRS[0], [5, 6, 7]], tokens_per_batch=8, seed=0)


def test_stream_refuses_no_pairs_and_a_negative_step():
    with pytest.raises(ValueError, match="pairs: expected at least one pair"):
        BatchStream([], tokens_per_batch=8, seed=0)
    with pytest.raises(ValueError, match="step: expected an integer of at least 0, got -1"):
        BatchStream(PAIRS, tokens_per_batch=8, seed=0)(-1)


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
