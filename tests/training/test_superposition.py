import pytest
import torch
from torch import Tensor

from bottomup.models import ToySuperposition
from bottomup.training import fit_superposition, fresh_loss, solve_superposition
from bottomup.training import superposition as module

SPARSITY = torch.tensor([0.0, 0.5, 0.9])
IMPORTANCE = 0.9 ** torch.arange(5.0)


def solve(**changes):
    options = {"dimensions": 2, "steps": 4, "samples": 7, "restarts": 2, "fresh": 101} | changes
    return solve_superposition(SPARSITY, IMPORTANCE, **options)


def of_zeros(features: int, instances: int) -> ToySuperposition:
    model = ToySuperposition(features, 2, instances=instances)
    with torch.no_grad():
        model.W.zero_()
    return model


def test_the_best_restart_is_kept_for_each_case():
    solved = solve(restarts=3)
    assert solved.tried.shape == (3, 3)
    assert torch.equal(solved.loss, solved.tried.min(dim=0).values)
    for case, best in enumerate(solved.tried.argmin(dim=0).tolist()):
        assert torch.equal(solved.W[case], solved.W_tried[best, case])
        assert torch.equal(solved.b[case], solved.b_tried[best, case])
    assert len({tuple(W.flatten().tolist()) for W in solved.W_tried.flatten(0, 1)}) == 9


def test_a_seed_fixes_the_solutions_and_leaves_the_callers_numbers_alone():
    before = torch.get_rng_state()
    first, second, other = solve(), solve(), solve(seed=1)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(first.W_tried, second.W_tried)
    assert torch.equal(first.tried, second.tried)
    assert not torch.equal(first.W_tried, other.W_tried)


def test_training_lowers_the_loss_of_every_case():
    few, many = solve(steps=1), solve(steps=150, samples=64)
    assert (many.loss < few.loss).all()


def test_the_fresh_loss_is_that_of_the_formula():
    # x' = 0: the loss is sum_i I_i E[x_i^2] = (1 - S) / 3 sum_i I_i
    model = of_zeros(5, instances=3)
    found = fresh_loss(model, sparsity=SPARSITY, importance=IMPORTANCE, samples=30_000)
    wanted = (1 - SPARSITY) / 3 * IMPORTANCE.sum()
    torch.testing.assert_close(found, wanted, rtol=0.03, atol=0)


def test_fresh_samples_are_the_same_for_equal_sparsities():
    same = {"sparsity": torch.tensor([0.6, 0.6]), "importance": torch.ones(2)}
    first, second = fresh_loss(of_zeros(2, instances=2), **same, samples=53).tolist()
    assert first == second > 0


def test_fresh_samples_of_all_portions_count_alike(monkeypatch):
    def portion(count: int, features: int, *args, **options) -> Tensor:
        return torch.full((1, count, features), float(count == module.FRESH_AT_ONCE))

    monkeypatch.setattr(module, "sample_features", portion)
    case = {"sparsity": torch.zeros(1), "importance": torch.ones(2)}
    found = fresh_loss(of_zeros(2, instances=1), **case, samples=2_501).item()
    assert found == pytest.approx(2 * 2_000 / 2_501)


def test_an_interrupted_training_goes_on_where_it_stopped(tmp_path, monkeypatch):
    options = {"steps": 230, "checkpoint": tmp_path / "toy.pt"}
    whole = solve(steps=230)
    honest, calls = module.superposition_loss, []

    def stopping(x: Tensor, x_hat: Tensor, importance: Tensor) -> Tensor:
        calls.append(x)
        if len(calls) == 215:
            raise KeyboardInterrupt
        return honest(x, x_hat, importance)

    monkeypatch.setattr(module, "superposition_loss", stopping)
    with pytest.raises(KeyboardInterrupt):
        solve(**options)
    del calls[:]
    resumed = solve(**options)
    assert len(calls) == 30 + 1  # from the file of step 200 on, and the fresh samples
    assert torch.equal(resumed.W_tried, whole.W_tried)
    assert torch.equal(resumed.loss, whole.loss)


def test_it_trains_on_every_device(device):
    solved = solve(device=device)
    assert solved.W.device.type == solved.loss.device.type == "cpu"
    assert solved.W.isfinite().all()


def test_cases_may_have_importances_of_their_own():
    # where a feature weighs next to nothing, nothing is paid for losing it
    importance = torch.stack([torch.tensor([1.0, 1e-6, 1e-6, 1e-6, 1e-6]), IMPORTANCE])
    found = fresh_loss(
        of_zeros(5, instances=2),
        sparsity=torch.tensor([0.5, 0.5]),
        importance=importance,
        samples=5_000,
    )
    assert found[0].item() == pytest.approx(1 / 6, rel=0.05)
    assert found[1].item() == pytest.approx(IMPORTANCE.sum().item() / 6, rel=0.05)


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match=r"sparsity: expected numbers in \[0, 1\), got 1"):
        solve_superposition(torch.tensor([0.0, 1.0]), IMPORTANCE, dimensions=2, steps=1)
    with pytest.raises(TypeError, match="importance: expected a torch.Tensor"):
        solve_superposition(SPARSITY, [1.0], dimensions=2, steps=1)
    with pytest.raises(ValueError, match="importance: expected numbers above 0"):
        solve_superposition(SPARSITY, IMPORTANCE - 1, dimensions=2, steps=1)
    with pytest.raises(ValueError, match="one for each of 3 sparsities"):
        solve_superposition(SPARSITY, torch.ones(2, 5), dimensions=2, steps=1)
    for name, value in {"restarts": 0, "samples": 0, "fresh": 0, "seed": -1, "steps": 0}.items():
        with pytest.raises(ValueError, match=name):
            solve(**{name: value})
    with pytest.raises(ValueError, match="learning_rate"):
        solve(learning_rate=0)


def test_a_model_that_does_not_fit_is_refused():
    model = of_zeros(5, instances=2)
    with pytest.raises(ValueError, match="sparsity: expected one for each of 2 instances, got 3"):
        fit_superposition(model, sparsity=SPARSITY, importance=IMPORTANCE, steps=1)
    with pytest.raises(ValueError, match="one for each of 2 sparsities, got shape"):
        fresh_loss(model, sparsity=SPARSITY[:2], importance=torch.ones(3, 5))
    with pytest.raises(ValueError, match=r"importance: expected axes \[..., features=5\]"):
        fresh_loss(model, sparsity=SPARSITY[:2], importance=torch.ones(4))
    with pytest.raises(TypeError, match="model: expected a ToySuperposition, got Linear"):
        fit_superposition(
            torch.nn.Linear(2, 2), sparsity=SPARSITY, importance=IMPORTANCE, steps=1
        )  # fmt: skip
