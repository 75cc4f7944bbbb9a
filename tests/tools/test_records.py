import json
from pathlib import Path

import pytest

from tools.records import (
    compare,
    find_citations,
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


def test_committed_benchmarks_can_be_quoted_and_listed(capsys: pytest.CaptureFixture[str]):
    found = load_records()["benchmark/decoding"]
    ratio = found["cases"][0]["ratio"]["re-decoding"]["median"]
    assert look_up(found, "cases.0.ratio.re-decoding.median") == ratio
    assert main(["benchmark/decoding"]) == 0
    assert f"  cases.0.ratio.re-decoding.median: {ratio}\n" in capsys.readouterr().out


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


def test_an_unknown_record_is_answered_with_the_names(capsys: pytest.CaptureFixture[str]):
    assert main(["nothing/tiny"]) == 1
    assert capsys.readouterr().out.startswith("records:")


def test_a_record_of_the_locked_run_has_a_name_of_its_own() -> None:
    records = load_records()
    again = records["attention/locked-same"]
    assert again["seeds"][0] == 100 and records["attention/recorded"]["seeds"][0] == 0
    text = f"{again['seconds']:.0f}<!-- record: attention/locked-same seconds .0f -->"
    assert compare(text, records) == []
