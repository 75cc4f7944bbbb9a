import signal
import threading

import numpy as np
import pytest
import torch

from bottomup.training import fit, warmup_then_decay

STEPS = 7
EVERY = 3


class StopError(Exception):
    """Ends a run from outside, as a crash would."""


def run(model, task, loss, path=None, **options):
    """Train; return what a resumed run must have in common with one that never stopped."""
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    history = fit(
        model,
        task,
        steps=STEPS,
        loss=loss,
        optimizer=optimizer,
        schedule=warmup_then_decay(warmup=2, steps=STEPS),
        seed=5,
        checkpoint=path,
        checkpoint_every=EVERY,
        **options,
    )
    return model.state_dict(), optimizer.state_dict(), history


def assert_same_run(got, expected):
    torch.testing.assert_close(got[0], expected[0], rtol=0, atol=0)
    torch.testing.assert_close(got[1]["state"], expected[1]["state"], rtol=0, atol=0)
    assert got[1]["param_groups"] == expected[1]["param_groups"]
    assert got[2] == expected[2]


def stop_at(stop: int, error: type[BaseException] = StopError):
    def on_step(step, history):
        if step == stop:
            raise error

    return on_step


def saved_steps(path) -> int:
    return len(torch.load(path, weights_only=True)["state"]["history"]["loss"])


@pytest.mark.parametrize("stop", range(STEPS))
@pytest.mark.parametrize("error", [StopError, KeyboardInterrupt])
def test_a_run_stopped_at_any_step_ends_like_one_never_stopped(
    make_model, task, loss, tmp_path, stop, error
):
    path = tmp_path / "run.pt"
    with pytest.raises(error):
        run(make_model(), task, loss, path, on_step=stop_at(stop, error))
    resumed = run(make_model(), task, loss, path)
    assert_same_run(resumed, run(make_model(), task, loss))


def test_a_run_stopped_twice_ends_like_one_never_stopped(make_model, task, loss, tmp_path):
    path = tmp_path / "run.pt"
    for stop in (3, 5):
        with pytest.raises(KeyboardInterrupt):
            run(make_model(), task, loss, path, on_step=stop_at(stop, KeyboardInterrupt))
    assert_same_run(run(make_model(), task, loss, path), run(make_model(), task, loss))


def test_resuming_does_not_repeat_saved_steps(make_model, task, loss, tmp_path):
    path = tmp_path / "run.pt"
    with pytest.raises(StopError):
        run(make_model(), task, loss, path, on_step=stop_at(4))
    steps = []
    run(make_model(), task, loss, path, on_step=lambda step, history: steps.append(step))
    assert steps == [3, 4, 5, 6]


def test_a_finished_run_is_read_without_a_step(make_model, task, loss, tmp_path):
    path = tmp_path / "run.pt"
    first = run(make_model(), task, loss, path)

    def never(step):
        raise AssertionError("a batch was asked for")

    assert_same_run(run(make_model(), never, loss, path), first)


def test_ctrl_c_within_a_step_ends_the_step_and_saves(
    make_model, task, loss, tmp_path, interruptible
):
    path = tmp_path / "run.pt"
    calls = []

    def pressing(model, batch):
        calls.append(1)
        if len(calls) == 5:
            signal.raise_signal(signal.SIGINT)
        return loss(model, batch)

    with pytest.raises(KeyboardInterrupt):
        run(make_model(), task, pressing, path)
    assert saved_steps(path) == 5
    assert_same_run(run(make_model(), task, loss, path), run(make_model(), task, loss))


def test_a_second_ctrl_c_stops_at_once_and_keeps_the_last_file(
    make_model, task, loss, tmp_path, interruptible
):
    path = tmp_path / "run.pt"
    calls = []

    def pressing(model, batch):
        calls.append(1)
        if len(calls) == 5:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        return loss(model, batch)

    with pytest.raises(KeyboardInterrupt):
        run(make_model(), task, pressing, path)
    assert saved_steps(path) == EVERY
    assert_same_run(run(make_model(), task, loss, path), run(make_model(), task, loss))


def test_ctrl_c_works_as_before_after_training(make_model, task, loss, interruptible):
    run(make_model(), task, loss)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_training_runs_in_another_thread(make_model, task, loss):
    results = []
    thread = threading.Thread(target=lambda: results.append(run(make_model(), task, loss)))
    thread.start()
    thread.join()
    assert_same_run(results[0], run(make_model(), task, loss))


def test_an_interrupt_without_a_checkpoint_is_raised(make_model, task, loss):
    with pytest.raises(KeyboardInterrupt):
        run(make_model(), task, loss, on_step=stop_at(2, KeyboardInterrupt))


def test_the_learning_rate_is_put_back_after_a_stop(make_model, task, loss):
    model = make_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    with pytest.raises(StopError):
        fit(
            model, task, steps=STEPS, loss=loss, optimizer=optimizer, on_step=stop_at(1),
            schedule=warmup_then_decay(warmup=6, steps=STEPS),
        )  # fmt: skip
    assert optimizer.param_groups[0]["lr"] == 0.05


def test_numbers_of_numpy_leave_a_checkpoint_that_can_be_read(make_model, task, loss, tmp_path):
    def train(model):
        optimizer = torch.optim.Adam(model.parameters(), lr=np.float64(0.05))
        return fit(
            model,
            task,
            steps=STEPS,
            loss=loss,
            optimizer=optimizer,
            schedule=lambda step: np.sqrt(1 / (step + 1)),
            checkpoint=tmp_path / "run.pt",
        )

    first = train(make_model())
    assert train(make_model()) == first
