"""The reasoning that chapter 11 asks for is that of the ward itself, and the order is looked at."""

from bottomup.exercises import catalog
from bottomup.exercises.ward.diagnosis import recorded
from bottomup.experiments.clinic.signs import READINGS
from tests.exercises.trials.verdicts import is_plain

LEFT = catalog()["what-is-left"]


def test_the_ward_reasons_alike():
    signs = recorded()
    left, telling = LEFT.solution(signs, {"row sums": -1})
    assert left == ["mask after softmax"]
    assert telling == []
    everything, apart = LEFT.solution(signs, {})
    assert everything == [*signs]
    assert set(apart) <= set(READINGS)


def test_a_reading_that_was_seen_tells_nothing_more():
    for case in LEFT.cases:
        _left, telling = LEFT.solution(*case.inputs.values())
        assert not set(telling) & set(case.inputs["seen"])


def test_names_in_another_order_are_told_so():
    for answer in LEFT.also_wrong[:-1]:  # the last gives other names
        assert is_plain(LEFT, answer, "The names are right, but not in the order of signs.")
