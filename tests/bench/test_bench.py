"""The benchmarks at tiny sizes: the arithmetic, and that sides agree. No test asserts a speed."""

import gc
from dataclasses import replace

import pytest
import torch

from bench import __main__ as command
from bench import decoding, multi_head, sparse, training_step
from bench.measure import (
    Side,
    differences,
    interleave,
    measure,
    peak_bytes,
    ratios,
    settled,
    spread,
)
from bottomup.attention import fixed_masks, strided_masks
from bottomup.results.speed import CAUSAL, OURS, RE_DECODING, read_benchmark, read_case

MODEL = {"layers": 2, "d_model": 6, "heads": 3, "batch": 5, "n": 7}
ATTENTION = {"n": 7, "batch": 2, "mask": "padded", "need_weights": True, "backward": True}
TINY = {
    "multi_head": [ATTENTION, ATTENTION | {"mask": "causal", "need_weights": False}],
    "training_step": [MODEL],
    "decoding": [MODEL, MODEL | {"batch": 1}],
    "sparse": [
        {"n": 37, "rows": 3, "backward": True},
        {"n": 37, "rows": 1, "backward": False},
    ],
}


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have torch as the only peer, few tokens, narrow rows, and masks made in several steps."""
    for module in (multi_head, training_step, decoding):
        monkeypatch.setattr(module, "HAS_PEER", False)  # it warns when it is imported
    for module in (training_step, decoding):
        monkeypatch.setattr(module, "VOCABULARY", 31)
    monkeypatch.setattr(multi_head, "D_MODEL", 16)
    monkeypatch.setattr(sparse, "D_HEAD", 5)
    monkeypatch.setattr(sparse, "QUERIES", 11)


# ---- The arithmetic


def test_a_ratio_is_taken_within_its_round():
    assert ratios([1.0, 3.0, 10.0], [2.0, 3.0, 4.0]) == [0.5, 1.0, 2.5]
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        ratios([1.0, 2.0], [1.0])


def test_spread_is_the_median_and_the_quartiles_to_four_digits():
    assert spread([5.0, 1.0, 4.0, 2.0, 3.0]) == {"median": 3.0, "q1": 2.0, "q3": 4.0}
    assert spread([1.0, 2.0]) == {"median": 1.5, "q1": 1.25, "q3": 1.75}
    assert spread([0.123456]) == {"median": 0.1235, "q1": 0.1235, "q3": 0.1235}


def test_every_side_runs_once_a_round_in_changing_order_and_the_first_round_is_dropped():
    ran: list[str] = []
    sides = {name: (lambda name=name: ran.append(name)) for name in ("ours", "torch", "other")}

    def count(run):
        assert not gc.isenabled()
        run()
        return float(len(ran))

    seconds = interleave(sides, 7, timer=count)
    rounds = [tuple(ran[start : start + 3]) for start in range(0, len(ran), 3)]
    assert len(rounds) == 8 and len(set(rounds)) > 1
    assert all(sorted(names) == ["other", "ours", "torch"] for names in rounds)
    assert {len(values) for values in seconds.values()} == {7}
    assert min(map(min, seconds.values())) == 4
    with pytest.raises(ZeroDivisionError):
        interleave({"side": lambda: 1 / 0}, 1)
    assert gc.isenabled()


def test_a_short_run_is_timed_at_the_second_of_two(monkeypatch: pytest.MonkeyPatch):
    for first, second, wanted in ((0.02, 0.01, 0.01), (0.3, 0.2, 0.3)):
        seconds = iter((first, second))
        monkeypatch.setattr("bench.measure.seconds_of", lambda run, left=seconds: next(left))
        assert settled(lambda: None) == wanted


def test_the_peak_counts_what_is_held_at_one_moment_and_not_what_was_there_before():
    x = torch.ones(1000)

    def chain():
        first = x + 1
        second = first * 2
        del first
        third = second.repeat(2)  # beside `second`
        del second
        return third

    assert 3000 * 4 <= peak_bytes(chain) < 3100 * 4  # `repeat` keeps a few bytes of its own
    assert peak_bytes(lambda: x.view(10, 100)) == 0


def test_a_side_that_computes_something_else_is_refused():
    def side(*numbers: float, expected: list[float] | None = None) -> Side:
        right = None if expected is None else lambda: {"y": torch.tensor(expected)}
        return Side(lambda: None, lambda: {"y": torch.tensor(numbers)}, right)

    found = differences({"ours": side(2.0, -4.0), "other": side(2.0, -4.1)}, 0.1)
    assert found == {"other": 0.025}  # of the largest number, not of each
    wanted = differences({"ours": side(1.0, expected=[1.0]), "other": side(3.0, expected=[3.0])}, 0)
    assert wanted == {"ours": 0, "other": 0}
    for wrong in (side(2.0, -4.5), side(2.0, -4.0, 0.0), side(2.0, float("nan"))):
        with pytest.raises(RuntimeError, match="other computes something else"):
            differences({"ours": side(2.0, -4.0), "other": wrong}, 0.1)


# ---- The sides


@pytest.mark.parametrize(
    ("part", "facts"), [(part, facts) for part, every in TINY.items() for facts in every]
)
def test_the_sides_agree_and_the_package_reads_what_is_measured(part: str, facts: dict):
    case = read_case(measure(command.PARTS[part], 2, facts))
    assert {name: getattr(case, name) for name in facts} == facts
    first = CAUSAL if part == "sparse" else OURS
    assert next(iter(case.seconds)) == first
    assert set(case.seconds) == set(case.peak_bytes) == {first, *case.ratio}
    assert set(case.ratio) >= ({RE_DECODING} if part == "decoding" else set())
    assert len(case.difference) >= 1
    assert min(case.peak_bytes.values()) > 0


@pytest.mark.parametrize(
    ("part", "facts", "weight"),
    [
        ("multi_head", ATTENTION, "out_proj.weight"),
        ("training_step", MODEL, "layers.encoder.layers.1.linear1.weight"),
    ],
)
def test_a_peer_with_other_weights_is_refused(part: str, facts: dict, weight: str, monkeypatch):
    module = command.PARTS[part]
    made = {"multi_head": multi_head, "training_step": training_step}[part]
    original = made.to_torch

    def changed(like):
        peer = original(like)
        with torch.no_grad():
            peer.get_parameter(weight.removeprefix("layers.")).mul_(1.01)
        return peer

    monkeypatch.setattr(made, "to_torch", changed)
    with pytest.raises(RuntimeError, match="torch computes something else"):
        measure(module, 1, facts)


def test_the_loss_is_over_the_real_targets():
    batch = training_step.padded_batch(5, 7)
    assert batch.target_mask.sum(dim=1).tolist() == [7, 6, 5, 4, 3]
    logits = torch.randn(5, 7, 31, generator=torch.Generator().manual_seed(1)).double()
    loss = training_step.loss_over(batch)
    before = loss(logits)
    logits[~batch.target_mask] = 1e3
    assert loss(logits) == before


def test_a_step_learns_and_leaves_no_gradient():
    side = training_step.sides(torch.float32, **MODEL)[OURS]
    first = float(side.computed()["loss"])
    for _ in range(30):
        side.run()
    assert float(side.computed()["loss"]) < first


def test_rules_are_the_masks_of_the_package():
    made = sparse.ours(6)
    window, column = strided_masks(37, 6)
    own, summaries = fixed_masks(37, 6)
    wanted = {"strided": window | column, "fixed": own | summaries}
    wanted |= {"window": window, "column": column, "block": own}
    for name, mask in wanted.items():
        assert torch.equal(sparse.mask_of(made[name][1], 37), mask)


# ---- The command


def test_the_command_prints_cases_with_the_facts_and_writes_where_it_is_told(
    tmp_path, capsys, monkeypatch: pytest.MonkeyPatch
):
    tiny = replace(decoding.COMPARISON, cases=[(9, facts) for facts in TINY["decoding"]])
    monkeypatch.setitem(command.PARTS, "decoding", tiny)
    command.main(["decoding", "--only", "batch=1", "--rounds", "3", "--out", str(tmp_path)])
    (case,) = read_benchmark(tmp_path / "decoding.json").cases
    assert (case.batch, case.rounds) == (1, 3)
    assert capsys.readouterr().out.count("decoding layers=2") == 1
