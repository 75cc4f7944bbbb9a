import pytest
import torch

from bottomup.data import InductionBatch, InductionTask, successor_frequencies, successors
from bottomup.training import TrainingBatch

TASK = InductionTask(length=13, symbols=11, shortest=3, longest=5, batch_size=7, seed=2)


def parts(batch: InductionBatch) -> tuple[torch.Tensor, ...]:
    return batch.symbols, batch.following, batch.predictable


def same(one: InductionBatch, other: InductionBatch) -> bool:
    return all(torch.equal(a, b) for a, b in zip(parts(one), parts(other), strict=True))


def repeated(row: list[int]) -> tuple[int, int]:
    """Start and length of the part that comes twice, of the longest such one."""
    return max(
        ((start, m) for m in range(1, len(row)) for start in range(len(row) - 2 * m + 1)
         if row[start : start + m] == row[start + m : start + 2 * m]),
        key=lambda found: found[1],
    )  # fmt: skip


def test_a_part_of_distinct_symbols_comes_twice_and_nothing_else_does():
    batch = TASK(3)
    assert [tuple(part.shape) for part in parts(batch)] == [(7, 13)] * 3
    assert batch.symbols.dtype == batch.following.dtype == torch.int64
    for row in batch.symbols.tolist():
        _start, m = repeated(row)
        assert 3 <= m <= 5
        assert len(set(row)) == 13 - m
        assert max(row) < 11


def test_predictable_is_the_second_copy_but_for_its_end():
    batch = TASK(5)
    for row, following, predictable in zip(*(part.tolist() for part in parts(batch)), strict=True):
        start, m = repeated(row)
        places = [place for place, known in enumerate(predictable) if known]
        assert places == list(range(start + m, start + 2 * m - 1))
        assert all(following[place] == row[place - m + 1] for place in places)
        assert following == [*row[1:], 0]
    assert batch.tokens == sum(map(sum, batch.predictable.tolist()))


def test_lengths_and_starts_take_all_their_values():
    rows = TASK.evaluation(503, seed=0).symbols.tolist()
    assert {repeated(row) for row in rows} == {
        (start, m) for m in (3, 4, 5) for start in range(13 - 2 * m + 1)
    }


def test_a_repetition_can_always_stand_last():
    task = InductionTask(length=13, symbols=11, shortest=3, longest=5, start="last")
    for row in task.evaluation(31, seed=1).symbols.tolist():
        start, m = repeated(row)
        assert start + 2 * m == 13


def test_batches_depend_on_seed_and_step_alone_and_evaluation_stands_apart(device):
    again = InductionTask(length=13, symbols=11, shortest=3, longest=5, batch_size=7, seed=2)
    other = InductionTask(length=13, symbols=11, shortest=3, longest=5, batch_size=7, seed=3)
    assert same(TASK(11), again(11))
    assert not same(TASK(11), TASK(12))
    assert not same(TASK(11), other(11))
    assert same(TASK.evaluation(7, seed=5), other.evaluation(7, seed=5))
    assert not same(TASK.evaluation(7, seed=2), TASK(0))
    assert isinstance(TASK(0), TrainingBatch)
    assert {part.device.type for part in parts(TASK(0).to(device))} == {device.type}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"shortest": 1}, "shortest: expected an integer of at least 2, got 1"),
        ({"longest": 4}, "longest: expected an integer of at least 5, got 4"),
        ({"length": 19}, "length: expected an integer of at least 20, got 19"),
        ({"symbols": 18}, "symbols: expected an integer of at least 19, got 18"),
        ({"start": "first"}, "start: expected one of 'random', 'last', got 'first'"),
        ({"batch_size": 0}, "batch_size: expected an integer of at least 1, got 0"),
        ({"seed": -1}, "seed: expected an integer of at least 0, got -1"),
    ],
)
def test_bad_tasks_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        InductionTask(**options)


# ---- What followed


def test_successors_by_hand():
    followed = successors(torch.tensor([[3, 1, 3, 3, 0]]))
    expected = torch.zeros(5, 5, dtype=torch.bool)
    expected[2, 1] = True  # the 3 at 0 was followed by 1
    expected[3, 1] = expected[3, 2 + 1] = True  # and the 3 at 2 by the 3 at 3 itself
    assert torch.equal(followed[0], expected)


def test_frequencies_by_hand():
    shares = successor_frequencies(torch.tensor([[3, 1, 3, 3, 3, 0]]), 5)
    assert shares[0, 2].tolist() == [0, 1, 0, 0, 0]
    assert shares[0, 3].tolist() == [0, 0.5, 0, 0.5, 0]
    assert shares[0, 4] == pytest.approx([0, 1 / 3, 0, 2 / 3, 0])
    assert shares[0, [0, 1, 5]].abs().sum() == 0  # they come for the first time


def test_frequencies_by_counting():
    tokens = torch.randint(5, (3, 17), generator=torch.Generator().manual_seed(3))
    shares = successor_frequencies(tokens, 7)
    for row, row_shares in zip(tokens.tolist(), shares.tolist(), strict=True):
        for i, token in enumerate(row):
            found = [row[j + 1] for j in range(i) if row[j] == token]
            counted = [found.count(other) / max(1, len(found)) for other in range(7)]
            assert row_shares[i] == pytest.approx(counted)


def test_token_numbers_are_checked():
    with pytest.raises(ValueError, match=r"tokens: expected token numbers in \[0, 3\), got 3"):
        successor_frequencies(torch.tensor([[3]]), 3)
    with pytest.raises(TypeError, match="tokens: expected token numbers of dtype torch.int64"):
        successors(torch.zeros(2, 3))
    with pytest.raises(ValueError, match=r"tokens: expected non-empty axes \[batch, position"):
        successors(torch.tensor([3]))
