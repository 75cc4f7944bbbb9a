import pytest
import torch

from bottomup.data import InductionTask, successor_frequencies, successors

TASK = InductionTask(length=13, symbols=11, shortest=3, longest=5, batch_size=7, seed=2)


def repeated(row: list[int]) -> tuple[int, int]:
    """Start and length of the part that comes twice, of the longest such one."""
    return max(
        ((start, m) for m in range(1, len(row)) for start in range(len(row) - 2 * m + 1)
         if row[start : start + m] == row[start + m : start + 2 * m]),
        key=lambda found: found[1],
    )  # fmt: skip


def test_a_part_comes_twice_and_its_second_copy_but_for_the_end_is_predictable():
    batch = TASK(5)
    parts = (batch.symbols, batch.following, batch.predictable)
    assert [tuple(part.shape) for part in parts] == [(7, 13)] * 3
    for row, following, predictable in zip(*(part.tolist() for part in parts), strict=True):
        start, m = repeated(row)
        assert 3 <= m <= 5 and max(row) < 11
        assert len(set(row)) == 13 - m  # nothing else comes twice
        places = [place for place, known in enumerate(predictable) if known]
        assert places == list(range(start + m, start + 2 * m - 1))
        assert all(following[place] == row[place - m + 1] for place in places)
        assert following == [*row[1:], 0]
    assert batch.tokens == sum(map(sum, batch.predictable.tolist()))


def test_lengths_and_starts_take_all_their_values_and_a_repetition_can_stand_last():
    rows = TASK.evaluation(503, seed=0).symbols.tolist()
    assert {repeated(row) for row in rows} == {
        (start, m) for m in (3, 4, 5) for start in range(13 - 2 * m + 1)
    }
    last = InductionTask(length=13, symbols=11, shortest=3, longest=5, start="last")
    for start, m in map(repeated, last.evaluation(31, seed=1).symbols.tolist()):
        assert start + 2 * m == 13


def test_successors_by_hand():
    followed = successors(torch.tensor([[3, 1, 3, 3, 0]]))
    expected = torch.zeros(5, 5, dtype=torch.bool)
    expected[2, 1] = True  # the 3 at 0 was followed by 1
    expected[3, 1] = expected[3, 2 + 1] = True  # and the 3 at 2 by the 3 at 3 itself
    assert torch.equal(followed[0], expected)


def test_frequencies_are_counted():
    tokens = torch.randint(5, (3, 17), generator=torch.Generator().manual_seed(3))
    shares = successor_frequencies(tokens, 7)
    for row, row_shares in zip(tokens.tolist(), shares.tolist(), strict=True):
        for i, token in enumerate(row):
            found = [row[j + 1] for j in range(i) if row[j] == token]
            counted = [found.count(other) / max(1, len(found)) for other in range(7)]
            assert row_shares[i] == pytest.approx(counted)
