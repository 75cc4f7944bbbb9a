import json
from dataclasses import fields, replace

import pytest

from bottomup import results
from bottomup.results import (
    AttentionBenchmark,
    AttentionCase,
    DecodingBenchmark,
    DecodingCase,
    PeerBenchmark,
    Speed,
    Spread,
    TrainingBenchmark,
    TrainingCase,
)
from bottomup.results.speed import OURS, RE_DECODING, TORCH
from bottomup.results.speed_files import read_benchmark, read_case
from tools.notebooks.paths import ROOT

FOLDER = ROOT / "src" / "bottomup" / "results" / "benchmarks"
NAMES = results.available_benchmarks()
AGAINST_PEERS = [n for n in NAMES if isinstance(results.benchmark(n), PeerBenchmark)]
OTHER = "x-transformers"


def spread(middle: float, low: float | None = None, high: float | None = None) -> Spread:
    return Spread(
        median=middle,
        q1=middle if low is None else low,
        q3=middle if high is None else high,
    )


def case(to_torch: Spread, to_other: Spread, **facts) -> AttentionCase:
    """A case in which torch takes one second."""
    ours = to_torch.median
    found = AttentionCase(
        n=7,
        mask="causal",
        need_weights=False,
        backward=False,
        rounds=5,
        largest_difference={},
        seconds={OURS: spread(ours), TORCH: spread(1.0), OTHER: spread(ours / to_other.median)},
        ratio={TORCH: to_torch, OTHER: to_other},
        peak_bytes={OURS: 1, TORCH: 2, OTHER: 3},
    )
    return replace(found, **facts)


def trained(layers: int, batch: int, n: int, to_torch: Spread, to_other: Spread) -> TrainingCase:
    """A training step in which torch takes one second."""
    found = vars(case(to_torch, to_other, n=n)).copy()
    for fact in ("mask", "need_weights", "backward"):
        del found[fact]
    sizes = {"layers": layers, "d_model": 6, "heads": 3, "batch": batch, "parameters": {OURS: 13}}
    return TrainingCase(**found, **sizes)


def test_without_weights_the_rival_is_the_fastest_peer():
    assert case(spread(0.8), spread(0.4)).rival == TORCH
    assert case(spread(0.8), spread(1.6)).rival == OTHER


def test_with_weights_the_rival_is_torch_where_it_took_part():
    found = case(spread(0.8), spread(1.6), need_weights=True)
    assert found.rival == TORCH
    assert replace(found, ratio={OTHER: spread(1.6)}).rival == OTHER


def test_in_training_the_rival_is_the_fastest_peer():
    assert trained(1, 5, 7, spread(0.8), spread(1.6)).rival == OTHER
    assert trained(1, 5, 7, spread(0.8), spread(0.4)).rival == TORCH


@pytest.mark.parametrize(
    "low, high, verdict",
    [
        (0.7, 0.99, Speed.FASTER),
        (0.7, 1.0, Speed.AS_FAST),
        (1.0, 1.2, Speed.AS_FAST),
        (1.01, 1.2, Speed.SLOWER),
    ],
)
def test_a_verdict_needs_the_quartile_on_one_side_of_1(low: float, high: float, verdict: Speed):
    to_torch = spread((low + high) / 2, low, high)
    assert case(to_torch, spread(0.1)).verdict is verdict


def test_the_verdict_is_against_the_rival_and_not_against_the_other():
    slower, faster = spread(1.5), spread(0.5)
    assert case(slower, faster).verdict is Speed.SLOWER  # torch is the faster of the two
    assert case(faster, slower).verdict is Speed.SLOWER  # the other one is
    assert case(faster, slower, need_weights=True).verdict is Speed.FASTER


@pytest.mark.parametrize("name", NAMES)
def test_a_committed_benchmark_is_whole_and_made_from_committed_code(name: str):
    measured = results.benchmark(name)
    assert measured.dirty is False
    assert len(measured.base_commit) == 40
    assert measured.threads == 1
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=1) + "\n"


@pytest.mark.parametrize("name", AGAINST_PEERS)
def test_the_sides_of_a_committed_benchmark_computed_the_same(name: str):
    measured = results.benchmark(name)
    assert set(measured.versions) == {"python", TORCH, *measured.peers} - {RE_DECODING}
    for found in measured.cases:
        differences = [d for peer in found.largest_difference.values() for d in peer.values()]
        assert len(differences) >= len(found.ratio)
        assert max(differences) < 1e-4
        assert set(found.seconds) == set(found.peak_bytes) == {OURS, *found.ratio}
        for values in (*found.seconds.values(), *found.ratio.values()):
            assert 0 < values.q1 <= values.median <= values.q3


def test_the_benchmark_of_multi_head_attention_is_there_against_both_peers():
    measured = results.benchmark("multi_head.json")
    assert isinstance(measured, AttentionBenchmark)
    assert measured.peers == (TORCH, OTHER)
    assert measured.sizes == (64, 512, 2048)
    kinds = {(c.n, c.mask, c.need_weights, c.backward) for c in measured.cases}
    assert len(kinds) == len(measured.cases) == 8 * len(measured.sizes)


def test_the_benchmark_of_a_training_step_is_there_against_both_peers():
    measured = results.benchmark("training_step.json")
    assert isinstance(measured, TrainingBenchmark)
    assert measured.peers == (TORCH, OTHER)
    assert measured.batches == ((512, 8, 64), (512, 2, 512), (128, 32, 64))
    kinds = [(c.layers, (c.d_model, c.batch, c.n)) for c in measured.cases]
    assert sorted(kinds) == sorted((k, batch) for k in (1, 6) for batch in measured.batches)


def test_panels_of_a_training_step_hold_one_row_for_each_batch():
    ratios = {(1, 5): 0.5, (1, 3): 2.0, (6, 5): 1.5, (6, 3): 3.0}
    cases = tuple(
        trained(layers, batch, 7, spread(ratio, ratio - 0.25, ratio + 1), spread(1.0))
        for (layers, batch), ratio in ratios.items()
    )
    measured = replace(results.benchmark("training_step.json"), cases=cases)
    assert measured.batches == ((6, 5, 7), (6, 3, 7))
    panels = measured.ratio_panels()
    assert list(panels) == ["1 + 1 layers", "6 + 6 layers"]
    assert panels["1 + 1 layers"][TORCH] == [(0.25, 0.5, 1.5), (1.75, 2.0, 3.0)]
    assert panels["6 + 6 layers"] == {
        TORCH: [(1.25, 1.5, 2.5), (2.75, 3.0, 4.0)],
        OTHER: [(1.0, 1.0, 1.0)] * 2,
    }


def decoded(to_ours_without: Spread, to_other: Spread, **facts) -> DecodingCase:
    """Decoding in which our model without a cache takes one second."""
    found = vars(trained(2, 5, 7, to_ours_without, to_other)) | facts
    for name in ("seconds", "ratio"):
        found[name] = {RE_DECODING if k == TORCH else k: v for k, v in found[name].items()}
    return DecodingCase(**found)


def test_decoding_misses_the_aim_where_the_cache_is_worth_less_than_four_times():
    quick, slow = spread(0.9), spread(1.1)
    assert decoded(spread(0.25), quick).missed == ()
    assert decoded(spread(0.26, 0.24, 0.28), quick).missed == ()  # not in three of four rounds
    assert decoded(spread(0.27, 0.26, 0.28), quick).missed == (RE_DECODING,)
    assert decoded(spread(0.25), slow).missed == (OTHER,)
    assert decoded(spread(0.3), slow).missed == (OTHER, RE_DECODING)
    assert decoded(spread(1.2), spread(0.5)).missed == (RE_DECODING,)  # named once
    assert [decoded(spread(0.3), ratio).verdict for ratio in (quick, slow)] == [
        Speed.FASTER,
        Speed.SLOWER,
    ]


def test_other_cases_miss_the_aim_where_they_are_slower_than_the_rival():
    assert case(spread(0.8), spread(0.5)).missed == ()
    assert case(spread(1.5), spread(0.5)).missed == (TORCH,)


def test_the_panel_of_decoding_holds_every_case_in_the_order_of_the_run():
    cases = tuple(decoded(spread(r, r - 0.1, r + 0.1), spread(2 * r)) for r in (0.5, 0.25))
    about = {f.name: None for f in fields(DecodingBenchmark)}
    measured = DecodingBenchmark(**{**about, "cases": cases})
    assert measured.peers == (RE_DECODING, OTHER)
    assert measured.ratio_panels() == {
        "7 tokens": {
            RE_DECODING: [(0.4, 0.5, 0.6), (0.15, 0.25, 0.35)],
            OTHER: [(1.0, 1.0, 1.0), (0.5, 0.5, 0.5)],
        }
    }


def test_cases_are_selected_by_their_facts():
    measured = results.benchmark("multi_head.json")
    found = measured.select(mask="padded", need_weights=True, n=512)
    assert [c.backward for c in found] == [False, True]
    assert {(c.mask, c.need_weights, c.n) for c in found} == {("padded", True, 512)}
    assert measured.select(n=63) == []


@pytest.mark.parametrize("backward", [False, True])
def test_panels_hold_the_ratios_of_every_mask_peer_and_size(backward: bool):
    measured = results.benchmark("multi_head.json")
    panels = measured.ratio_panels(backward=backward)
    assert list(panels) == [
        "causal mask, without weights",
        "padded mask, without weights",
        "causal mask, with weights",
        "padded mask, with weights",
    ]
    (case,) = measured.select(mask="padded", need_weights=True, backward=backward, n=512)
    ratio = case.ratio[OTHER]
    assert panels["padded mask, with weights"][OTHER][1] == (ratio.q1, ratio.median, ratio.q3)
    assert {len(rows) for series in panels.values() for rows in series.values()} == {3}


def test_a_benchmark_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(ValueError, match=r"multi_head.json.*got 'nothing.json'"):
        results.benchmark("nothing.json")


def test_a_benchmark_of_another_schema_is_refused(tmp_path):
    path = tmp_path / "old.json"
    path.write_text('{"schema": 0, "cases": []}', encoding="utf-8")
    with pytest.raises(ValueError, match="old.json: expected a benchmark of schema 1"):
        read_benchmark(path)


def test_a_benchmark_of_an_unknown_kind_is_refused(tmp_path):
    path = tmp_path / "new.json"
    path.write_text('{"schema": 1, "benchmark": "sorting", "cases": []}', encoding="utf-8")
    with pytest.raises(ValueError, match="benchmark: .*'decoding', 'scaling', got 'sorting'"):
        read_benchmark(path)


def test_a_field_that_is_missing_or_unknown_is_named():
    content = json.loads((FOLDER / "multi_head.json").read_text(encoding="utf-8"))["cases"][0]
    with pytest.raises(ValueError, match=r"AttentionCase: .*: speed"):
        read_case({**content, "speed": 1})
    del content["ratio"]["torch"]["q1"]
    with pytest.raises(ValueError, match=r"Spread: .*: q1"):
        read_case(content)
