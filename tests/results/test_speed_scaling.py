"""What is made of a benchmark over the number of positions: fits, crossings, aims, quotations."""

import json
from dataclasses import replace

import pytest

from bottomup import results
from bottomup.results import ScalingBenchmark, Spread
from bottomup.results.speed_files import read_benchmark
from bottomup.results.speed_scaling import CAUSAL, FIXED, FULL, MASKED, NAIVE, SPARSE, STRIDED
from tests.results.scaling import benchmark, case, power, spread

COMMITTED = [
    name
    for name in results.available_benchmarks()
    if isinstance(results.benchmark(name), ScalingBenchmark)
]


@pytest.fixture
def measured() -> ScalingBenchmark:
    sizes = (64, 256, 1024, 4096, 16384)
    forward = [case(n, power(n)) for n in sizes]
    both = [case(n, power(n), backward=True) for n in sizes]
    several = [case(n, {CAUSAL: n**2, STRIDED: n}, rows=13) for n in sizes[:3]]
    return benchmark(*forward, *both, *several)


def test_the_exponent_of_a_power_is_that_power(measured: ScalingBenchmark):
    assert measured.exponent(CAUSAL) == pytest.approx(2)
    assert measured.exponent(STRIDED) == pytest.approx(1.5)
    assert measured.exponent(STRIDED, rows=13, high=1024) == pytest.approx(1)
    assert measured.exponent(FIXED, backward=True) == pytest.approx(1.5)


def test_the_exponent_is_a_least_squares_fit_over_the_sizes_asked_for():
    run = benchmark(*(case(n, {CAUSAL: t}) for n, t in [(64, 1), (256, 1), (1024, 1), (4096, 64)]))
    # In logarithms to the base 4 the points are (0, 0), (1, 0), (2, 0), (3, 3).
    assert run.exponent(CAUSAL, low=64) == pytest.approx(0.9)
    assert run.exponent(CAUSAL) == pytest.approx(1.5)  # from 256 on
    assert run.exponent(CAUSAL, low=64, high=1024) == pytest.approx(0)
    with pytest.raises(ValueError, match="at least two of 64, 256, 1024, 4096, got 2048 and None"):
        run.exponent(CAUSAL, low=2048)


def test_the_crossover_lies_on_the_line_between_the_two_sizes(measured: ScalingBenchmark):
    # 3 n^2 = 48 n^1.5 at n = 256, exactly; between 64 and 1024 the speed-up is a power of n.
    assert measured.crossover(STRIDED) == pytest.approx(256)
    without = replace(measured, cases=tuple(c for c in measured.cases if c.n != 256))
    assert without.crossover(STRIDED) == pytest.approx(256)


def test_there_is_no_crossover_for_a_side_that_is_always_or_never_faster(measured):
    assert measured.crossover(FIXED) is None  # 3 n^2 > 7 n^1.5 from n = 6 on
    assert measured.crossover(MASKED) is None


def test_a_speed_up_is_that_of_the_case_and_the_causal_kernel_has_1(measured: ScalingBenchmark):
    assert measured.speed_up(STRIDED, 1024) == spread(2.0)
    assert measured.speed_up(CAUSAL, 1024) == Spread(median=1.0, q1=1.0, q3=1.0)
    assert measured.speed_up(STRIDED, 256, rows=13).median == pytest.approx(256)


def test_what_did_not_run_is_named(measured: ScalingBenchmark):
    with pytest.raises(ValueError, match=r"side: expected one of causal.*rows=1, got 'naive'"):
        measured.exponent(NAIVE)
    with pytest.raises(ValueError, match="n: expected one of 64, 256, 1024, got 4096"):
        measured.speed_up(STRIDED, 4096, rows=13)


def test_times_and_peaks_are_points_with_their_quartiles(measured: ScalingBenchmark):
    times = measured.times(STRIDED, CAUSAL, rows=13)
    assert list(times) == [STRIDED, CAUSAL]
    assert times[STRIDED] == [(n, 500 * n, 1000 * n, 4000 * n) for n in (64, 256, 1024)]
    assert measured.peaks(STRIDED, rows=13)[STRIDED][0] == (64, 64, 64, 64)


def test_the_aims_hold_what_was_measured_against_their_bounds(measured: ScalingBenchmark):
    found = {(aim.name, aim.side): aim for aim in measured.aims}
    assert found["exponent", STRIDED].value == pytest.approx(1.5)
    assert found["exponent", STRIDED].met
    assert found["speed", STRIDED].value == pytest.approx(16384**0.5 / 16)  # 8
    assert (found["speed", STRIDED].bound, found["speed", STRIDED].met) == (6, True)
    assert (found["speed", FIXED].bound, found["speed", FIXED].met) == (12, True)
    assert found["training", STRIDED].value == pytest.approx(4)
    assert not found["training", STRIDED].met
    assert found["training", FIXED].met
    assert found["memory", FIXED].value == pytest.approx(7 / 9 / 128)
    assert len(found) == len(measured.aims) == 8


@pytest.mark.parametrize(
    "value, at_most, met", [(1.6, True, True), (1.61, True, False), (1.59, False, False)]
)
def test_a_bound_itself_is_good_enough(measured: ScalingBenchmark, value, at_most, met):
    aim = replace(measured.aims[0], value=value, at_most=at_most)
    assert aim.bound == 1.6
    assert aim.met is met


def test_aims_about_sizes_that_were_not_measured_are_left_out(measured: ScalingBenchmark):
    short = replace(measured, cases=tuple(c for c in measured.cases if c.n <= 1024))
    assert short.aims == ()
    to_4096 = replace(measured, cases=tuple(c for c in measured.cases if c.n <= 4096))
    assert {aim.name for aim in to_4096.aims} == {"training"}


def test_prose_may_quote_every_number_by_its_path(measured: ScalingBenchmark):
    found = measured.quotable()
    assert found["exponent"]["forward"]["1"][STRIDED] == measured.exponent(STRIDED)
    assert found["exponent"]["forward"]["13"][STRIDED] == pytest.approx(1)
    assert found["crossover"]["backward"]["1"][STRIDED] == pytest.approx(256)
    assert CAUSAL not in found["crossover"]["forward"]["1"]
    speed_up = found["speed_up"]["forward"]["1"]["1024"][STRIDED]
    assert speed_up == {"median": 2.0, "q1": 1.0, "q3": 8.0}
    assert found["ms"]["forward"]["13"]["64"][STRIDED]["median"] == 64_000
    assert found["mb"]["backward"]["1"]["64"][MASKED] == 9 * 64**2


def test_a_side_at_one_size_has_no_exponent_to_quote():
    run = benchmark(case(256, {CAUSAL: 1, NAIVE: 2}), case(1024, {CAUSAL: 3}))
    assert list(run.quotable()["exponent"]["forward"]["1"]) == [CAUSAL]
    assert run.sides == (CAUSAL, NAIVE)


def test_a_file_is_read_back(tmp_path, measured: ScalingBenchmark):
    content = {"schema": 1, "benchmark": "scaling"} | vars(measured)
    content["cases"] = [
        {
            **vars(c),
            "seconds": {side: vars(found) for side, found in c.seconds.items()},
            "speed_up": {side: vars(found) for side, found in c.speed_up.items()},
        }
        for c in measured.cases
    ]
    path = tmp_path / "sparse.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert read_benchmark(path) == measured


# ---- What is committed


@pytest.mark.parametrize("name", COMMITTED)
def test_the_sides_of_a_committed_benchmark_computed_what_their_masks_say(name: str):
    for found in results.benchmark(name).cases:
        assert {*SPARSE, CAUSAL} <= set(found.seconds)
        assert set(found.seconds) == set(found.peak_bytes) == {CAUSAL, *found.speed_up}
        assert set(found.largest_difference) == set(found.seconds)
        assert not set(found.left_out) & set(found.seconds)
        for differences in found.largest_difference.values():
            assert set(differences) == ({"output", "gradient"} if found.backward else {"output"})
            assert max(differences.values()) < 1e-4
        for values in (*found.seconds.values(), *found.speed_up.values()):
            assert 0 < values.q1 <= values.median <= values.q3


@pytest.mark.parametrize("name", COMMITTED)
def test_a_committed_benchmark_reaches_every_size_that_an_aim_names(name: str):
    measured = results.benchmark(name)
    assert len(measured.aims) == 8
    assert set(measured.versions) == {"python", "torch"}
    for rows in (1, 16):
        assert {c.n for c in measured.select(rows=rows, backward=False)} >= {256, 1024, 4096, 16384}
        assert {c.n for c in measured.select(rows=rows, backward=True)} >= {256, 1024, 4096}
    assert FULL in measured.case(CAUSAL, 4096).seconds
