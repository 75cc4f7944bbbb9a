"""One step of a beam search, and the length penalty, by hand."""

import math

import pytest
import torch

from bottomup.data import EOS
from bottomup.decoding import continue_beam, gnmt_penalty

NEVER = -math.inf


def logs(rows: list) -> torch.Tensor:
    return torch.tensor(rows, dtype=torch.float64).log()


#                  PAD  BOS  EOS  UNK    4     PAD  BOS  EOS  UNK    4
TOKENS = logs([[[0.1, 0.0, 0.5, 0.3, 0.1], [0.0, 0.0, 0.2, 0.1, 0.7]]])
PREFIXES = logs([[0.6, 0.4]])
# together:     .06  0   .30  .18  .06      0    0   .08  .04  .28


def pairs(found, chosen) -> list[tuple[int, int]]:
    parent, token = found.parent[chosen].tolist(), found.token[chosen].tolist()
    return list(zip(parent, token, strict=True))


def test_a_step_by_hand():
    found = continue_beam(PREFIXES, TOKENS, beam=2)
    assert found.log_probability.exp().tolist() == [pytest.approx([0.30, 0.28, 0.18, 0.08])]
    assert pairs(found, found.ended) == [(0, EOS)]  # of the two best; the other end is fourth
    assert pairs(found, found.continued) == [(1, 4), (0, 3)]


def test_a_wider_beam_takes_both_ends():
    found = continue_beam(PREFIXES, TOKENS, beam=4)
    assert pairs(found, found.ended) == [(0, EOS), (1, EOS)]
    assert pairs(found, found.continued)[:2] == [(1, 4), (0, 3)]
    assert found.continued.sum() == 4


def test_a_beam_of_one_ends_only_with_the_best_token():
    found = continue_beam(PREFIXES, TOKENS, beam=1)
    assert pairs(found, found.ended) == [(0, EOS)]
    assert pairs(found, found.continued) == [(1, 4)]
    found = continue_beam(PREFIXES, TOKENS.flip(1), beam=1)
    assert not found.ended.any()
    assert pairs(found, found.continued) == [(0, 4)]


def test_where_there_are_fewer_continuations_all_are_taken():
    found = continue_beam(PREFIXES, TOKENS, beam=101)
    assert found.token.shape == (1, 10)
    assert found.continued.sum() == 8  # all that do not end, impossible ones included
    assert pairs(found, found.ended) == [(0, EOS), (1, EOS)]


def test_an_impossible_end_is_no_end():
    tokens = TOKENS.clone()
    tokens[..., EOS] = NEVER
    assert not continue_beam(PREFIXES, tokens, beam=101).ended.any()


@pytest.mark.parametrize("beam", [1, 2, 3, 7, 40])
def test_every_source_keeps_equally_many_and_the_best(beam, generator):
    prefixes = torch.randn(7, 5, generator=generator, dtype=torch.float64)
    tokens = torch.randn(7, 5, 11, generator=generator)
    tokens[..., EOS] += 1.5
    found = continue_beam(prefixes, tokens, beam=beam)
    assert found.continued.sum(dim=1).tolist() == [min(beam, 50)] * 7
    total = prefixes[..., None] + tokens.double()
    for row in range(7):
        ranked = sorted(
            ((total[row, p, v].item(), p, v) for p in range(5) for v in range(11)), reverse=True
        )
        ended = [(p, v) for _, p, v in ranked[:beam] if v == EOS]
        rest = [(p, v) for _, p, v in ranked if v != EOS][:beam]
        one = [part[row] for part in found]
        places = dict(zip(found._fields, one, strict=True))
        step = type(found)(**places)
        assert pairs(step, step.ended) == ended
        assert pairs(step, step.continued) == rest


@pytest.mark.parametrize(
    "prefixes, tokens, beam, error, message",
    [
        (PREFIXES, TOKENS, 0, ValueError, "beam: expected an integer of at least 1, got 0"),
        (PREFIXES, TOKENS, 1.5, TypeError, "beam: expected an integer, got 1.5"),
        (PREFIXES[0], TOKENS, 1, ValueError, r"prefixes: expected axes \[batch, width\]"),
        (PREFIXES[:, :1], TOKENS, 1, ValueError, "tokens: expected axes .*width=1"),
        (PREFIXES, TOKENS.long(), 1, TypeError, "tokens: expected a floating-point tensor"),
    ],
)
def test_bad_input_is_refused(prefixes, tokens, beam, error, message):
    with pytest.raises(error, match=message):
        continue_beam(prefixes, tokens, beam=beam)


# ---- The length penalty


@pytest.mark.parametrize(
    "length, alpha, expected",
    [
        (1, 0.6, 1.0),
        (7, 1, 2.0),  # 12 / 6
        (13, 2, 9.0),  # (18 / 6) squared
        (19, 0.5, 2.0),  # the root of 24 / 6
        (101, 0, 1.0),
        (0, 1, 5 / 6),
    ],
)
def test_the_penalty_by_hand(length, alpha, expected):
    assert gnmt_penalty(length, alpha) == pytest.approx(expected)


def test_a_longer_sequence_of_the_same_probability_scores_higher():
    scores = [-3.0 / gnmt_penalty(length, 0.6) for length in range(1, 13)]
    assert scores == sorted(scores)
    assert scores[-1] > scores[0]


@pytest.mark.parametrize(
    "length, alpha, error, message",
    [
        (-1, 0.6, ValueError, "length: expected an integer of at least 0, got -1"),
        (2.0, 0.6, TypeError, "length: expected an integer, got 2.0"),
        (2, -0.6, ValueError, "alpha: expected a number >= 0 and < inf, got -0.6"),
        (2, math.nan, ValueError, "alpha: expected .* got nan"),
        (2, math.inf, ValueError, "alpha: expected .* got inf"),
        (2, "0.6", TypeError, "alpha: expected a number, got '0.6'"),
    ],
)
def test_a_bad_penalty_is_refused(length, alpha, error, message):
    with pytest.raises(error, match=message):
        gnmt_penalty(length, alpha)
