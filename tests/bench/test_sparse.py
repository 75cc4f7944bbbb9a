"""The benchmark of sparse attention at a tiny size: what runs, is compared, and is written."""

import pytest
import torch
from torch.nn.attention.flex_attention import create_block_mask

from bench import sparse, sparse_sides
from bench.report import scaling_table
from bench.sparse import CASES, Case, Pass, compare, difference, main, measure
from bench.sparse_sides import (
    OTHERS,
    SparseSide,
    allowed,
    causal,
    dense,
    flex,
    mask_of,
    oracle,
    ours,
    rules,
    sides,
    tile_mask,
)
from bottomup.attention import fixed_masks, scaled_dot_product_attention, strided_masks
from bottomup.results.speed_files import read_benchmark, read_case
from bottomup.results.speed_scaling import (
    CAUSAL,
    FIXED,
    FLEX,
    FULL,
    MASKED,
    NAIVE,
    SPARSE,
    STRIDED,
    ScalingCase,
)
from tests.drawn import seeded

TINY = Case(n=37, rows=3, backward=True, rounds=2)
DENSE = (FULL, MASKED, NAIVE)


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have rows of width 5, and masks made in several steps."""
    monkeypatch.setattr(sparse, "D_HEAD", 5)
    monkeypatch.setattr(sparse_sides, "QUERIES_AT_ONCE", 11)


def test_the_rules_are_the_masks_of_the_package():
    window, column = strided_masks(37, 6)
    own, summaries = fixed_masks(37, 6)
    wanted = {STRIDED: window | column, FIXED: own | summaries}
    wanted |= {"window": window, "column": column, "block": own}
    assert list(wanted) == list(SPARSE)
    for name, rule in rules(6).items():
        assert torch.equal(mask_of(rule, 37), wanted[name])
    assert torch.equal(allowed(rules(6)["window"], range(7, 9), 37), window[7:9])
    assert torch.equal(mask_of(causal().rule, 37), torch.ones(37, 37, dtype=torch.bool).tril())


def test_the_oracle_is_dense_attention_under_the_mask():
    inputs = torch.randn(3, 1, 2, 37, 5, generator=seeded(5), dtype=torch.float64)
    for rule in rules(6).values():
        wanted, _ = scaled_dot_product_attention(*inputs, mask_of(rule, 37))
        torch.testing.assert_close(oracle(rule, *inputs), wanted, rtol=0, atol=1e-12)


def test_every_side_computes_what_its_rule_says():
    work = Pass(TINY)
    made = sides(dict.fromkeys(DENSE, ""), TINY.size, work.inputs)
    assert list(made.found) == [*SPARSE, CAUSAL, *DENSE]
    differences, peaks = compare(made.found, work)
    for found in differences.values():
        assert set(found) == {"output", "gradient"}
        assert max(found.values()) < 1e-5
    assert min(peaks.values()) > 0
    assert peaks[NAIVE] > 2 * 3 * 37 * 37 * 4  # two matrices of scores for each row, at least


def test_a_side_that_breaks_its_rule_is_refused():
    work = Pass(TINY)
    leaky = {"leaky": SparseSide(ours(6)[STRIDED].attend, rules(6)["window"])}
    with pytest.raises(RuntimeError, match="leaky does not compute what its mask says"):
        compare(leaky, work)


def test_a_gradient_alone_is_enough_to_be_refused_and_other_rows_do_not_count():
    work = Pass(TINY)
    want = work.expected(rules(6)[STRIDED])
    got = [tensor.clone() for tensor in work.run(ours(6)[STRIDED])]
    for tensor in got:
        tensor[:, 1:] += 1  # rows that the oracle leaves to chance
    assert max(difference("side", got, want).values()) < 1e-5
    got[2] *= 1.001
    with pytest.raises(RuntimeError, match="'gradient'"):
        difference("side", got, want)


def test_a_forward_pass_has_no_gradients():
    work = Pass(Case(n=37, rows=1, backward=False, rounds=1))
    (output,) = work.run(causal())
    assert output.shape == (1, 1, 37, 5)
    assert not output.requires_grad
    assert set(difference("side", [output], work.expected(causal().rule))) == {"output"}


def test_the_dense_sides_are_under_the_strided_mask_but_for_the_full_one():
    inputs = torch.randn(3, 1, 1, 37, 5, generator=seeded(3))
    masked, naive, full = (dense(name, 6, 37).attend(*inputs) for name in (MASKED, NAIVE, FULL))
    torch.testing.assert_close(naive, masked, rtol=0, atol=1e-5)
    torch.testing.assert_close(full, scaled_dot_product_attention(*inputs)[0], rtol=0, atol=1e-5)
    assert (full - masked).abs().max() > 0.1


@pytest.mark.parametrize("name", [STRIDED, FIXED, "window"])
def test_tiles_are_those_of_create_block_mask(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sparse_sides, "QUERIES_AT_ONCE", 256)
    rule = rules(16)[name]
    mine, theirs = tile_mask(rule, 512), create_block_mask(rule, None, None, 512, 512, device="cpu")
    assert mine.seq_lengths == theirs.seq_lengths
    for part in ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices"):
        assert torch.equal(getattr(mine, part), getattr(theirs, part))


def test_what_refuses_to_run_is_left_out_in_its_own_words(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_):
        raise NotImplementedError("no compiler\nsecond line")

    monkeypatch.setattr(sparse_sides, "flex", refuse)
    made = sides({FLEX[0]: "", FLEX[1]: "not now"}, 6, Pass(TINY).inputs)
    assert made.left_out == {FLEX[0]: "NotImplementedError: no compiler", FLEX[1]: "not now"}
    assert list(made.found) == [*SPARSE, CAUSAL]
    assert made.first_call == {}


def test_a_long_reason_is_cut():
    assert sparse_sides.in_short(RuntimeError("x" * 999)) == f"RuntimeError: {'x' * 145}…"


@pytest.mark.slow
def test_flex_attention_is_asked_for_gradients_before_anything_is_compiled():
    few = torch.zeros(1, 1, 256, 5, requires_grad=True)
    with pytest.raises(RuntimeError, match="backward"):
        flex(FLEX[0], 16, (few, few, few))


def test_what_a_case_leaves_out_has_a_reason():
    one, several = (Case(n=4096, rows=rows, backward=False, rounds=1) for rows in (1, 16))
    assert [one.left_out(side) for side in OTHERS] == [""] * 5
    assert several.left_out(MASKED) == "on several rows up to n = 1024 only"
    assert several.left_out(FLEX[0]) == "only on one row"
    assert Case(n=64, rows=1, backward=False, rounds=1).left_out(FLEX[1]) == "from n = 256 on"


def test_a_short_run_is_timed_at_the_second_of_two(monkeypatch: pytest.MonkeyPatch):
    for first, second, wanted in ((0.02, 0.01, 0.01), (0.3, 0.2, 0.3)):
        seconds = iter((first, second))
        monkeypatch.setattr(sparse, "seconds_of", lambda run, left=seconds: next(left))
        assert sparse.settled(lambda: None) == wanted


def test_what_a_run_measures_is_a_case_that_the_package_reads():
    case = read_case(measure(TINY, [FULL, *FLEX]), ScalingCase)
    assert (case.n, case.rows, case.backward, case.rounds, case.stride) == (37, 3, True, 2, 6)
    assert set(case.seconds) == {*SPARSE, CAUSAL, FULL}
    assert set(case.speed_up) == {*SPARSE, FULL}
    assert case.left_out == dict.fromkeys(FLEX, "only on one row")
    quick = case.seconds[CAUSAL].median / case.seconds[FULL].median
    assert 0 < case.speed_up[FULL].q1 <= quick * 2


def test_a_row_of_the_table_reads_as_expected():
    content = {
        **{"n": 37, "rows": 3, "backward": True, "rounds": 2, "stride": 6},
        "largest_difference": {},
        "seconds": {s: {"median": 0.0012, "q1": 0.001, "q3": 0.002} for s in (STRIDED, CAUSAL)},
        "speed_up": {STRIDED: {"median": 1.5, "q1": 1.25, "q3": 2.0}},
        "peak_bytes": {STRIDED: 3 * 2**20, CAUSAL: 2**19},
        "first_call": {},
        "left_out": {NAIVE: "too large"},
    }
    assert scaling_table([content], header=False) == (
        "| forward + backward | 37 x 3 | 2 | strided | 1.20 | 1.50 (1.25–2.00) | 3.0 |\n"
        "| forward + backward | 37 x 3 | 2 | causal | 1.20 |  | 0.5 |\n"
        "| forward + backward | 37 x 3 | 2 | naive |  | too large |  |\n"
    )


def test_the_cases_have_names_of_their_own_and_reach_what_the_aims_name():
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
    assert {"16384:forward", "4096:backward", "16384x16:forward", "4096x16:backward"} <= set(names)
    assert [case.size for case in CASES[:5]] == [8, 16, 32, 64, 128]


def test_the_command_prints_the_table_and_writes_where_it_is_told(
    tmp_path, capsys, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sparse, "CASES", (TINY,))
    path = tmp_path / "found.json"
    main(["--rounds", "3", "--peers", MASKED, "--out", str(path)])
    result = read_benchmark(path)
    assert (result.d_head, result.sizes, result.passes) == (5, (37,), ((True, 3),))
    assert result.sides == (*SPARSE, CAUSAL, MASKED)
    assert set(result.versions) == {"python", "torch"}
    assert [case.rounds for case in result.cases] == [3]
    out = capsys.readouterr().out
    assert out.count("\n| forward + backward |") == len(result.sides)
    assert out.endswith("Quartiles in brackets.\n")
