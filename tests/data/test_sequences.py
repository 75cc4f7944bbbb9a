import pytest

from bottomup.data import BOS, EOS, SequenceTask

KINDS = ["copy", "reverse", "reorder"]


@pytest.mark.parametrize(
    "kind, length, alignment",
    [
        ("copy", 4, [0, 1, 2, 3]),
        ("reverse", 4, [3, 2, 1, 0]),
        ("reorder", 7, [0, 2, 1, 3, 5, 4, 6]),
        ("reorder", 5, [0, 2, 1, 3, 4]),
        ("reorder", 1, [0]),
    ],
)
def test_alignment_is_the_one_by_hand(kind, length, alignment):
    assert SequenceTask(kind).alignment(length) == alignment


@pytest.mark.parametrize("kind", KINDS)
def test_alignment_maps_source_to_target(kind):
    task = SequenceTask(kind, symbols=13)
    for source, target in task.pairs(11, 5, seed=0):
        assert target == [source[position] for position in task.alignment(11)]


def test_batch_has_the_size_and_a_length_in_range():
    task = SequenceTask("reverse", symbols=7, min_length=2, max_length=4, batch_size=5)
    batches = [task(step) for step in range(60)]
    assert {len(batch) for batch in batches} == {5}
    assert {batch.source.shape[1] - 1 for batch in batches} == {2, 3, 4}


def test_batch_holds_a_reversed_source():
    batch = SequenceTask("reverse", batch_size=3)(17)
    assert (batch.source[:, -1] == EOS).all()
    assert (batch.target_in[:, 0] == BOS).all()
    assert batch.target_out[:, :-1].tolist() == batch.source[:, :-1].flip(1).tolist()


def test_symbols_are_all_used_and_never_special():
    task = SequenceTask("copy", symbols=6)
    used = {symbol for source, _ in task.pairs(50, 20, seed=0) for symbol in source}
    assert used == set(range(4, 10))
    assert len(task.vocabulary) == 10
    assert task.vocabulary.decode([4, 9]) == ["0", "5"]


def test_batches_depend_on_seed_and_step_alone():
    one, two, other = (SequenceTask("copy", seed=seed) for seed in (1, 1, 2))
    two(5)
    assert one(3).source.tolist() == two(3).source.tolist()
    assert one(3).source.tolist() != other(3).source.tolist()
    assert one(3).source.tolist() != one(4).source.tolist()


def test_each_step_has_a_batch_of_its_own():
    task = SequenceTask("copy", seed=1)
    assert len({str(task(step).source.tolist()) for step in range(8)}) == 8


def test_evaluation_pairs_of_two_lengths_are_drawn_apart():
    task = SequenceTask("copy")
    ((short, _),), ((long, _),) = (task.pairs(length, 1, seed=0) for length in (7, 11))
    assert long[:7] != short


def test_evaluation_does_not_repeat_training_of_the_same_seed():
    task = SequenceTask("copy", min_length=9, max_length=9, batch_size=40, seed=5)
    training = {tuple(row[:-1]) for step in range(20) for row in task(step).source.tolist()}
    evaluation = {tuple(source) for source, _ in task.pairs(9, 40, seed=5)}
    assert not training & evaluation


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"kind": "sort"}, ValueError, "kind: expected one of 'copy', 'reverse', 'reorder'"),
        ({"kind": ["copy"]}, ValueError, r"kind: expected one of .*, got \['copy'\]"),
        ({"kind": "copy", "symbols": 0}, ValueError, "symbols"),
        ({"kind": "copy", "min_length": 5, "max_length": 4}, ValueError, "max_length.*5, got 4"),
        ({"kind": "copy", "batch_size": 2.5}, TypeError, "batch_size"),
        ({"kind": "copy", "seed": -1}, ValueError, "seed"),
    ],
)
def test_bad_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        SequenceTask(**options)


def test_bad_steps_and_lengths_are_refused():
    task = SequenceTask("copy")
    with pytest.raises(ValueError, match="step"):
        task(-1)
    with pytest.raises(ValueError, match="length"):
        task.pairs(0, 1, seed=0)
    with pytest.raises(ValueError, match="count"):
        task.pairs(1, 0, seed=0)
    with pytest.raises(ValueError, match="length"):
        task.alignment(0)
