"""The part of the page on benchmarks that is about the number of positions."""

import os
from types import SimpleNamespace

import pytest
from benchmarks import about, figure, missed, scaling
from docutils import nodes

from bottomup import results
from bottomup.results import ScalingBenchmark, Spread
from bottomup.results.speed_scaling import CAUSAL, FIXED, FLEX, MASKED, NAIVE, STRIDED
from tests.results.scaling import benchmark, case, power

pytestmark = pytest.mark.slow  # `make check` has a minute for all tests

SIDES = {CAUSAL: 0.5, STRIDED: 0.0625}


@pytest.fixture
def measured() -> ScalingBenchmark:
    """Aims of every kind; strided misses the one of training."""
    sizes = (256, 4096, 16384)
    return benchmark(
        *(case(n, power(n)) for n in sizes), *(case(n, power(n), backward=True) for n in sizes[:2])
    )


def cells(table: nodes.table) -> list[list[str]]:
    """The rows of a table, its head among them."""
    return [[entry.astext() for entry in row.children] for row in table.findall(nodes.row)]


def test_a_table_has_a_side_in_each_row_and_a_size_in_each_column():
    run = benchmark(
        case(17, {**SIDES, NAIVE: 1.0}, rows=13, backward=True),
        case(5, SIDES, rows=13, backward=True),
    )
    times, memory = scaling.tables(run)
    assert cells(times) == [
        ["", "n = 5", "n = 17"],
        ["torch, causal flag", "500", "500"],
        ["strided, one softmax", "62.5, 8.00 (4.00–32.00)", "62.5, 8.00 (4.00–32.00)"],
        ["matrix of scores", "–", "1,000, 0.50 (0.25–2.00)"],
    ]
    assert cells(memory)[1:] == [
        ["torch, causal flag", "0.5", "0.5"],
        ["strided, one softmax", "0.1", "0.1"],
        ["matrix of scores", "–", "1.0"],
    ]
    captions = [next(iter(table.findall(nodes.title))).astext() for table in (times, memory)]
    assert captions == [
        "Forward and backward pass, 13 rows: ms, speed-up (quartiles)",
        "Forward and backward pass, 13 rows: peak MB",
    ]


def test_each_kind_of_pass_has_its_tables():
    run = benchmark(case(5, SIDES), case(5, SIDES, rows=13), case(7, SIDES))
    titles = [next(iter(t.findall(nodes.title))).astext() for t in scaling.tables(run)]
    assert [title.split(":")[0] for title in titles] == [
        *["Forward pass, one row"] * 2,
        *["Forward pass, 13 rows"] * 2,
    ]


def test_what_did_not_run_stands_below_with_its_reason_once():
    no = dict.fromkeys(FLEX, "no compiler")
    run = benchmark(case(5, SIDES, left_out=no), case(7, SIDES, left_out=no | {NAIVE: "too large"}))
    assert [item.astext() for item in scaling.reasons(run.cases)[0].children] == [
        "flex_attention (strided); flex_attention (fixed): no compiler",
        "matrix of scores: too large",
    ]
    assert scaling.reasons(benchmark(case(5, SIDES)).cases) == []


def test_the_aims_are_counted_and_shown_with_what_was_measured(measured: ScalingBenchmark):
    table = scaling.aims(measured)
    assert next(iter(table.findall(nodes.title))).astext() == "Aims: 8. Met: 7, missed: 1."
    shown = cells(table)[1:]
    assert len(shown) == 8
    assert shown[0][1:] == ["strided, one softmax", "at most 1.6", "1.50", "met"]
    assert shown[4] == [
        "forward and backward, n = 4,096: times as fast",
        "strided, one softmax",
        "at least 7",
        "4.00",
        "missed",
    ]
    assert shown[7][2:] == ["at most 0.125", "0.006", "met"]


def test_a_reason_stands_under_the_aim_that_is_missed(measured: ScalingBenchmark):
    (aim,) = missed.cases(measured, {"aims": "training memory"})
    assert missed.cases(measured, {}) == [aim]
    assert missed.cases(measured, {"sides": FIXED}) == []
    shown = missed.entry([aim], [nodes.paragraph("", "Why.")])
    assert [part for part in shown.astext().split("\n") if part] == [
        "Forward and backward, n = 4,096: times as fast",
        "strided, one softmax: 4.00, wanted at least 7",
        "Why.",
    ]
    with pytest.raises(ValueError, match="masks: these cases have no such fact"):
        missed.cases(measured, {"masks": "causal"})
    with pytest.raises(ValueError, match=r"aims: expected some of exponent.*got \['speeed'\]"):
        missed.cases(measured, {"aims": "speeed"})


def test_the_run_says_how_often_each_size_was_timed():
    run = benchmark(case(5, SIDES), case(7, SIDES, rounds=11), case(5, SIDES, rows=13))
    assert about.sizes(run) == (
        "Width 5 of a row, float32. Rounds: forward pass, one row: 5 at n = 5, 11 at n = 7; "
        "forward pass, 13 rows: 5 at n = 5."
    )


def test_the_figure_shows_both_passes_over_n(measured: ScalingBenchmark):
    above, below = scaling.figure(measured).axes
    assert above.get_title(loc="left") + above.get_title() == "forward pass"
    assert below.get_title(loc="left") + below.get_title() == "forward and backward pass"
    labels = [text.get_text() for text in above.get_legend().get_texts()]
    assert labels[:3] == ["strided, one softmax", "fixed, one softmax", "torch, causal flag"]
    assert labels[-2:] == ["slope 2", "slope 1.5"]
    assert len(above.containers) == 4  # of five that can be drawn, one did not run
    assert "slope 2" in figure.caption(measured)


def test_the_figure_is_the_same_file_each_time(tmp_path, measured: ScalingBenchmark):
    app = SimpleNamespace(doctreedir=str(tmp_path / "_build" / "doctrees"))
    env = SimpleNamespace(app=app, srcdir=str(tmp_path))
    drawn = []
    for _ in range(2):
        (image,) = figure.ratios(env, "sparse.json", measured).findall(nodes.image)
        drawn.append((tmp_path / image["uri"].lstrip("/")).read_text(encoding="utf-8"))
    assert drawn[0] == drawn[1]


def test_the_figure_is_in_english_in_every_language(
    tmp_path, measured: ScalingBenchmark, monkeypatch: pytest.MonkeyPatch
):
    figure.draw(tmp_path / "sparse.svg", measured)
    english = (tmp_path / "sparse.svg").read_bytes()
    monkeypatch.setenv("BOTTOMUP_LANGUAGE", "ko")
    assert scaling.side(STRIDED) != "strided, one softmax"  # as the tables have it
    figure.draw(tmp_path / "sparse.svg", measured)
    assert (tmp_path / "sparse.svg").read_bytes() == english
    assert os.environ["BOTTOMUP_LANGUAGE"] == "ko"


def test_a_side_without_a_name_of_its_own_keeps_the_one_it_has():
    assert scaling.side("sorted") == "sorted"
    assert scaling.side(MASKED) == "torch, boolean mask"
    assert scaling.quartiles(Spread(median=1.0, q1=0.5, q3=2.0)) == "1.00 (0.50–2.00)"


@pytest.mark.parametrize("name", [n for n in results.available_benchmarks() if n == "sparse.json"])
def test_the_committed_tables_show_every_side_of_every_case(name: str):
    run = results.benchmark(name)
    tables = [node for node in scaling.tables(run) if isinstance(node, nodes.table)]
    assert len(tables) == 2 * len(run.passes)
    shown = sum(text != "–" for table in tables for row in cells(table)[1:] for text in row[1:])
    assert shown == 2 * sum(len(c.seconds) for c in run.cases)
    assert len(cells(scaling.aims(run))) == 9
