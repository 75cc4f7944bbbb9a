"""The benchmark of multi-head attention at a tiny size, against torch alone."""

import json

import pytest
import torch

from bench.multi_head import Case, difference, facts, main, measure, passes
from bench.report import provenance, table, write
from bench.sides import MASKS, X_TRANSFORMERS
from bottomup.results.speed import OURS, TORCH
from bottomup.results.speed_files import read_benchmark, read_case

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
    facts = ("n", "mask", "need_weights", "backward")
    found = {name: getattr(tiny(**options), name) for name in facts}
    found |= {"rounds": 3, "largest_difference": {}}
    seconds = {OURS: middle, TORCH: 1.0, X_TRANSFORMERS: 2.0}
    found["seconds"] = {name: {"median": s, "q1": s, "q3": s} for name, s in seconds.items()}
    found["ratio"] = {
        TORCH: {"median": middle, "q1": low, "q3": high},
        X_TRANSFORMERS: {"median": middle / 2, "q1": low / 2, "q3": high / 2},
    }
    return found | {"peak_bytes": dict.fromkeys(seconds, 3 * 2**20)}


def test_a_row_of_the_table_reads_as_expected():
    assert table([case_with((0.9, 1.1, 1.2), mask="padded")], header=False) == (
        "| forward | no | padded | 7 | 1100.0 | torch 1.10 (0.90–1.20), "
        "x-transformers 0.55 (0.45–0.60) | bottomup 3, torch 3, x-transformers 3 | as fast |\n"
    )


def test_the_file_holds_machine_versions_commit_date_and_every_case(tmp_path):
    shared = {"batch": BATCH, "d_model": D_MODEL, "heads": HEADS, "minutes": 0.1}
    cases = [case_with((0.9, 1.1, 1.2)), case_with((0.9, 1.1, 1.2), backward=True)]
    path = tmp_path / "results" / "multi_head.json"
    write(path, {**provenance([TORCH]), **shared, "cases": cases})
    assert json.loads(path.read_text(encoding="utf-8"))["cases"] == cases
    result = read_benchmark(path)
    assert set(result.machine) == {"processor", "cores", "system", "load_at_start"}
    assert set(result.versions) == {"python", "torch"}
    assert (result.batch, result.d_model, result.heads) == (BATCH, D_MODEL, HEADS)
    assert list(result.cases) == [read_case(case) for case in cases]
    assert list(path.parent.iterdir()) == [path]


def test_what_a_run_measures_is_a_case_that_the_package_reads():
    case = read_case(measure(tiny(need_weights=True), [TORCH], rounds=3))
    assert (case.n, case.mask, case.need_weights, case.backward) == (N, "causal", True, False)
    assert case.rival == TORCH
    assert case.seconds[OURS].q1 <= case.seconds[OURS].median <= case.seconds[OURS].q3


def test_the_command_prints_the_table_and_writes_where_it_is_told(tmp_path, capsys):
    path = tmp_path / "found.json"
    main(["--sizes", "3", "--rounds", "2", "--peers", TORCH, "--out", str(path)])
    result = read_benchmark(path)
    assert len(result.cases) == 8
    assert capsys.readouterr().out.count("\n| forward") == 8
    assert result.peers == (TORCH,)
    assert {case.rounds for case in result.cases} == {2}
