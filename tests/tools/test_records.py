import json
from pathlib import Path

import pytest

from tools.records import (
    compare,
    find_citations,
    list_metrics,
    load_records,
    look_up,
    main,
    spreads_without_source,
)

RECORD = {
    "experiment": "attention",
    "preset": "recorded",
    "config": {"steps": 60000},
    "seconds": 12.34,
    "runs": [
        {"seed": 0, "metrics": {"accuracy": {"additive": 0.90}, "by_length": [0.5, -0.25]}},
        {"seed": 1, "metrics": {"accuracy": {"additive": 0.92}, "by_length": [0.7, -0.35]}},
    ],
}


@pytest.fixture
def records(tmp_path: Path) -> dict:
    (tmp_path / "attention.json").write_text(json.dumps(RECORD), encoding="utf-8")
    (tmp_path / "lexicon.json").write_text('["not a record"]', encoding="utf-8")
    return load_records(tmp_path)


BENCHMARK = {
    "cases": [{"n": 7, "seconds": {"ours": {"median": 0.5}}}],
    "speed_up": {"forward": {"strided": {"mean": 8.12}}},
}


def quote(number: str, path: str, form: str = ".1f", name: str = "sparse") -> str:
    return f"It was {number}<!-- benchmark: {name} {path} {form} --> here."


def cite(number: str, path: str, form: str = ".2f", record: str = "attention/recorded") -> str:
    return f"It was {number}<!-- record: {record} {path} {form} --> here."


@pytest.mark.parametrize(
    "text",
    [
        cite("0.91", "accuracy.additive.mean"),
        cite("0.014", "accuracy.additive.sd", ".3f"),
        cite("0.91 ± 0.01", "accuracy.additive.mean±sd"),
        cite("−0.30 ± 0.07", "by_length.1.mean±sd"),
        cite("91% ± 1%", "accuracy.additive.mean±sd", ".0%"),
        cite("91%", "accuracy.additive.mean", ".0%"),
        cite("91 %", "accuracy.additive.mean", ".0%"),
        cite("−0.30", "by_length.1.mean"),
        cite("0.7", "by_length.0.max", ".1f"),
        cite("2", "accuracy.additive.n", "d"),
        cite("12.3", "seconds", ".1f"),
        cite("60,000", "config.steps", ",d"),
        "No number at all.",
    ],
)
def test_a_number_that_agrees_passes(records: dict, text: str):
    assert compare(text, records) == []


@pytest.mark.parametrize(
    "text, sentence",
    [
        (cite("0.92", "accuracy.additive.mean"), "is 0.91"),
        (cite("0.9", "accuracy.additive.mean"), "is 0.91"),
        (cite("0.91 ± 0.02", "accuracy.additive.mean±sd"), "is 0.91±0.01"),
        (cite("0.91", "accuracy.additive.mean±sd"), "is 0.91±0.01"),
        (cite("0.91 ± 0.01", "accuracy.additive.mean"), "is 0.91"),
        (cite("0.91", "accuracy.dot.mean"), "no 'dot' on the path"),
        (cite("0.91", "by_length.7.mean"), "no '7' on the path"),
        (cite("0.91", "accuracy.mean"), "accuracy.mean"),
        (cite("0.91", "seconds", record="sparse/recorded"), "there is no record sparse/recorded"),
        ("About <!-- record: attention/recorded seconds .1f -->", "expected NUMBER"),
        ("0.91<!-- record: attention/recorded seconds -->", "expected NUMBER"),
    ],
)
def test_a_number_that_does_not_agree_is_named(records: dict, text: str, sentence: str):
    (problem,) = compare(text, records)
    assert sentence in problem


def test_every_citation_of_a_text_is_found():
    text = cite("0.91", "a.mean") + "\n\n" + cite("3.0e-4", "b.mean", ".1e")
    assert [citation.number for citation in find_citations(text)] == ["0.91", "3.0e-4"]


@pytest.mark.parametrize(
    "text",
    [
        quote("8.1", "speed_up.forward.strided.mean"),
        quote("0.50", "cases.0.seconds.ours.median", ".2f"),
        quote("7", "cases.0.n", "d"),
    ],
)
def test_a_number_of_a_benchmark_that_agrees_passes(text: str):
    assert compare(text, {"benchmark/sparse": BENCHMARK}) == []


@pytest.mark.parametrize(
    "text, sentence",
    [
        (quote("8.2", "speed_up.forward.strided.mean"), "is 8.1"),
        (quote("8.1", "speed_up.backward.strided.mean"), "no 'backward' on the path"),
        (quote("8.1", "speed_up", name="dense"), "there is no record benchmark/dense"),
        (quote("8.1", "speed_up.forward"), "8.1: benchmark/sparse speed_up.forward"),
        ("8.1<!-- benchmark: sparse speed_up -->", "expected NUMBER<!-- benchmark: NAME PATH"),
    ],
)
def test_a_number_of_a_benchmark_that_does_not_agree_is_named(text: str, sentence: str):
    (problem,) = compare(text, {"benchmark/sparse": BENCHMARK})
    assert sentence in problem


def test_committed_benchmarks_can_be_quoted_and_listed(capsys: pytest.CaptureFixture[str]):
    found = load_records()["benchmark/decoding"]
    ratio = found["cases"][0]["ratio"]["re-decoding"]["median"]
    assert look_up(found, "cases.0.ratio.re-decoding.median") == ratio
    assert main(["benchmark/decoding"]) == 0
    assert f"  cases.0.ratio.re-decoding.median: {ratio}\n" in capsys.readouterr().out


def test_what_a_benchmark_offers_stands_beside_what_its_file_holds(tmp_path: Path):
    (tmp_path / "benchmarks").mkdir()
    times = {side: {"median": s, "q1": s, "q3": s} for side, s in (("causal", 2.0), ("fixed", 1.0))}
    case = {"n": 256, "rows": 1, "backward": False, "rounds": 1, "stride": 16, "seconds": times}
    case |= {"largest_difference": {}, "first_call": {}, "left_out": {}}
    case |= {"peak_bytes": dict.fromkeys(times, 2**20), "speed_up": {"fixed": times["causal"]}}
    facts = ("date", "base_commit", "dirty", "machine", "versions", "threads", "clock", "memory")
    run = {"schema": 1, "benchmark": "scaling", "minutes": 1, "d_head": 5, "cases": [case]}
    path = tmp_path / "benchmarks" / "sparse.json"
    path.write_text(json.dumps(run | dict.fromkeys(facts, "")), encoding="utf-8")
    found = load_records(tmp_path)["benchmark/sparse"]
    assert look_up(found, "speed_up.forward.1.256.fixed.median") == 2
    assert look_up(found, "cases.0.stride") == 16


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It is 0.91 ± 0.02 here.", ["0.91 ± 0.02"]),
        ("It is −0.91 ± 0.02, or 1,200 ±3 %.", ["−0.91 ± 0.02", "1,200 ±3 %"]),
        (f"It is {cite('0.91 ± 0.02', 'a.mean±sd')}.", []),
        ("0.91<!-- record: a/b c.mean .2f --> ± 0.02<!-- record: a/b c.sd .2f -->", []),
        ('`0.91 ± 0.02` and "0.91 ± 0.02 over 3 seeds" are examples, ±1.5 is none.', []),
    ],
)
def test_a_spread_without_a_source_is_found(text: str, found: list[str]):
    assert spreads_without_source(text) == found


def test_a_citation_in_code_is_an_example():
    text = "```markdown\n" + cite("0.91", "a.mean") + "\n```\n" + f"`{cite('0.5', 'b.mean')}`"
    assert find_citations(text) == []
    assert len(find_citations(text + "\n" + cite("0.91", "a.mean"))) == 1


def test_a_single_run_has_no_spread():
    record = {"runs": [{"metrics": {"loss": 1.0}}]}
    assert compare(cite("0", "loss.sd"), {"attention/recorded": record})
    assert look_up(record, "loss.mean") == 1.0


def test_two_records_of_one_name_are_refused(tmp_path: Path):
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps(RECORD), encoding="utf-8")
    with pytest.raises(ValueError, match="two records of attention/recorded"):
        load_records(tmp_path)


def test_the_metrics_of_a_record_are_listed_with_mean_and_spread():
    record = {
        "runs": [
            {"seed": 0, "metrics": {"dot": {"bleu": 90.0, "by_length": {"4-7": 1}}}},
            {"seed": 1, "metrics": {"dot": {"bleu": 92.0, "by_length": {"4-7": 1}}}},
        ]
    }
    assert list(list_metrics(record)) == ["dot.bleu: 91 ± 1.414", "dot.by_length.4-7: 1 ± 0"]


def test_an_unknown_record_is_answered_with_the_names(capsys: pytest.CaptureFixture[str]):
    assert main(["nothing/tiny"]) == 1
    assert capsys.readouterr().out.startswith("records:")


def test_a_record_of_the_locked_run_has_a_name_of_its_own() -> None:
    records = load_records()
    again = records["attention/locked-same"]
    assert again["seeds"][0] == 100 and records["attention/recorded"]["seeds"][0] == 0
    text = f"{again['seconds']:.0f}<!-- record: attention/locked-same seconds .0f -->"
    assert compare(text, records) == []
