"""The benchmark of a training step at a tiny size, against torch alone."""

import pytest
import torch

from bench import training_step
from bench.report import training_table
from bench.sides import X_TRANSFORMERS
from bench.training_sides import config, ours
from bench.training_step import CASES, Case, agreement, computed, main, measure, sides, step
from bottomup.models import Transformer
from bottomup.results.speed import OURS, TORCH, TrainingCase
from bottomup.results.speed_files import read_benchmark, read_case

TINY = Case(layers=2, d_model=6, heads=3, batch=5, n=7, rounds=2)
NARROW = 11  # tokens


@pytest.fixture(autouse=True)
def few_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_step, "VOCABULARY", NARROW)


def test_the_sides_compute_the_same_logits_loss_and_gradients():
    found = sides(TINY, [TORCH])
    got, want = computed(found[TORCH]), computed(found[OURS])
    assert set(got) == set(want)
    assert set(want) == {"logits", "loss", *dict(found[OURS].module.named_parameters())}
    differences = agreement(TORCH, got, want)
    assert set(differences) == {"logits", "loss", "gradient"}
    assert max(differences.values()) < 1e-12
    assert all(side.module.training for side in found.values())


def test_the_loss_is_over_the_real_targets_of_both_sides():
    found = sides(TINY, [TORCH])
    logits = found[OURS].logits().detach()
    changed = logits.clone()
    changed[0, -1] += torch.arange(NARROW)  # the first target is whole, the last is half
    changed[-1, -1] -= torch.arange(NARROW)
    for side in found.values():
        before, after = side.loss(logits), side.loss(changed)
        changed_padding = logits.clone()
        changed_padding[-1, -1] = 1e3
        assert after != before
        assert side.loss(changed_padding) == before


def test_a_peer_that_computes_something_else_is_refused():
    found = sides(TINY, [TORCH])
    want = computed(found[OURS])
    with torch.no_grad():
        found[TORCH].module.unembedding.weight.mul_(1.001)
    with pytest.raises(RuntimeError, match="torch does not compute what we compute"):
        agreement(TORCH, computed(found[TORCH]), want)


def test_a_gradient_alone_is_enough_to_be_refused_but_for_the_bias_of_the_keys():
    want = computed(sides(TINY, [])[OURS])
    got = {name: tensor.clone() for name, tensor in want.items()}
    got["encoder_layers.1.attention.W_K.bias"] += 1  # its true gradient is zero
    assert agreement(TORCH, got, want)["gradient"] == 0
    got["encoder_layers.1.attention.W_Q.bias"] *= 1.001
    with pytest.raises(RuntimeError, match="gradient"):
        agreement(TORCH, got, want)


def test_a_step_trains_every_parameter_that_was_read_and_leaves_no_gradient():
    torch.manual_seed(3)
    model = Transformer(config(1, 6, 3, 7, NARROW))
    side = ours(model, training_step.padded_batch(5, 7, NARROW))
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    first = float(side.loss(side.logits()).detach())
    run = step(side)
    for _ in range(10):
        run()
    assert float(side.loss(side.logits()).detach()) < first
    assert all(p.grad is None for p in model.parameters())
    assert all(not torch.equal(p, before[name]) for name, p in model.named_parameters())


def test_sources_grow_and_targets_shrink():
    batch = training_step.padded_batch(3, 7, NARROW)
    assert batch.source_mask.sum(dim=1).tolist() == [3, 5, 7]
    assert batch.target_mask.sum(dim=1).tolist() == [7, 5, 3]
    assert batch.source.shape == batch.target_in.shape == batch.target_out.shape == (3, 7)


def test_what_a_run_measures_is_a_case_that_the_package_reads():
    case = read_case(measure(TINY, [TORCH]), TrainingCase)
    facts = (case.layers, case.d_model, case.heads, case.batch, case.n, case.rounds)
    assert facts == (2, 6, 3, 5, 7, 2)
    assert case.rival == TORCH
    assert case.parameters[OURS] == case.parameters[TORCH]
    gradients = 4 * case.parameters[OURS]  # bytes
    assert min(case.peak_bytes.values()) > gradients


def test_a_row_of_the_table_reads_as_expected():
    spreads = {name: dict.fromkeys(("median", "q1", "q3"), s) for name, s in SECONDS.items()}
    content = {
        **{"layers": 2, "d_model": 6, "heads": 3, "batch": 5, "n": 7, "rounds": 2},
        "parameters": dict.fromkeys(SECONDS, 13),
        "largest_difference": {},
        "seconds": spreads,
        "ratio": {
            TORCH: {"median": 1.1, "q1": 1.05, "q3": 1.2},
            X_TRANSFORMERS: {"median": 0.55, "q1": 0.5, "q3": 0.6},
        },
        "peak_bytes": dict.fromkeys(SECONDS, 3 * 2**20),
    }
    assert training_table([content], header=False) == (
        "| 2+2 | 6 | 5 x 7 | 2 | 1100.0 | torch 1.10 (1.05–1.20), "
        "x-transformers 0.55 (0.50–0.60) | bottomup 3, torch 3, x-transformers 3 | slower |\n"
    )


SECONDS = {OURS: 1.1, TORCH: 1.0, X_TRANSFORMERS: 2.0}


def test_the_cases_have_names_of_their_own():
    assert CASES[0].name == "1x512:8x64"
    assert len({case.name for case in CASES}) == len(CASES) == 6


def test_the_command_prints_the_table_and_writes_where_it_is_told(
    tmp_path, capsys, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(training_step, "CASES", (TINY,))
    path = tmp_path / "found.json"
    main(["--rounds", "3", "--peers", TORCH, "--out", str(path)])
    result = read_benchmark(path)
    assert (result.vocabulary, result.batches, result.peers) == (NARROW, ((6, 5, 7),), (TORCH,))
    assert [case.rounds for case in result.cases] == [3]
    assert capsys.readouterr().out.count("\n| 2+2 |") == 1
