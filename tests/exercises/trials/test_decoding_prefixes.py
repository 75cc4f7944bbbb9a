"""A batch of prefixes, of chapter 06: each row alone, and what the cases hold."""

import pytest

from bottomup.exercises import catalog
from bottomup.exercises.decoding.ragged_prefixes.cases import MIXED, MODELS
from tests.exercises.trials.verdicts import expected_of

RAGGED_PREFIXES = catalog()["ragged-prefixes"]
RANDOM = [n for n, case in enumerate(RAGGED_PREFIXES.cases) if case.gives is None]


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
