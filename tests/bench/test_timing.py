"""The timing helper: who runs when, and what is made of the seconds. No test asserts a speed."""

import gc

import pytest

from bench.timing import interleave, ratios, seconds_of, spread


def recorded(rounds: int, *, warm_up: int, seed: int = 0) -> tuple[list[str], dict]:
    """Interleave three sides whose "seconds" count the runs so far; return who ran when."""
    ran: list[str] = []
    runs = {name: (lambda name=name: ran.append(name)) for name in ("ours", "torch", "other")}

    def count(run):
        run()
        return float(len(ran))

    return ran, interleave(runs, rounds, warm_up=warm_up, seed=seed, timer=count)


def test_every_side_runs_once_in_every_round():
    ran, seconds = recorded(7, warm_up=2)
    rounds = [ran[start : start + 3] for start in range(0, len(ran), 3)]
    assert len(rounds) == 9
    assert all(sorted(names) == ["other", "ours", "torch"] for names in rounds)
    assert {name: len(values) for name, values in seconds.items()} == dict.fromkeys(seconds, 7)


def test_the_order_changes_between_rounds_and_the_seed_decides_it():
    ran, _ = recorded(7, warm_up=0)
    assert len({tuple(ran[start : start + 3]) for start in range(0, 21, 3)}) > 1
    assert recorded(7, warm_up=0)[0] == ran
    assert recorded(7, warm_up=0, seed=1)[0] != ran


def test_the_rounds_of_warm_up_are_dropped():
    _, seconds = recorded(5, warm_up=2)
    assert min(min(values) for values in seconds.values()) == 2 * 3 + 1
    assert max(max(values) for values in seconds.values()) == 7 * 3


def test_the_garbage_collector_rests_meanwhile_and_is_on_again_even_after_an_error():
    assert gc.isenabled()
    assert interleave({"side": gc.isenabled}, 1, timer=lambda run: float(run()))["side"] == [0.0]
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        interleave({"side": lambda: 1 / 0}, 1)
    assert gc.isenabled()


def test_seconds_of_runs_once_and_is_no_negative_number():
    ran = []
    assert seconds_of(lambda: ran.append(1)) >= 0
    assert ran == [1]


def test_a_ratio_is_taken_within_its_round():
    assert ratios([1.0, 3.0, 10.0], [2.0, 3.0, 4.0]) == [0.5, 1.0, 2.5]
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        ratios([1.0, 2.0], [1.0])


def test_spread_is_the_median_and_the_quartiles_to_four_digits():
    assert spread([5.0, 1.0, 4.0, 2.0, 3.0]) == {"median": 3.0, "q1": 2.0, "q3": 4.0}
    assert spread([1.0, 2.0]) == {"median": 1.5, "q1": 1.25, "q3": 1.75}
    assert spread([0.123456]) == {"median": 0.1235, "q1": 0.1235, "q3": 0.1235}
