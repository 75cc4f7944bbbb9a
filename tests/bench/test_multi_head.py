"""The benchmark of multi-head attention at a tiny size, against torch alone."""

import dataclasses
import json

import pytest
import torch

from bench.multi_head import Case, difference, facts, measure, passes
from bench.report import document, provenance, rival, table, verdict, write
from bench.sides import MASKS, OURS, TORCH, X_TRANSFORMERS

BATCH, HEADS, D_MODEL, N = 2, 3, 15, 7
SIDES = {OURS, TORCH}


def tiny(**options) -> Case:
    chosen = {"mask": "causal", "need_weights": False, "backward": False} | options
    return Case(n=N, batch=BATCH, d_model=D_MODEL, heads=HEADS, **chosen)


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("mask", MASKS)
def test_the_sides_compute_the_same(mask, need_weights, backward):
    case = tiny(mask=mask, need_weights=need_weights, backward=backward)
    result = measure(case, [TORCH], rounds=2)
    compared = {"output"} | ({"weights"} if need_weights else set())
    compared |= {"gradient"} if backward else set()
    assert set(result["largest_difference"][TORCH]) == compared
    assert max(result["largest_difference"][TORCH].values()) < 1e-5
    assert result["rounds"] == 2
    assert set(result["seconds"]) == set(result["peak_bytes"]) == SIDES
    assert set(result["ratio"]) == {TORCH}
    assert set(result["ratio"][TORCH]) == {"median", "q1", "q3"}
    assert min(result["peak_bytes"].values()) >= BATCH * N * D_MODEL * 4  # the output alone


def test_a_padded_position_is_read_by_nobody():
    runs = passes(tiny(mask="padded"), [TORCH])
    before = facts(runs[OURS])[1]["output"]
    with torch.no_grad():
        runs[OURS].x[0, N // 2] += 1  # the first sequence has n // 2 real positions
    after = facts(runs[OURS])[1]["output"]
    changed = (before != after).any(-1)
    assert changed.tolist() == [[position == N // 2 for position in range(N)], [False] * N]


def test_a_peer_that_computes_something_else_is_refused():
    runs = passes(tiny(need_weights=True), [TORCH])
    with torch.no_grad():
        runs[TORCH].module.out_proj.weight.mul_(1.001)
    got, want = facts(runs[TORCH])[1], facts(runs[OURS])[1]
    with pytest.raises(RuntimeError, match="torch does not compute what we compute"):
        difference(TORCH, got, want)


def case_with(ratio: tuple[float, float, float], **options) -> dict:
    """A case of the JSON in which torch is the fastest peer."""
    low, middle, high = ratio
    found = {**dataclasses.asdict(tiny(**options)), "rounds": 3, "largest_difference": {}}
    seconds = {OURS: middle, TORCH: 1.0, X_TRANSFORMERS: 2.0}
    found["seconds"] = {name: {"median": s, "q1": s, "q3": s} for name, s in seconds.items()}
    found["ratio"] = {
        TORCH: {"median": middle, "q1": low, "q3": high},
        X_TRANSFORMERS: {"median": middle / 2, "q1": low / 2, "q3": high / 2},
    }
    return found | {"peak_bytes": dict.fromkeys(seconds, 3 * 2**20)}


@pytest.mark.parametrize(
    "ratio, wanted",
    [((0.7, 0.8, 0.9), "faster"), ((0.9, 1.1, 1.2), "as fast"), ((1.01, 1.1, 1.2), "slower")],
)
def test_the_verdict_looks_at_the_quartiles_against_the_fastest_peer(ratio, wanted):
    assert verdict(case_with(ratio)) == wanted


def test_the_rival_is_the_fastest_peer_and_with_weights_torch():
    case = case_with((1.0, 1.0, 1.0))
    case["seconds"][X_TRANSFORMERS]["median"] = 0.5
    assert rival(case) == X_TRANSFORMERS
    assert rival(case | {"need_weights": True}) == TORCH


def test_a_row_of_the_table_reads_as_expected():
    assert table([case_with((0.9, 1.1, 1.2), mask="padded")], header=False) == (
        "| forward | no | padded | 7 | 1100.0 | torch 1.10 (0.90–1.20), "
        "x-transformers 0.55 (0.45–0.60) | bottomup 3, torch 3, x-transformers 3 | as fast |\n"
    )


def test_the_files_hold_machine_versions_commit_date_and_every_case(tmp_path):
    shared = {"batch": BATCH, "d_model": D_MODEL, "heads": HEADS, "minutes": 0.1}
    cases = [case_with((0.9, 1.1, 1.2)), case_with((0.9, 1.1, 1.2), backward=True)]
    path = tmp_path / "results" / "multi_head.json"
    write(path, {**provenance([TORCH]), **shared, "cases": cases})
    result = json.loads(path.read_text(encoding="utf-8"))
    assert set(result) == {
        *("schema", "date", "base_commit", "dirty", "machine", "versions", "threads"),
        *("clock", "memory", *shared, "cases"),
    }
    assert set(result["machine"]) == {"processor", "cores", "system", "load_at_start"}
    assert set(result["versions"]) == {"python", "torch"}
    assert result["cases"] == cases
    assert path.with_suffix(".md").read_text(encoding="utf-8") == document(result)
