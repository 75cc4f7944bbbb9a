import pytest

from bottomup.data import BOS, EOS, SequenceTask

KINDS = ["copy", "reverse", "reorder"]  # the length alone tells the alignment


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


@pytest.mark.parametrize("kind", [*KINDS, "sort"])
def test_align_maps_each_source_to_its_target(kind):
    task = SequenceTask(kind, symbols=13)
    for source, target in task.pairs(11, 5, seed=0):
        assert target == [source[position] for position in task.align(source)]


@pytest.mark.parametrize("kind", KINDS)
def test_align_is_the_alignment_of_the_length(kind):
    task = SequenceTask(kind, symbols=13)
    assert task.align([16, 4, 9, 4, 5]) == task.alignment(5)


def test_sort_is_aligned_by_hand():
    task = SequenceTask("sort", symbols=9, max_length=4)
    assert task.align([7, 4, 12, 5]) == [1, 3, 0, 2]  # 4, 5, 7, 12
    assert task.align([6]) == [0]
    assert task.align([5, 4, 5]) == [1, 0, 2]  # equal symbols keep their order


def test_sort_draws_each_symbol_at_most_once_and_sorts_them():
    task = SequenceTask("sort", symbols=11, min_length=7, max_length=7, batch_size=5)
    for source, target in task.pairs(7, 20, seed=0):
        assert len(set(source)) == 7 and set(source) <= set(range(4, 15))
        assert target == sorted(source)
    batch = task(3)
    assert batch.target_out[:, :-1].tolist() == batch.source[:, :-1].sort(dim=1).values.tolist()


def test_sort_of_all_symbols_has_one_answer_and_many_alignments():
    task = SequenceTask("sort", symbols=5, min_length=5, max_length=5)
    pairs = task.pairs(5, 40, seed=0)
    assert {tuple(target) for _, target in pairs} == {(4, 5, 6, 7, 8)}
    assert len({tuple(task.align(source)) for source, _ in pairs}) > 20


def test_every_symbol_is_as_likely_to_be_drawn_for_sorting():
    task = SequenceTask("sort", symbols=6, max_length=6)
    sources = [source for source, _ in task.pairs(3, 2000, seed=0)]
    first = [sum(source[0] == symbol for source in sources) / 2000 for symbol in range(4, 10)]
    assert first == pytest.approx([1 / 6] * 6, abs=0.04)


@pytest.mark.parametrize("kind", KINDS)
def test_the_older_kinds_draw_what_they_always_drew(kind):
    # Records were made with these streams, before "sort" came.
    task = SequenceTask(kind, symbols=13, seed=5)
    assert task(3).source[0].tolist() == [6, 9, 8, 15, 8, 10, 10, 9, 9, 13, EOS]
    assert task.pairs(7, 1, seed=2)[0][0] == [6, 12, 12, 4, 13, 12, 6]


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
        ({"kind": "echo"}, ValueError, "kind: .* 'copy', 'reverse', 'reorder', 'sort', got 'echo'"),
        (
            {"kind": "sort", "symbols": 11, "max_length": 12},
            ValueError,
            "max_length: expected at most symbols=11 for kind 'sort', .* got 12",
        ),
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


def test_what_cannot_be_sorted_or_aligned_is_refused():
    task = SequenceTask("sort", symbols=7, max_length=5)
    assert len(task.pairs(7, 1, seed=0)[0][0]) == 7
    with pytest.raises(ValueError, match="length: expected at most symbols=7 .* got 8"):
        task.pairs(8, 1, seed=0)
    with pytest.raises(ValueError, match=r"kind: .* got 'sort'; align\(source_ids\) gives"):
        task.alignment(5)
    with pytest.raises(ValueError, match=r"source_ids: .* in \[4, 11\), .* got \[5, 4, 2\]"):
        task.align([5, 4, EOS])
    with pytest.raises(ValueError, match=r"source_ids: .* got \[\]"):
        SequenceTask("copy").align([])
