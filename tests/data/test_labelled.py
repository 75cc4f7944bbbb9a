import pytest
import torch

from bottomup.data import LabelledStream, make_labelled_batch

EXAMPLES = [([4, 5, 6], {1: 9}), ([7], {0: 2}), ([8, 4, 4, 5, 6], {0: 3, 4: 1}), ([5, 5], {})]


def test_a_labelled_batch_by_hand():
    batch = make_labelled_batch(EXAMPLES[:2])
    assert batch.source.tolist() == [[4, 5, 6], [7, 0, 0]]
    assert batch.source_mask.tolist() == [[True, True, True], [True, False, False]]
    assert batch.labels.tolist() == [[0, 9, 0], [2, 0, 0]]
    assert batch.label_mask.tolist() == [[False, True, False], [True, False, False]]
    assert batch.tokens == 2


def test_a_batch_moves_with_all_its_parts(device):
    batch = make_labelled_batch(EXAMPLES).to(device)
    parts = (batch.source, batch.source_mask, batch.labels, batch.label_mask)
    assert {part.device.type for part in parts} == {device.type}
    assert batch.tokens == 4


def test_a_stream_depends_on_seed_and_step_alone():
    stream, again = (LabelledStream(EXAMPLES, batch_size=7, seed=3) for _ in range(2))
    later = stream(11)
    assert torch.equal(later.source, again(11).source)
    assert torch.equal(later.labels, again(11).labels)
    other = LabelledStream(EXAMPLES, batch_size=7, seed=4)
    assert any(not torch.equal(stream(n).labels, other(n).labels) for n in range(5))
    assert len(later.source) == 7


def test_a_stream_draws_every_example():
    batch = LabelledStream(EXAMPLES, batch_size=200, seed=0)(0)
    assert {int(row.sum()) for row in batch.source_mask} == {1, 2, 3, 5}


@pytest.mark.parametrize(
    ("examples", "message"),
    [
        ([], "examples: expected at least one example, got none"),
        ([([4], {}), ([], {})], r"examples\[1\]: expected at least one token, got none"),
        ([([4, 5], {2: 1})], r"examples\[0\]: expected labels at positions in \[0, 2\), got 2"),
        ([([4, 5], {-1: 1})], r"examples\[0\]: expected labels at positions in \[0, 2\), got -1"),
    ],
)
def test_bad_examples_are_refused(examples, message):
    with pytest.raises(ValueError, match=message):
        make_labelled_batch(examples)


@pytest.mark.parametrize(
    ("example", "message"),
    [
        (([4.7, 5], {0: 1}), r"examples\[0\]: expected token numbers of type int, got \[4.7, 5\]"),
        (([4, 5], {0: 0.9}), r"examples\[0\]: expected labels of type int, got \(0, 0.9\)"),
        (([4, 5], {0.5: 1}), r"examples\[0\]: expected labels of type int, got \(0.5, 1\)"),
        (("ab", {0: 1}), r"examples\[0\]: expected token numbers of type int, got 'ab'"),
    ],
)
def test_examples_without_integers_are_refused(example, message):
    with pytest.raises(TypeError, match=message):
        make_labelled_batch([example])


def test_bad_streams_are_refused():
    with pytest.raises(ValueError, match="examples: expected at least one example"):
        LabelledStream([], batch_size=1, seed=0)
    with pytest.raises(ValueError, match="batch_size: expected an integer of at least 1, got 0"):
        LabelledStream(EXAMPLES, batch_size=0, seed=0)
    with pytest.raises(TypeError, match="step: expected an integer, got 0.5"):
        LabelledStream(EXAMPLES, batch_size=1, seed=0)(0.5)
