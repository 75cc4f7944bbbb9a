"""Echoes: each part comes twice."""

import torch

from bottomup.data import EchoTask

TASK = EchoTask(length=23, symbols=11, shortest=2, longest=5, batch_size=7)


def copies(row: list[int], known: list[bool]) -> list[tuple[int, int]]:
    """Return (start, m) of the parts that lie whole in the row, read off what is predictable."""
    found, start, n = [], 0, len(row)
    while start < n:
        begin = next((i for i in range(start, n) if known[i]), n)
        m = begin - start
        if start + 2 * m > n:
            break
        found.append((start, m))
        start += 2 * m
    return found


def test_each_part_comes_twice_and_its_copy_is_predictable():
    batch = TASK.evaluation(50, 40, seed=3)
    for row, known in zip(batch.symbols.tolist(), batch.predictable.tolist(), strict=True):
        parts = copies(row, known)
        assert parts
        for start, m in parts:
            part = row[start : start + m]
            assert 2 <= m <= 5 and len(set(part)) == m
            assert row[start + m : start + 2 * m] == part
            assert known[start : start + 2 * m] == [False] * m + [True] * (m - 1) + [False]


def test_what_follows_is_the_next_symbol():
    batch = TASK(0)
    assert batch.symbols.shape == (7, 23)
    assert torch.equal(batch.following[:, :-1], batch.symbols[:, 1:])
    assert batch.tokens == batch.predictable.sum() > 0
