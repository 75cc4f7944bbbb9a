"""The page on benchmarks: what its generator makes of a run, and a reason for every miss."""

import re
from dataclasses import replace
from types import SimpleNamespace

import pytest
from benchmarks import about, figure, missed, tables
from docutils import nodes
from sphinx import addnodes

from bottomup import results
from bottomup.results import (
    AttentionBenchmark,
    BenchmarkCase,
    DecodingBenchmark,
    DecodingCase,
    PeerBenchmark,
    Spread,
    TrainingBenchmark,
    TrainingCase,
)
from tools.notebooks.paths import ROOT

pytestmark = pytest.mark.slow  # `make check` has a minute for all tests

PAGE = ROOT / "book" / "benchmarks.md"
NAMES = results.available_benchmarks()
AGAINST_PEERS = [n for n in NAMES if isinstance(results.benchmark(n), PeerBenchmark)]
REASON = re.compile(
    r"^```\{benchmark-reason\} (\S+)\n((?::\w+: [^\n]*\n)*)\n(.+?)^```$", re.M | re.S
)


@pytest.fixture
def measured() -> AttentionBenchmark:
    return results.benchmark("multi_head.json")


@pytest.fixture
def training() -> TrainingBenchmark:
    return results.benchmark("training_step.json")


def reasons(name: str) -> list[tuple[dict[str, str], str]]:
    """The options and the text of every reason that the page gives for a benchmark."""
    found = REASON.findall(PAGE.read_text(encoding="utf-8"))
    return [
        (dict(re.findall(r":(\w+): (.*)", options)), text)
        for file, options, text in found
        if file == name
    ]


def cells(row: nodes.row) -> list[str]:
    return [entry.astext() for entry in row.children]


def rows_of(table: nodes.table) -> list[nodes.row]:
    return [row for body in table.findall(nodes.tbody) for row in body.children]


def missing(case: BenchmarkCase, **facts) -> BenchmarkCase:
    """The case, twice as slow as every peer."""
    twice = Spread(median=2.0, q1=1.5, q3=2.5)
    return replace(case, ratio=dict.fromkeys(case.ratio, twice), **facts)


def test_a_row_shows_mask_size_time_ratios_verdict_and_memory(measured: AttentionBenchmark):
    (case,) = measured.select(n=64, mask="padded", need_weights=False, backward=False)
    case = replace(
        case,
        seconds={side: Spread(median=0.0321, q1=0.03, q3=0.04) for side in case.seconds},
        ratio={
            "torch": Spread(median=0.5, q1=0.4, q3=0.605),
            "x-transformers": Spread(median=1.25, q1=1.0, q3=1.5),
        },
        peak_bytes={"bottomup": 2**21, "torch": 3 * 2**20, "x-transformers": 5 * 2**30},
    )
    assert cells(tables.row(case)) == [
        "padded", "64", "faster", "0.50 (0.40–0.60)", "1.25 (1.00–1.50)", "32.1", "2 · 3 · 5,120",
    ]  # fmt: skip
    assert len(tables.heads(case)) == len(cells(tables.row(case)))


def of_training(training: TrainingBenchmark, **facts) -> TrainingCase:
    """A training step whose ratios and sizes are known."""
    sizes = {"layers": 2, "d_model": 6, "heads": 3, "batch": 5, "n": 7, "rounds": 11}
    second = Spread(median=1.0, q1=1.0, q3=1.0)  # the first of the peers is the rival
    seconds = dict.fromkeys(("bottomup", *training.peers), second)
    return missing(training.cases[0], **{"seconds": seconds, **sizes, **facts})


def test_a_row_of_a_training_step_shows_the_sizes_of_model_and_batch(training: TrainingBenchmark):
    sides = ("bottomup", *training.peers)
    case = of_training(
        training,
        seconds={side: Spread(median=1.25, q1=1.0, q3=1.5) for side in sides},
        peak_bytes=dict(zip(sides, (2**21, 3 * 2**20, 2**20), strict=True)),
    )
    assert cells(tables.row(case)) == [
        "2 + 2", "6", "5 × 7", "slower", "2.00 (1.50–2.50)", "2.00 (1.50–2.50)", "1,250",
        "2 · 3 · 1",
    ]  # fmt: skip
    assert len(tables.heads(case)) == len(cells(tables.row(case)))


def test_rows_of_training_steps_have_their_layers_apart_and_keep_the_order_of_the_run(
    training: TrainingBenchmark,
):
    order = [(3, 5), (1, 7), (3, 2), (1, 4)]
    cases = [of_training(training, layers=layers, batch=batch) for layers, batch in order]
    shown = [cells(row) for row in rows_of(tables.table("training step", cases))]
    assert [(row[0], row[2]) for row in shown] == [
        ("1 + 1", "7 × 7"),
        ("1 + 1", "4 × 7"),
        ("3 + 3", "5 × 7"),
        ("3 + 3", "2 × 7"),
    ]


def test_a_reason_for_training_steps_names_layers_and_widths(training: TrainingBenchmark):
    sizes = [(1, 6), (1, 12), (5, 6)]
    cases = tuple(of_training(training, layers=k, d_model=d) for k, d in sizes)
    slow = replace(training, cases=cases)
    assert missed.cases(slow, {"layers": "1", "widths": "6 12"}) == [*cases[:2]]
    assert missed.cases(slow, {"widths": "6"}) == [cases[0], cases[2]]
    shown = missed.entry([cases[2]], [nodes.paragraph("", "Why.")])
    assert [part for part in shown.astext().split("\n") if part] == [
        "Training step",
        "5 + 5 layers, width 6, 5 × 7: 2.00 (1.50–2.50) times torch",
        "Why.",
    ]
    with pytest.raises(ValueError, match=r"layers: expected some of 1, 5, got \['2'\]"):
        missed.cases(slow, {"layers": "2"})
    with pytest.raises(ValueError, match="masks: these cases have no such fact"):
        missed.cases(slow, {"masks": "causal"})


def test_the_run_of_training_steps_says_how_often_each_batch_was_timed(
    training: TrainingBenchmark,
):
    cases = (of_training(training), of_training(training, layers=4, rounds=13))
    text = about.sizes(replace(training, cases=cases, vocabulary=1234))
    assert text == (
        "Vocabulary 1,234, float32. At width 6 with 3 heads, 5 × 7 tokens: "
        "11 rounds with 2 + 2 layers, 13 rounds with 4 + 4 layers."
    )


def of_decoding(training: TrainingBenchmark) -> DecodingCase:
    """Decoding that is slower than the library and only twice as fast as without the cache."""
    found = vars(of_training(training)).copy()
    ratio = {
        "re-decoding": Spread(median=0.5, q1=0.4, q3=0.6),
        "x-transformers": Spread(median=1.5, q1=1.25, q3=1.75),
    }
    sides = dict(zip(("bottomup", *ratio), (1.0, 2.0, 0.75), strict=True))
    found["seconds"] = {name: Spread(median=s, q1=s, q3=s) for name, s in sides.items()}
    found["peak_bytes"] = dict(zip(sides, (2**21, 3 * 2**20, 2**20), strict=True))
    return DecodingCase(**{**found, "ratio": ratio})


def test_decoding_has_a_row_of_its_own_and_names_every_side_of_a_missed_aim(
    training: TrainingBenchmark,
):
    case = of_decoding(training)
    assert cells(tables.row(case)) == [
        "2 + 2", "6", "5 × 7", "slower", "0.50 (0.40–0.60)", "1.50 (1.25–1.75)", "1,000",
        "2 · 3 · 1",
    ]  # fmt: skip
    assert tables.kind(case) == "greedy decoding"
    assert missed.line(case) == (
        "2 + 2 layers, width 6, 5 × 7: 1.50 (1.25–1.75) times x-transformers, "
        "0.50 (0.40–0.60) times re-decoding"
    )


def test_the_run_of_decoding_says_how_often_each_case_was_timed(training: TrainingBenchmark):
    case = of_decoding(training)
    run = {**vars(training), "vocabulary": 1234, "cases": (case, replace(case, layers=4, batch=1))}
    measured = DecodingBenchmark(**run)
    assert about.sizes(measured) == (
        "Vocabulary 1,234, float32. 2 + 2 layers, width 6, 3 heads, 5 × 7 tokens: 11 rounds; "
        "4 + 4 layers, width 6, 3 heads, 1 × 7 tokens: 11 rounds."
    )
    assert figure.caption(measured).startswith("Greedy decoding: our time over the other side's.")
    panels, rows = figure.panels(measured)
    assert rows == ["2 + 2 · 6 · 5 × 7", "4 + 4 · 6 · 1 × 7"]
    assert len(panels["7 tokens"]["re-decoding"]) == len(rows)


def test_the_colour_of_a_verdict_follows_the_word(measured: AttentionBenchmark):
    node = tables.verdict(missing(measured.cases[0]))
    assert node.astext() == "slower"
    assert node["classes"] == ["benchmark-verdict", "benchmark-slower"]


def test_times_below_a_tenth_of_a_second_have_a_decimal():
    assert [tables.milliseconds(s) for s in (0.0123, 0.0996, 0.1234, 8.673)] == [
        "12.3",
        "99.6",
        "123",
        "8,673",
    ]


@pytest.mark.parametrize("name", AGAINST_PEERS)
def test_the_tables_show_every_case_once_under_a_caption_of_its_own(name: str):
    measured = results.benchmark(name)
    shown = tables.tables(measured)
    captions = [next(iter(table.findall(nodes.title))).astext() for table in shown]
    kinds = {AttentionBenchmark: 4, TrainingBenchmark: 1, DecodingBenchmark: 1}
    assert len(set(captions)) == len(captions) == kinds[type(measured)]
    rows = [cells(row) for table in shown for row in rows_of(table)]
    assert len(rows) == len(measured.cases)
    place = tables.heads(measured.cases[0]).index("Verdict")
    assert sorted(row[place] for row in rows) == sorted(case.verdict for case in measured.cases)


def test_verdicts_are_counted(measured: AttentionBenchmark):
    faster = Spread(median=0.5, q1=0.5, q3=0.5)
    quick = replace(measured.cases[0], ratio=dict.fromkeys(measured.peers, faster))
    found = [quick, quick, missing(measured.cases[0])]
    assert tables.summary(found) == "Cases: 3. Faster: 2, as fast: 0, slower: 1."


def test_a_reason_stands_under_the_cases_that_fit_its_options(measured: AttentionBenchmark):
    slow = replace(measured, cases=tuple(map(missing, measured.cases)))
    found = missed.cases(slow, {"weights": "yes", "backward": "no", "sizes": "64 2048"})
    assert {(c.need_weights, c.backward) for c in found} == {(True, False)}
    assert sorted((c.n, c.mask) for c in found) == [
        (64, "causal"),
        (64, "padded"),
        (2048, "causal"),
        (2048, "padded"),
    ]
    assert {c.mask for c in missed.cases(slow, {"masks": "padded"})} == {"padded"}
    assert len(missed.cases(slow, {})) == len(slow.cases)


def test_no_case_is_listed_that_meets_the_aim(measured: AttentionBenchmark):
    even = Spread(median=1.0, q1=1.0, q3=1.0)
    cases = tuple(replace(case, ratio=dict.fromkeys(case.ratio, even)) for case in measured.cases)
    assert missed.cases(replace(measured, cases=cases), {}) == []


@pytest.mark.parametrize(
    "options, message",
    [
        ({"weights": "maybe"}, "weights: expected yes or no, got 'maybe'"),
        ({"sizes": "64 65"}, r"sizes: expected some of 64, 512, 2048, got \['65'\]"),
        ({"masks": "diagonal"}, r"masks: expected some of causal, padded, got \['diagonal'\]"),
    ],
)
def test_an_option_that_fits_nothing_is_refused(
    measured: AttentionBenchmark, options, message: str
):
    with pytest.raises(ValueError, match=message):
        missed.cases(measured, options)


def test_missed_cases_are_named_with_their_ratio_to_the_rival(measured: AttentionBenchmark):
    found = measured.select(n=512, need_weights=True, backward=True)
    shown = missed.entry(list(map(missing, found)), [nodes.paragraph("", "Why.")])
    assert [part for part in shown.astext().split("\n") if part] == [
        "Forward and backward pass, with weights",
        "causal, n = 512: 2.00 (1.50–2.50) times torch",
        "padded, n = 512: 2.00 (1.50–2.50) times torch",
        "Why.",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_case_that_misses_the_aim_has_exactly_one_reason(name: str):
    measured = results.benchmark(name)
    explained = [case for options, _ in reasons(name) for case in missed.cases(measured, options)]
    assert sorted(map(repr, explained)) == sorted(map(repr, missed.cases(measured, {})))


@pytest.mark.parametrize("name", NAMES)
def test_no_reason_stands_on_the_page_for_cases_that_meet_the_aim(name: str):
    measured = results.benchmark(name)
    assert [options for options, _ in reasons(name) if not missed.cases(measured, options)] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_run_is_described_with_machine_versions_date_rounds_and_file(name: str):
    measured = results.benchmark(name)
    shown = about.facts("book/benchmarks", name, measured)
    text = shown.astext()
    for part in (
        measured.machine["processor"], measured.date[:10], measured.base_commit[:10],
        *measured.versions.values(), *map(str, measured.sizes), name,
    ):  # fmt: skip
        assert part in text
    (file,) = shown.findall(addnodes.download_reference)
    assert (ROOT / file["reftarget"].lstrip("/")).is_file()


def test_a_run_of_changed_code_says_so(measured: AttentionBenchmark):
    assert "not committed yet" in about.versions(replace(measured, dirty=True))
    assert "not committed yet" not in about.versions(replace(measured, dirty=False))


@pytest.mark.parametrize("name", NAMES)
def test_the_figure_is_the_same_file_each_time_and_lies_where_the_build_finds_it(tmp_path, name):
    app = SimpleNamespace(doctreedir=str(tmp_path / "_build" / "doctrees"))
    env = SimpleNamespace(app=app, srcdir=str(tmp_path))
    drawn = []
    for _ in range(2):
        (image,) = figure.ratios(env, name, results.benchmark(name)).findall(nodes.image)
        drawn.append((tmp_path / image["uri"].lstrip("/")).read_text(encoding="utf-8"))
        assert image["alt"]
    assert drawn[0] == drawn[1]
    assert drawn[0].lstrip().startswith("<?xml")


def test_reasons_of_decoding_tell_the_milliseconds_and_ratios_of_the_run():
    cases = {(c.layers, c.d_model, c.batch): c for c in results.benchmark("decoding.json").cases}
    for options, text in reasons("decoding.json"):
        size = int(options["layers"]), int(options["widths"])
        one, many = cases[*size, 1], cases[*size, 16]
        sides = "bottomup", "re-decoding"
        steps = [f"{1000 * one.seconds[side].median / one.n:.1f}" for side in sides]
        growth = [f"{many.seconds[side].median / one.seconds[side].median:.1f}" for side in sides]
        assert re.findall(r"([\d.]+) ms", text) == steps
        assert re.findall(r"([\d.]+) times as long", text) == growth
