"""Chapter 05's experiment on depth: its measures by hand."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from bottomup.experiments import Record
from bottomup.experiments.encoder_decoder.depth import (
    experiment as encoder_decoder_depth,
)
from bottomup.experiments.encoder_decoder.depth.config import Config
from bottomup.experiments.encoder_decoder.depth.stacks import (
    digits,
    reach,
)
from bottomup.experiments.encoder_decoder.depth.warmup import (
    Cell,
    accuracy,
    build,
    cells,
    gradient_norms,
    recent_mean,
    task_of,
)
from bottomup.experiments.shared.recurrent import cross_entropy

NAME = "encoder_decoder_depth"
TINY = encoder_decoder_depth.PRESETS["tiny"]
CPU = torch.device("cpu")


def test_cold_and_warm_start_from_the_same_parameters_and_differ_at_the_end(
    tiny: Record, trial, tmp_path
):
    config = replace(TINY, warmup=1)
    cold, warm = (
        encoder_decoder_depth.measure(
            config, name, replace(trial, checkpoint=trial.checkpoint.with_name(name))
        ).metrics
        for name in ("post_cold_2", "post_warm_2")
    )
    assert cold == warm  # one step of warm-up is none
    assert tiny.metric("post_cold_2.gradients") == tiny.metric("post_warm_2.gradients")
    assert tiny.metric("post_cold_2.gradients") == tiny.metric("post_slow_2.gradients")
    assert tiny.metric("post_cold_2.loss") != tiny.metric("post_warm_2.loss")
    assert tiny.metric("post_cold_2.loss") != tiny.metric("post_slow_2.loss")


def test_a_cells_name_says_what_it_is():
    assert Cell.parse("post_cold_12") == Cell("post", "cold", 12)
    named = cells(Config())
    assert [Cell.parse(cell.name) for cell in named] == named
    model = build(TINY, Cell("pre", "warm", 2), 0)
    assert (model.config.norm, len(model.encoder_layers), len(model.decoder_layers)) == (
        "pre", 2, 2
    )  # fmt: skip


def test_the_mean_of_recent_losses_by_hand():
    losses = [float(number) for number in range(50)]
    assert recent_mean(losses, 50) == sum(range(30, 50)) / 20
    assert recent_mean(losses, 3) == 1.0


def test_gradients_at_the_start_are_those_of_each_layers_second_map():
    model, batch = build(TINY, Cell("post", "cold", 2), 0), task_of(TINY, 3)(0)
    found = gradient_norms(model, batch)
    assert {side: list(norms) for side, norms in found.items()} == {
        "encoder": [1, 2], "decoder": [1, 2]
    }  # fmt: skip
    cross_entropy(model, batch).backward()
    gradient = model.decoder_layers[1].feed_forward.W_out.weight.grad
    assert found["decoder"][2] == pytest.approx(gradient.norm().item())


def test_accuracy_counts_right_tokens():
    class Oracle(nn.Module):
        """Says the right token, but for EOS."""

        def forward(self, batch):
            logits = nn.functional.one_hot(batch.target_out, 14).double()
            logits[:, -1] = 0
            logits[:, -1, 0] = 1
            return type("Output", (), {"logits": logits})

    lengths = range(TINY.min_length, TINY.max_length + 1)
    wanted = sum(lengths) / sum(length + 1 for length in lengths)
    assert accuracy(Oracle(), TINY, CPU) == pytest.approx(wanted)


def test_digits_are_divided_and_centred_on_the_training_images():
    training, test = digits(497)
    assert (training.tokens, test.tokens) == (1300, 497)
    assert training.pixels.mean(dim=0).abs().max() < 1e-6
    assert test.pixels.mean(dim=0).abs().max() > 1e-3
    assert set(training.labels.tolist()) == set(range(10))


def test_what_reaches_the_top_by_hand():
    class Stretch(nn.Module):
        def __init__(self, factor: float) -> None:
            super().__init__()
            self.factor = factor

        def forward(self, x):
            return self.factor * x + 5

    pixels = torch.tensor([[1.0, 0.0], [3.0, 2.0], [0.0, 7.0]])
    assert reach(nn.Sequential(nn.Identity(), Stretch(0.25)), pixels) == pytest.approx(0.25)
    assert reach(nn.Sequential(Stretch(9.0), Stretch(0.0)), pixels) == 0
