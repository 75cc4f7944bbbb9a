import copy
import math

import pytest
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector

from bottomup.training import History, fit, token_cross_entropy, warmup_then_decay
from tests.drawn import global_seed


def train(model, task, loss, *, steps=5, rate=0.1, **options) -> History:
    optimizer = options.pop("optimizer", None) or torch.optim.SGD(model.parameters(), lr=rate)
    return fit(model, task, steps=steps, loss=loss, optimizer=optimizer, **options)


def test_fit_lowers_the_loss(make_model, task, loss):
    # The symbols are random: what can be learned without the source is EOS and their frequency.
    model = make_model()
    history = train(model, task, loss, steps=200, rate=1.0)
    assert sum(history.loss[-20:]) / 20 < sum(history.loss[:5]) / 5 - 0.2


def test_fit_makes_the_steps_of_a_loop_by_hand(make_model, task, loss):
    model, by_hand = make_model(), make_model()
    history = train(model, task, loss, steps=3, rate=0.5, max_norm=0.3, seed=4)
    losses, norms = [], []
    optimizer = torch.optim.SGD(by_hand.parameters(), lr=0.5)
    with global_seed(4):
        for step in range(3):
            optimizer.zero_grad()
            value = loss(by_hand, task(step))
            value.backward()
            norm = torch.sqrt(sum((p.grad**2).sum() for p in by_hand.parameters()))
            for parameter in by_hand.parameters():
                parameter.grad *= min(1.0, 0.3 / float(norm))
            optimizer.step()
            losses.append(value.item())
            norms.append(norm.item())
    assert history.loss == pytest.approx(losses, rel=1e-5)
    assert history.grad_norm == pytest.approx(norms, rel=1e-5)
    for got, expected in zip(model.parameters(), by_hand.parameters(), strict=True):
        torch.testing.assert_close(got, expected)


def test_history_counts_the_seconds_of_the_steps_alone(make_model, task, loss, monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr("time.process_time", lambda: 7 * next(clock))
    watched = train(make_model(), task, loss, steps=3, on_step=lambda step, history: next(clock))
    assert watched.seconds == [7, 7, 7]


def test_histories_are_equal_whatever_time_they_took(make_model, task, loss):
    first, second = (train(make_model(), task, loss, steps=3) for _ in range(2))
    assert first == second
    assert len(first.seconds) == 3


def test_history_has_one_entry_a_step(make_model, task, loss):
    history = train(make_model(), task, loss, steps=4)
    assert len(history) == 4
    assert history.tokens == [task(step).tokens for step in range(4)]
    assert history.learning_rate == [0.1] * 4
    assert all(norm > 0 for norm in history.grad_norm)


def test_without_a_largest_norm_nothing_is_clipped(make_model, task, loss):
    free, wide, narrow = make_model(), make_model(), make_model()
    train(free, task, loss, max_norm=None)
    train(wide, task, loss, max_norm=1e9)
    train(narrow, task, loss, max_norm=1e-3)
    assert torch.equal(free.readout.weight, wide.readout.weight)
    assert not torch.equal(free.readout.weight, narrow.readout.weight)


def test_clipping_looks_at_all_parameter_groups_together(make_model, task, loss):
    model, before = make_model(), make_model()
    optimizer = torch.optim.SGD(
        [{"params": model.embedding.parameters()}, {"params": model.readout.parameters()}], lr=1.0
    )
    history = train(model, task, loss, steps=1, optimizer=optimizer, max_norm=0.01)
    old, new = (parameters_to_vector(m.parameters()).detach() for m in (before, model))
    assert (new - old).norm().item() == pytest.approx(0.01, rel=1e-3)
    assert not torch.equal(model.embedding.weight, before.embedding.weight)
    assert not torch.equal(model.readout.weight, before.readout.weight)
    assert train(before, task, loss, steps=1).grad_norm == pytest.approx(history.grad_norm)


def test_parameters_outside_the_optimizer_stay_and_gather_no_gradient(make_model, task):
    def total(model, batch):
        return sum(parameter.sum() for parameter in model.parameters())

    model = make_model()
    before = model.embedding.weight.clone()
    optimizer = torch.optim.SGD(model.readout.parameters(), lr=0.1)
    train(model, task, total, steps=5, optimizer=optimizer)
    assert torch.equal(model.embedding.weight, before)
    assert torch.equal(model.embedding.weight.grad, torch.ones_like(before))


@pytest.mark.parametrize(
    "factor, error",
    [
        (math.nan, ValueError),
        (math.inf, ValueError),
        (-0.5, ValueError),
        (torch.tensor(0.5), TypeError),
        (None, TypeError),
    ],
)
def test_a_schedule_that_gives_no_factor_is_refused_and_spares_the_parameters(
    make_model, task, loss, factor, error
):
    model, after_two = make_model(), make_model()
    train(after_two, task, loss, steps=2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(error, match=r"schedule\(2\): expected a number"):
        train(
            model, task, loss, optimizer=optimizer,
            schedule=lambda step: factor if step == 2 else 1.0,
        )  # fmt: skip
    assert torch.equal(model.readout.weight, after_two.readout.weight)
    assert optimizer.param_groups[0]["lr"] == 0.1


def test_schedule_multiplies_the_learning_rate_and_leaves_it_as_it_was(make_model, task, loss):
    model = make_model()
    optimizer = torch.optim.SGD(
        [
            {"params": model.embedding.parameters(), "lr": 0.4},
            {"params": model.readout.parameters(), "lr": 0.2},
        ]
    )
    seen = []

    def on_step(step: int, history: History) -> None:
        seen.append([group["lr"] for group in optimizer.param_groups])

    schedule = warmup_then_decay(warmup=2, steps=4)
    history = train(
        model, task, loss, steps=4, optimizer=optimizer, schedule=schedule, on_step=on_step
    )
    assert history.learning_rate == pytest.approx([0.2, 0.4, 0.4, 0.2])
    assert [rates[1] for rates in seen] == pytest.approx([0.1, 0.2, 0.2, 0.1])
    assert [group["lr"] for group in optimizer.param_groups] == [0.4, 0.2]


def test_a_seed_fixes_the_run(make_model, task, loss):
    runs = [train(make_model(), task, loss, seed=seed).loss for seed in (3, 3, 8)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_the_callers_random_numbers_stay_the_same(make_model, task, loss):
    with global_seed(0):
        before = torch.get_rng_state()
        train(make_model(), task, loss)
        assert torch.equal(torch.get_rng_state(), before)


def test_random_numbers_in_on_step_do_not_influence_training(make_model, task, loss):
    quiet = train(make_model(), task, loss)
    noisy = train(make_model(), task, loss, on_step=lambda step, history: torch.rand(13))
    assert quiet == noisy


def test_on_step_gets_each_step_and_the_history_so_far(make_model, task, loss):
    seen = []
    train(make_model(), task, loss, on_step=lambda step, history: seen.append((step, len(history))))
    assert seen == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]


def test_the_model_trains_in_training_mode_and_gets_its_own_back(make_model, task, loss):
    model = make_model().eval()
    model.readout.train()
    modes = []

    def watching(model: nn.Module, batch):
        modes.append(model.training and model.dropout.training)
        return loss(model, batch)

    train(model, task, watching, on_step=lambda step, history: model.eval())
    assert modes == [True] * 5
    assert not model.training
    assert model.readout.training


def test_a_frozen_parameter_stays(make_model, task, loss):
    model = make_model()
    model.embedding.weight.requires_grad_(False)
    before = model.embedding.weight.clone()
    train(model, task, loss)
    assert torch.equal(model.embedding.weight, before)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_loss_that_is_not_finite_names_the_step_and_spares_the_parameters(
    make_model, task, loss, bad
):
    model = make_model()
    after_two = make_model()
    train(after_two, task, loss, steps=2)
    calls = []

    def failing(model, batch):
        calls.append(1)
        return loss(model, batch) * (bad if len(calls) == 3 else 1.0)

    with pytest.raises(FloatingPointError, match=f"step 2: the loss is {bad}"):
        train(model, task, failing)
    assert torch.equal(model.readout.weight, after_two.readout.weight)


def test_a_gradient_that_is_not_finite_names_the_step(make_model, task, loss):
    model = make_model()
    before = copy.deepcopy(model.state_dict())

    def infinite_slope(model, batch):
        return (
            loss(model, batch)
            + (model.readout.weight[0, 0] - before["readout.weight"][0, 0]).abs().sqrt()
        )

    with pytest.raises(FloatingPointError, match="step 0: the gradient norm is (nan|inf)"):
        train(model, task, infinite_slope)
    assert torch.equal(model.readout.weight, before["readout.weight"])


def test_a_loss_that_is_no_scalar_is_refused(make_model, task):
    with pytest.raises(ValueError, match="expected a scalar tensor"):
        train(make_model(), task, lambda model, batch: model(batch))
    with pytest.raises(TypeError, match="expected a scalar tensor"):
        train(make_model(), task, lambda model, batch: 1.5)


def test_what_the_loss_itself_calls_is_checked(make_model, task):
    def careless(model, batch):
        return token_cross_entropy(model(batch), batch.target_out, batch.target_mask[:, :1])

    with pytest.raises(ValueError, match=r"mask: expected axes \[batch=3, target="):
        train(make_model(), task, careless)


def test_a_loss_without_gradient_is_refused(make_model, task, loss):
    with pytest.raises(ValueError, match="loss: expected a tensor with a gradient"):
        train(make_model(), task, lambda model, batch: loss(model, batch).detach())
    with torch.no_grad(), pytest.raises(ValueError, match="does fit run under torch.no_grad"):
        train(make_model(), task, loss)


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("model", 3, "model: expected a torch.nn.Module, got 3"),
        ("optimizer", None, "optimizer: expected a torch.optim.Optimizer, got None"),
        ("batches", [1], r"batches: expected a function, got \[1\]"),
        ("batches", lambda step: [step], r"batches\(0\): expected a Batch or .* got list"),
        ("loss", None, "loss: expected a function, got None"),
        ("schedule", 0.5, "schedule: expected a function, got 0.5"),
        ("on_step", "print", "on_step: expected a function, got 'print'"),
        ("checkpoint", 7, "checkpoint: expected a path, got 7"),
    ],
)
def test_arguments_of_the_wrong_type_are_refused(make_model, task, loss, name, value, message):
    model = make_model()
    arguments = {"model": model, "batches": task, "steps": 2, "loss": loss}
    arguments["optimizer"] = torch.optim.SGD(model.parameters(), lr=0.1)
    with pytest.raises(TypeError, match=message):
        fit(**{**arguments, name: value})


def test_an_optimizer_of_another_model_is_refused(make_model, task, loss):
    other = torch.optim.SGD(make_model().parameters(), lr=0.1)
    with pytest.raises(ValueError, match="optimizer: expected the parameters of `model`"):
        train(make_model(), task, loss, optimizer=other)


def test_a_model_without_parameters_is_refused(make_model, task, loss):
    optimizer = torch.optim.SGD(make_model().parameters(), lr=0.1)
    with pytest.raises(ValueError, match="at least one parameter"):
        train(nn.Identity(), task, loss, optimizer=optimizer)


@pytest.mark.parametrize(
    "options",
    [{"steps": 0}, {"seed": -1}, {"checkpoint_every": 0}, {"max_norm": 0.0}],
    ids=lambda options: next(iter(options)),
)
def test_bad_options_are_refused(make_model, task, loss, options):
    (name,) = options
    with pytest.raises(ValueError, match=f"{name}: expected"):
        train(make_model(), task, loss, **options)
