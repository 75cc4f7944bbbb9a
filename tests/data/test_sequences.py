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
    assert SequenceTask(kind, symbols=13).align([16, 4, 9, 4, 5, 7, 8][:length]) == alignment


@pytest.mark.parametrize("kind", [*KINDS, "sort"])
def test_a_target_is_the_aligned_source(kind):
    task = SequenceTask(kind, symbols=13)
    for source, target in task.pairs(11, 5, seed=0):
        assert target == [source[position] for position in task.align(source)]


def test_sort_is_aligned_by_hand():
    task = SequenceTask("sort", symbols=9, max_length=4)
    assert task.align([7, 4, 12, 5]) == [1, 3, 0, 2]  # 4, 5, 7, 12
    assert task.align([5, 4, 5]) == [1, 0, 2]  # equal symbols keep their order


def test_sort_draws_each_symbol_at_most_once_as_likely_as_another_and_sorts_them():
    task = SequenceTask("sort", symbols=6, max_length=6, batch_size=5)
    sources = []
    for source, target in task.pairs(3, 2000, seed=0):
        assert len(set(source)) == 3 and set(source) <= set(range(4, 10))
        assert target == sorted(source)
        sources.append(source)
    first = [sum(source[0] == symbol for source in sources) / 2000 for symbol in range(4, 10)]
    assert first == pytest.approx([1 / 6] * 6, abs=0.04)
    batch = task(3)
    assert batch.target_out[:, :-1].tolist() == batch.source[:, :-1].sort(dim=1).values.tolist()
    whole = task.pairs(6, 40, seed=0)
    assert {tuple(target) for _, target in whole} == {tuple(range(4, 10))}
    assert len({tuple(task.align(source)) for source, _ in whole}) > 20


@pytest.mark.parametrize("kind", KINDS)
def test_the_older_kinds_draw_what_they_always_drew(kind):
    # Records were made with these streams, before "sort" came.
    task = SequenceTask(kind, symbols=13, seed=5)
    assert task(3).source[0].tolist() == [6, 9, 8, 15, 8, 10, 10, 9, 9, 13, EOS]
    assert task.pairs(7, 1, seed=2)[0][0] == [6, 12, 12, 4, 13, 12, 6]


def test_a_batch_has_the_size_and_a_length_in_range():
    task = SequenceTask("reverse", symbols=7, min_length=2, max_length=4, batch_size=5)
    batches = [task(step) for step in range(60)]
    assert {len(batch) for batch in batches} == {5}
    assert {batch.source.shape[1] - 1 for batch in batches} == {2, 3, 4}
    batch = batches[17]
    assert (batch.source[:, -1] == EOS).all() and (batch.target_in[:, 0] == BOS).all()
    assert batch.target_out[:, :-1].tolist() == batch.source[:, :-1].flip(1).tolist()


def test_symbols_are_all_used_and_never_special():
    task = SequenceTask("copy", symbols=6)
    used = {symbol for source, _ in task.pairs(50, 20, seed=0) for symbol in source}
    assert used == set(range(4, 10))
    assert len(task.vocabulary) == 10
    assert task.vocabulary.decode([4, 9]) == ["0", "5"]


def test_evaluation_repeats_neither_training_of_the_same_seed_nor_another_length():
    task = SequenceTask("copy", min_length=9, max_length=9, batch_size=40, seed=5)
    training = {tuple(row[:-1]) for step in range(20) for row in task(step).source.tolist()}
    evaluation = {tuple(source) for source, _ in task.pairs(9, 40, seed=5)}
    assert not training & evaluation
    ((short, _),), ((long, _),) = (task.pairs(length, 1, seed=0) for length in (7, 11))
    assert long[:7] != short
