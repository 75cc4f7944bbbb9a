"""A batch of prefixes, of chapter 06: by hand, one by one, typical slips."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from bottomup.exercises import catalog
from bottomup.exercises.decoding.ragged_prefixes import MIXED, MODELS, Step
from tests.exercises.trials.verdicts import expected_of, is_plain, named, report_on, wrong_answers

RAGGED_PREFIXES = catalog()["ragged-prefixes"]


ROWS = {
    0: [[5, 3, 7, 8, 9], [8, 4, 5, 6, 7]],
    1: [[1, 7, 8, 9, 0, 0], [1, 3, 4, 5, 6, 7]],
    2: [[1, 8, 5, 6, 7], [1, 3, 4, 5, 6]],
    3: [[1, 9, 4, 5, 6, 7], [5, 9, 6, 3, 4, 5]],
    4: [[3, 4, 6, 9, 13], [5, 7, 4, 7, 11], [6, 3, 5, 8, 12]],
    5: [[1, 7, 8, 9] + 7 * [0], [1, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0]],
    6: [[1, 6, 4, 5, 6, 7, 8], [5, 3, 4, 5, 6, 7, 8], [6, 7, 6, 6, 7, 8, 9]],
}
RANDOM = range(len(ROWS), len(RAGGED_PREFIXES.cases))


@pytest.mark.parametrize("case", ROWS)
def test_prefixes_are_continued_by_hand(case: int):
    assert expected_of(RAGGED_PREFIXES, case).tolist() == ROWS[case]


@pytest.mark.parametrize("case", RANDOM)
def test_a_row_is_what_it_is_alone(case: int):
    _name, prefixes, lengths, total, eos, pad = RAGGED_PREFIXES.cases[case].inputs.values()
    together = expected_of(RAGGED_PREFIXES, case)
    for row, length, result in zip(prefixes, lengths, together, strict=True):
        alone = RAGGED_PREFIXES.solution(
            MODELS[MIXED], row[None, :length], length[None], total, eos, pad
        )
        assert alone[0].tolist() == result.tolist()


def test_the_random_cases_hold_what_the_mistakes_are_about():
    """Some row ends early, and some prefix holds eos, or would have been ended by a guess."""
    shown = {"early": 0, "inside": 0}
    for case in RANDOM:
        _name, prefixes, lengths, _total, eos, pad = RAGGED_PREFIXES.cases[case].inputs.values()
        shown["early"] += int((expected_of(RAGGED_PREFIXES, case)[:, -1] == pad).sum())
        shown["inside"] += int((prefixes == eos).sum())
        assert int(lengths.max()) <= prefixes.shape[1]
    assert min(shown.values()) >= 2


def from_the_padding(
    step: Step, prefixes: Tensor, lengths: Tensor, total: int, eos: int, pad: int
) -> Tensor:
    """Which places are given is read off the numbers: wrong where a prefix holds pad."""
    given = prefixes != pad
    return RAGGED_PREFIXES.solution(step, prefixes, given.sum(1), total, eos, pad)


def feed_the_rectangle_first(step, prefixes, lengths, total, eos, pad):
    """Reads every column of the prefixes, then goes on for all rows together."""
    state, tokens = None, list(prefixes.T)
    for token in tokens:
        own, state = step(token, state)
    ended = torch.zeros(len(prefixes), dtype=torch.bool)
    while len(tokens) < total:
        token = own.masked_fill(ended, pad)
        ended = ended | (token == eos)
        tokens.append(token)
        own, state = step(token, state)
    return torch.stack(tokens, 1)


def go_on_from_the_last_real_place(step, prefixes, lengths, total, eos, pad):
    """Picks the guesses at lengths - 1 after one pass over the padded batch."""
    said, state = {}, None
    for i, token in enumerate(prefixes.T):
        own, state = step(token, state)
        for b in torch.where(lengths == i + 1)[0].tolist():
            said[b] = own[b]
    rows = [row[:n].tolist() for row, n in zip(prefixes, lengths, strict=True)]
    token = torch.stack([said[b] for b in range(len(rows))])
    ended = [False] * len(rows)
    for _step in range(total):
        for b, row in enumerate(rows):
            if not ended[b] and len(row) < total:
                row.append(int(token[b]))
                ended[b] = row[-1] == eos
        token, state = step(token, state)
    return torch.tensor([row + [pad] * (total - len(row)) for row in rows])


def stops_when_all_have_ended(step, prefixes, lengths, total, eos, pad):
    tokens = prefixes.new_full((len(prefixes), total), pad)
    tokens[:, : prefixes.shape[1]] = prefixes
    going, state = torch.ones(len(prefixes), dtype=torch.bool), None
    for i in range(1, total):
        own, state = step(tokens[:, i - 1], state)
        own_turn = (lengths <= i) * going
        tokens[:, i] = own_turn * own + ~own_turn * tokens[:, i]
        going = going & ~(own_turn & (own == eos))
        if not going.any():
            break
    return tokens


def written_over_pad(step, prefixes, lengths, total, eos, pad):
    """Writes wherever pad stands; no look at the lengths."""
    tokens = torch.full((len(prefixes), total), pad)
    tokens[:, : prefixes.shape[1]] = prefixes
    ended, state = torch.zeros(len(prefixes), dtype=torch.bool), None
    for i in range(1, total):
        own, state = step(tokens[:, i - 1], state)
        free = (tokens[:, i] == pad) & ~ended
        tokens[:, i] = own.where(free, tokens[:, i])
        ended |= free & (own == eos)
    return tokens


def only_the_columns_written(step, prefixes, lengths, total, eos, pad):
    ended, columns, state = torch.zeros(len(prefixes), dtype=torch.bool), [prefixes[:, 0]], None
    while len(columns) < total and not ended.all():
        i = len(columns)
        own, state = step(columns[-1], state)
        given = i < lengths
        known = prefixes[:, min(i, prefixes.shape[1] - 1)]
        columns.append(known.where(given, own.masked_fill(ended, pad)))
        ended = ended | (~given & (own == eos))
    return torch.stack(columns, 1)


def no_prefix(step, prefixes, lengths, total, eos, pad):
    ones = torch.ones_like(lengths)
    return RAGGED_PREFIXES.solution(step, prefixes[:, :1], ones, total, eos, pad)


def same_length_for_all(which: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    def answer(step, prefixes, lengths, total, eos, pad):
        same = which(lengths).expand_as(lengths)
        return RAGGED_PREFIXES.solution(step, prefixes, same, total, eos, pad)

    return answer


def ended_by_the_row(step, prefixes, lengths, total, eos, pad):
    """Ends a row with the first eos in it, found afterwards."""
    tokens = RAGGED_PREFIXES.solution(step, prefixes, lengths, total, -1, pad)
    found = (tokens == eos).long()
    return tokens.masked_fill((found.cumsum(1) - found > 0), pad)


def shifted(by: int) -> Callable[..., Tensor]:
    def answer(step, prefixes, lengths, total, eos, pad):
        return RAGGED_PREFIXES.solution(step, prefixes, lengths + by, total, eos, pad)

    return answer


def without_a_state(step, prefixes, lengths, total, eos, pad):
    return RAGGED_PREFIXES.solution(
        lambda token, state: step(token, None), prefixes, lengths, total, eos, pad
    )


def into_the_column_read(step, prefixes, lengths, total, eos, pad):
    tokens = torch.full((len(prefixes), total), pad)
    tokens[:, : prefixes.shape[1]] = prefixes
    state, ended = None, torch.zeros(len(prefixes), dtype=torch.bool)
    for i in range(total):
        own, state = step(tokens[:, i], state)
        writes = (lengths <= i) & ~ended
        tokens[:, i] = own.where(writes, tokens[:, i])
        ended |= writes & (own == eos)
    return tokens


PREFIX_SLIPS = {
    "state-not-handed-on": without_a_state,
    "written-where-it-was-read": into_the_column_read,
    "padding-read-as-words": [feed_the_rectangle_first, same_length_for_all(torch.max)],
    "padding-left-in-the-state": go_on_from_the_last_real_place,
    "prefix-overwritten": [same_length_for_all(torch.min), no_prefix, written_over_pad],
    "not-filled-up": only_the_columns_written,
    "one-column-late": shifted(1),
    "one-column-early": shifted(-1),
    "eos-in-the-prefix-ends": ended_by_the_row,
    "never-ended": lambda s, p, n, t, e, d: RAGGED_PREFIXES.solution(s, p, n, t, -1, d),
}


@wrong_answers(PREFIX_SLIPS)
def test_a_slip_with_prefixes_is_named(wrong, mistake: str):
    assert named(RAGGED_PREFIXES, wrong) == mistake


def test_another_right_way_with_prefixes_passes():
    assert report_on(RAGGED_PREFIXES, stops_when_all_have_ended).passed


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda *inputs: RAGGED_PREFIXES.solution(*inputs)[:, 1:], "has shape"),
        (lambda *inputs: RAGGED_PREFIXES.solution(*inputs).tolist(), "expected a tensor"),
        (lambda s, p, *rest: p, "has shape"),
        (from_the_padding, "values differ"),
        (lambda s, p, n, t, e, d: RAGGED_PREFIXES.solution(s, p, n, t, e, e), "values differ"),
    ],
)
def test_other_prefixes_get_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(RAGGED_PREFIXES, answer, sentence)
