"""Chapter 05's experiment on depth: its measures by hand, and a tiny run of every part."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from bottomup import experiments
from bottomup.experiments import Record
from bottomup.experiments.encoder_decoder.depth import (
    experiment as encoder_decoder_depth,
)
from bottomup.experiments.encoder_decoder.depth.config import Config
from bottomup.experiments.encoder_decoder.depth.stacks import (
    STACKS,
    DigitBatch,
    build_reader,
    digit_loss,
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

SEEDS = (0, 1, 2)
CPU = torch.device("cpu")
CLAIMS = [f"05.4{letter}" for letter in "abcdefg"] + [f"05.9{letter}" for letter in "abcd"]
TINY = encoder_decoder_depth.PRESETS["tiny"]


@pytest.fixture(scope="module")
def tiny() -> Record:
    return encoder_decoder_depth.run(TINY, SEEDS, "cpu")


def test_a_tiny_run_gives_every_part_and_every_claim(tiny: Record):
    assert list(tiny.runs[0]["metrics"]) == [
        "post_cold_1", "post_cold_2", "post_warm_1", "post_warm_2",
        "pre_cold_1", "pre_cold_2", "pre_warm_1", "pre_warm_2", "post_slow_2",
        "plain_2", "residual_2", "highway_2", "orthogonal_2",
        "plain_5", "residual_5", "highway_5", "orthogonal_5",
    ]  # fmt: skip
    assert [claim.id for claim in experiments.claims(tiny)] == CLAIMS
    for name in ("post_cold_2.accuracy", "highway_5.accuracy"):
        assert all(0 <= value <= 1 for value in tiny.metric(name))


def test_cold_and_warm_start_from_the_same_parameters_and_differ_at_the_end(tiny: Record, tmp_path):
    config = replace(TINY, warmup=1)
    cold, warm = (
        encoder_decoder_depth.measure(config, name, 0, CPU, tmp_path / name).metrics
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


def test_an_orthogonal_stack_is_a_plain_one_with_another_start():
    assert STACKS["orthogonal"] == ("plain", "orthogonal")
    plain, orthogonal = (build_reader(TINY, name, 5, 0) for name in ("plain", "orthogonal"))
    assert plain[1].kind == orthogonal[1].kind == "plain"
    assert torch.equal(plain[0].weight, orthogonal[0].weight)
    assert not orthogonal[1].maps[0].bias.any()


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


def test_the_loss_of_a_uniform_guess():
    batch = DigitBatch(torch.zeros(3, 10), torch.tensor([0, 4, 9]))
    assert digit_loss(nn.Identity(), batch).item() == pytest.approx(2.302585, abs=1e-5)


def changed(record: Record, losses: dict[str, float]) -> Record:
    """The record with other losses for some variants."""
    runs = []
    for run in record.runs:
        metrics = {
            name: {**found, "loss": losses.get(name, found["loss"])}
            for name, found in run["metrics"].items()
        }
        runs.append({**run, "metrics": metrics})
    return replace(record, runs=tuple(runs))


def test_claims_look_at_the_judged_the_shallowest_and_the_deepest(tiny: Record):
    names = ("post_cold_2", "post_warm_2", "pre_cold_1", "post_cold_1", "post_slow_2",
             "plain_5", "residual_5", "highway_5", "orthogonal_5")  # fmt: skip
    record = changed(tiny, {name: 3.0 + place for place, name in enumerate(names)})
    ratio = tiny.metric("post_cold_2.gradients.decoder.2")[0]
    ratio /= tiny.metric("pre_cold_2.gradients.decoder.2")[0]
    values = [claim.values[0] for claim in experiments.claims(record)]
    assert values == [3, 4, 5, 6, 7, ratio, 4, 8, 9, 10, 11]


@pytest.mark.parametrize("name", encoder_decoder_depth.PRESETS)
def test_every_preset_has_what_a_claim_needs(name: str):
    config = encoder_decoder_depth.PRESETS[name]
    assert config.judged in config.layers
    assert list(config.layers) == sorted(config.layers)
    assert list(config.depths) == sorted(config.depths)
    assert config.low_rate < config.learning_rate
    assert config.warmup < config.steps


@pytest.mark.slow
def test_a_plain_stack_is_lost_at_a_depth_at_which_a_residual_one_learns(tmp_path):
    config = replace(Config(), stack_steps=60)
    loss = {
        name: encoder_decoder_depth.measure(config, f"{name}_50", 5, CPU, tmp_path / name).metrics
        for name in ("plain", "residual")
    }
    assert loss["plain"]["loss"] > 2.2
    assert loss["plain"]["reach"] < 1e-6 < loss["residual"]["reach"]
    assert loss["residual"]["loss"] < 1
