"""A Transformer under the paper's schedule: stopped training goes on as if it never was."""

import pytest
import torch

from bottomup.models import Transformer, TransformerConfig
from bottomup.training import fit, noam, smoothed_cross_entropy
from tests.drawn import global_seed

STEPS, EVERY, WARMUP = 7, 3, 4
D_MODEL = 10


class StopError(Exception):
    """Ends a run from outside, as a crash would."""


def transformer(task, **changes) -> Transformer:
    """Make the same model at each call; dropout makes its training draw random numbers."""
    size = len(task.vocabulary)
    sizes = {"encoder_layers": 1, "decoder_layers": 1, "num_heads": 5, "d_ff": 13, "max_length": 11}
    config = TransformerConfig(
        source_vocabulary=size, target_vocabulary=size, d_model=D_MODEL,
        **{**sizes, "dropout": 0.3, **changes},
    )  # fmt: skip
    with global_seed(17):
        return Transformer(config)


def smoothed(model, batch):
    return smoothed_cross_entropy(model(batch).logits, batch.target_out, batch.target_mask)


def run(model, task, path=None, *, stop=None):
    """Train; return all that a resumed run must have in common with one that never stopped."""

    def on_step(step, history):
        if step == stop:
            raise StopError

    optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98), eps=1e-9)
    history = fit(
        model, task, steps=STEPS, loss=smoothed, optimizer=optimizer,
        schedule=noam(D_MODEL, WARMUP), seed=3, checkpoint=path, checkpoint_every=EVERY,
        on_step=on_step,
    )  # fmt: skip
    return model.state_dict(), optimizer.state_dict()["state"], history


@pytest.mark.slow
@pytest.mark.parametrize("stop", [1, 5])
@pytest.mark.parametrize(
    "changes",
    [{"norm": "post", "shared": "all"}, {"norm": "pre", "shared": "none", "positions": "learned"}],
)
def test_a_stopped_transformer_ends_bit_for_bit_like_one_never_stopped(
    task, tmp_path, stop, changes
):
    path = tmp_path / "run.pt"
    with pytest.raises(StopError):
        run(transformer(task, **changes), task, path, stop=stop)
    resumed = run(transformer(task, **changes), task, path)
    expected = run(transformer(task, **changes), task)
    torch.testing.assert_close(resumed[0], expected[0], rtol=0, atol=0)
    torch.testing.assert_close(resumed[1], expected[1], rtol=0, atol=0)
    assert resumed[2] == expected[2]


def test_the_schedule_goes_on_at_the_step_that_is_next(task, tmp_path):
    path = tmp_path / "run.pt"
    with pytest.raises(StopError):
        run(transformer(task), task, path, stop=4)
    rates = run(transformer(task), task, path)[2].learning_rate
    rising = [(step + 1) / (40**0.5 * 4) for step in range(4)]  # the peak is 1 / sqrt(10 * 4)
    falling = [(10 * n) ** -0.5 for n in (5, 6, 7)]
    assert rates == pytest.approx([*rising, *falling], rel=1e-12)


@pytest.mark.slow
def test_dropout_is_at_work_and_drawn_after_a_stop_as_without_one(task, tmp_path):
    path = tmp_path / "run.pt"
    with pytest.raises(StopError):
        run(transformer(task), task, path, stop=4)
    resumed = run(transformer(task), task, path)[2].loss
    without = run(transformer(task, dropout=0.0), task)[2].loss
    assert resumed == run(transformer(task), task)[2].loss
    assert all(loss != other for loss, other in zip(resumed, without, strict=True))
