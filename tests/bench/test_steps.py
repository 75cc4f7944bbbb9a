"""The two helpers that look for a reason: operators side by side, and ways to compute scores."""

import pytest
import torch

from bench import operators, scores
from bench.multi_head import Case
from bench.operators import medians, table
from bottomup.results.speed import OURS, TORCH
from tests.drawn import global_seed

N = 5


def test_medians_are_taken_over_rounds_and_an_operator_that_did_not_run_took_no_time():
    rounds = [{"mm": 3.0, "add": 1.0}, {"mm": 1.0}, {"mm": 2.0}]
    assert medians(rounds) == {"mm": 2.0, "add": 0.0}


def test_the_table_shows_what_takes_time_on_a_side_and_the_sum_of_everything():
    lines = table({"ours": {"mm": 8.0, "view": 0.001}, "theirs": {"mm": 2.0, "copy": 6.0}})
    words = [line.split() for line in lines.splitlines()]
    assert words[1:] == [
        ["mm", "8.00", "2.00"],
        ["copy", "0.00", "6.00"],
        ["all", "operators", "8.00", "8.00"],
    ]


def test_every_side_is_profiled_by_operator():
    case = Case(n=N, mask="causal", need_weights=True, backward=False, d_model=6, heads=2, batch=3)
    found = operators.measure(case, [TORCH], rounds=2)
    assert list(found) == [OURS, TORCH]
    assert all(side["aten::_softmax"] > 0 for side in found.values())


@pytest.mark.parametrize("name", list(scores.ways(N)))
def test_all_ways_compute_the_same_scores(name: str):
    with global_seed(7):
        found = scores.ways(N)
    want = found["bottomup"]()
    got = found[name]().reshape(want.shape)
    torch.testing.assert_close(got, want)
    assert torch.isinf(want).sum() == scores.BATCH * scores.HEADS * N * (N - 1) // 2


def test_both_commands_print_a_row_for_each_way_and_operator(capsys):
    with torch.random.fork_rng(devices=[]):
        scores.main(["--n", str(N), "--rounds", "2"])
    assert len(capsys.readouterr().out.splitlines()) == len(scores.ways(N))
    operators.main(["--n", str(N), "--rounds", "1", "--peers", TORCH])
    assert "all operators" in capsys.readouterr().out
