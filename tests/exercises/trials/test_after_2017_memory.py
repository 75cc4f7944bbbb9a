"""The exercises of chapter 10 on Transformer-XL: values by hand, the library's, typical slips."""

import pytest
import torch

from bottomup.attention import relative_scores, relative_shift
from bottomup.exercises import catalog
from bottomup.models import next_memory
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

MEMORY = catalog()["memory-update"]
TERMS = catalog()["four-terms"]
SHIFT = catalog()["relative-shift"]


# ---- The memory


def test_the_memory_by_hand():
    assert expected_of(MEMORY, 0).flatten().tolist() == [2, 3, 4, 5]


@pytest.mark.parametrize("case", range(len(MEMORY.cases)))
def test_the_library_keeps_the_same_for_each_layer(case: int):
    memory, read, _, length = MEMORY.cases[case].fresh().inputs.values()
    kept = next_memory([m[None] for m in memory], [h[None] for h in read], length=length)
    found = expected_of(MEMORY, case)
    assert torch.equal(torch.cat(kept), getattr(found, "value", found))


def remember(memory, read, written, length, back=0, front=False, cut=True):
    rows = [*memory.unbind(1), *read.unbind(1)]
    if front:
        rows = [*read.unbind(1), *memory.unbind(1)]
    last = len(rows) - back
    kept = rows[max(0, last - length) : last] if cut else rows
    return torch.stack(kept, dim=1).detach() if kept else memory[:, :0].detach()


def test_rows_in_a_list_pass():
    assert report_on(MEMORY, remember).passed


@wrong_answers(
    {
        "segment-in-front": lambda *given: remember(*given, front=True),
        "never-cut": lambda *given: remember(*given, cut=False),
        "not-detached": lambda memory, read, written, length: torch.cat([memory, read], 1)[
            :, max(0, memory.shape[1] + read.shape[1] - length) :
        ],
        "taken-after-the-layer": lambda memory, read, written, length: remember(
            memory, written, read, length
        ),
        "old-memory-dropped": lambda memory, read, written, length: read[
            :, max(0, read.shape[1] - length) :
        ].detach(),
        "minus-zero": lambda memory, read, written, length: (
            torch.cat([memory, read], dim=1).detach()[:, -length:]
        ),
        "wrong-end-kept": lambda memory, read, written, length: torch.cat(
            [memory, read], dim=1
        ).narrow(1, 0, min(length, memory.shape[1] + read.shape[1])).detach(),
    }
)  # fmt: skip
def test_a_slip_of_the_memory_is_named(wrong, mistake: str):
    assert named(MEMORY, wrong) == mistake


# ---- The four terms


def test_the_four_terms_by_hand():
    # 2 + 4 + 6 + 8, over the root of 4
    assert expected_of(TERMS, 0).tolist() == [[[10]]]


def terms(query, key, r, u, v, root=None):
    content = torch.einsum("hid,hjd->hij", query, key) + torch.einsum("hd,hjd->hj", u, key)[:, None]
    place = ((query[:, :, None] + v[:, None, None]) * r).sum(-1)
    return (content + place) / (query.shape[-1] if root is None else root(query)) ** 0.5


def test_the_library_s_scores_are_the_exercise_s():
    query, key, _, u, v = TERMS.cases[2].fresh().inputs.values()
    n, m = query.shape[1], key.shape[1]
    distances = torch.randn(3, m, 2, generator=torch.Generator().manual_seed(9))
    place = torch.arange(m)[None] - torch.arange(n)[:, None] + n - 1  # [n, m], of the row
    r = distances[:, place.clamp(0, m - 1)]
    allowed = torch.ones(n, m).tril(m - n)
    ours = TERMS.solution(query, key, r, u, v) * allowed
    theirs = relative_scores(query, key, distances, u, v) * allowed
    torch.testing.assert_close(ours, theirs)


def test_sums_of_products_pass():
    assert report_on(TERMS, terms).passed


@wrong_answers(
    {
        "u-and-v-swapped": lambda query, key, r, u, v: terms(query, key, r, v, u),
        "u-for-both": lambda query, key, r, u, v: terms(query, key, r, u, u),
        "v-for-both": lambda query, key, r, u, v: terms(query, key, r, v, v),
        "not-scaled": lambda *given: terms(*given, root=lambda query: 1),
        "another-root": lambda *given: terms(*given, root=lambda query: len(query)),
        "without-u-and-v": lambda query, key, r, u, v: terms(query, key, r, 0 * u, 0 * v),
        "distance-without-the-query": lambda query, key, r, u, v: (
            terms(query, key, 0 * r, u, v) + terms(0 * query, 0 * key, r, u, v)
        ),
        "scaled-before-the-second-term": lambda query, key, r, u, v: (
            terms(query, key, 0 * r, u, v) + terms(query, 0 * key, r, u, v, lambda query: 1)
        ),
    }
)
def test_a_slip_of_the_four_terms_is_named(wrong, mistake: str):
    assert named(TERMS, wrong) == mistake


# ---- The shift


def test_the_shift_by_hand():
    assert expected_of(SHIFT, 0).tolist() == [[2, 1, 0], [6, 5, 4]]


@pytest.mark.parametrize("case", range(len(SHIFT.cases) - 1))
def test_the_library_shifts_alike(case: int):
    (by_distance,) = SHIFT.cases[case].fresh().inputs.values()
    n, m = by_distance.shape
    assert torch.equal(expected_of(SHIFT, case), relative_shift(by_distance).tril(m - n))


def placed(by_distance, distance=lambda i, j, n, m: m - n + i - j, last=lambda i, n, m: m - n + i):
    n, m = by_distance.shape
    rows = []
    for i in range(n):
        far = [distance(i, j, n, m) for j in range(m)]
        rows.append(
            [
                by_distance[i, m - 1 - far[j]] if j <= last(i, n, m) and 0 <= far[j] < m
                else by_distance[0, 0] * 0
                for j in range(m)
            ]
        )  # fmt: skip
    return torch.stack([torch.stack(row) for row in rows])


def test_loops_over_query_and_key_pass():
    assert report_on(SHIFT, placed).passed


@wrong_answers(
    {
        "own-key-left-out": lambda x: placed(x, last=lambda i, n, m: m - n + i - 1),
        "near-distances-first": lambda x: placed(x.flip(1)),
        "nothing-moved": lambda x: x * 1,
        "memory-forgotten": lambda x: placed(x, lambda i, j, n, m: i - j, lambda i, n, m: i),
        "last-row-dropped": lambda x: (
            torch.cat([x.new_zeros(len(x), 1), x], 1)
            .reshape(x.shape[1] + 1, len(x))[:-1]
            .reshape(x.shape)
            .tril(x.shape[1] - len(x))
        ),
    }
)
def test_a_slip_of_the_shift_is_named(wrong, mistake: str):
    assert named(SHIFT, wrong) == mistake
