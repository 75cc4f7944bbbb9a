"""Chapter 07's trainings: a tiny run of all, its measures by hand, and what claims read."""

import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from bottomup import experiments
from bottomup.attention import (
    SparsePattern,
    causal_scores,
    fixed_scores,
    strided_masks,
    strided_scores,
)
from bottomup.data import TokenBatch, digit_images, documentation_text
from bottomup.experiments import Record
from bottomup.experiments.sparse_transformers.training import experiment as training
from bottomup.experiments.sparse_transformers.training import quantities
from bottomup.experiments.sparse_transformers.training.config import DIGITS, TEXT, Config
from bottomup.experiments.sparse_transformers.training.reading import (
    geometry,
    read_by_layer,
    reading,
)
from bottomup.training import fit
from tests.experiments.records import record_of

SEEDS = (0, 1, 2)
CPU = torch.device("cpu")
TINY = training.PRESETS["tiny"]
CLAIMS = [f"07.{number}{letter}" for number in (7, 8, 9) for letter in "abcd"] + ["07.9e"]
ON_DIGITS = "dense strided fixed window wide block strided_heads strided_layers".split()
ON_TEXT = "dense strided fixed window wide block".split()
VARIANTS = [*(f"digits_{name}" for name in ON_DIGITS), *(f"text_{name}" for name in ON_TEXT)]


@pytest.fixture(scope="module")
def tiny() -> Record:
    return training.run(TINY, SEEDS, "cpu")


# ---- A tiny run


@pytest.mark.slow
def test_a_tiny_run_gives_every_variant_and_every_claim(tiny: Record):
    assert list(tiny.runs[0]["metrics"]) == VARIANTS == list(training.variants(TINY))
    assert [claim.id for claim in experiments.claims(tiny)] == CLAIMS


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_what_a_training_leaves(tiny: Record, variant: str):
    task = TINY.digits if variant.startswith("digits") else TINY.text
    for run in tiny.runs:
        found = run["metrics"][variant]
        extra = ["reading"] if variant == "digits_dense" else []
        assert list(found) == [
            "bits", "training_bits", "baseline", "scores", "width", "parameters", "curve", *extra,
        ]  # fmt: skip
        assert list(found["curve"]) == ["step_2", "step_4"]
        assert found["curve"]["step_4"]["bits"] == found["bits"]
        assert found["curve"]["step_2"]["bits"] != found["bits"]
        assert 0 < found["curve"]["step_2"]["seconds"] < found["curve"]["step_4"]["seconds"]
        # Four steps leave the network near a uniform guess.
        vocabulary = 17 if task is TINY.digits else len(documentation_text().characters)
        for bits in (found["bits"], found["training_bits"]):
            assert bits == pytest.approx(math.log2(vocabulary), abs=1.2)
    parameters = {run["metrics"][variant]["parameters"] for run in tiny.runs}
    assert len(parameters) == 1
    assert len(set(tiny.metric(f"{variant}.bits"))) == 3


@pytest.mark.slow
def test_arrays_are_kept_of_one_network(tiny: Record):
    assert list(tiny.arrays) == ["digits_dense/0/weights"]
    weights = tiny.arrays["digits_dense/0/weights"]
    assert weights.shape == (2, 2, 64, 64)
    assert str(weights.dtype) == "float16"
    assert weights.sum(axis=-1) == pytest.approx(1, abs=2e-2)


@pytest.mark.slow
def test_a_tiny_run_can_be_repeated(tiny: Record, tmp_path: Path):
    for variant in ("digits_dense", "text_fixed"):
        again = training.measure(TINY, variant, 1, CPU, tmp_path / f"{variant}.pt").metrics
        found = tiny.runs[1]["metrics"][variant]
        assert again["bits"] == pytest.approx(found["bits"], abs=1e-6)
        assert again["training_bits"] == pytest.approx(found["training_bits"], abs=1e-6)
        assert again.keys() == found.keys()


def test_an_interrupted_training_goes_on_with_its_curve(tmp_path: Path, monkeypatch):
    def measure(path: Path) -> dict[str, Any]:
        return dict(training.measure(TINY, "digits_dense", 0, CPU, path).metrics)

    expected = measure(tmp_path / "whole.pt")

    def fit_two_steps(*args, on_step, **options):
        def stop(step, history):
            on_step(step, history)
            if step == 1:
                raise KeyboardInterrupt

        return fit(*args, on_step=stop, **options)

    path = tmp_path / "stopped.pt"
    with monkeypatch.context() as patch:
        patch.setattr(training, "fit", fit_two_steps)
        with pytest.raises(KeyboardInterrupt):
            measure(path)
    before = json.loads((tmp_path / "stopped.curve.json").read_text(encoding="utf-8"))
    assert list(before) == ["step_2"]
    found = measure(path)
    assert found["curve"]["step_2"] == before["step_2"]
    bits = [[point["bits"] for point in each["curve"].values()] for each in (found, expected)]
    assert bits[0] == bits[1]
    assert found["reading"] == expected["reading"]


# ---- Presets and data


def test_presets():
    assert list(training.PRESETS) == ["tiny", "laptop", "recorded", "full"]
    assert training.PRESETS["recorded"] == Config()
    assert asdict(training.PRESETS["laptop"].text) == asdict(replace(TEXT, steps=300))
    for config in training.PRESETS.values():
        for task in (config.digits, config.text):
            assert task.warmup < task.steps
            assert task.d_model % task.num_heads == 0
            assert task.num_heads % 2 == 0  # halves of the heads
            assert 1 <= task.summary <= task.row <= task.length
            assert task.steps // config.points >= 1
        assert config.digits.length == 64
        assert config.digits.row == 8


def test_digits_are_trained_and_tested_apart():
    corpus = training.load("digits", replace(DIGITS, tested=7), seed=3)
    assert corpus.vocabulary == 17
    assert torch.equal(corpus.test, digit_images().test[:7])
    known = {tuple(row) for row in digit_images().training.tolist()}
    assert {tuple(row) for row in corpus.stream(5).sequences.tolist()} <= known
    assert corpus.stream(5).sequences.shape == (64, 64)


def test_text_is_tested_in_windows_that_do_not_overlap():
    text = documentation_text()
    corpus = training.load("text", replace(TEXT, tested=3), seed=3)
    assert corpus.vocabulary == len(text.characters)
    count = len(text.test) // 256
    starts = [0, (count - 1) // 2, count - 1]
    assert corpus.test.tolist() == [text.test[256 * s : 256 * (s + 1)].tolist() for s in starts]
    whole = training.load("text", replace(TEXT, tested=10_000), seed=3).test
    assert torch.equal(whole.flatten(), text.test[: count * 256])
    assert corpus.stream(5).sequences.shape == (8, 256)


@pytest.mark.parametrize("name", ["digits", "text"])
def test_seeds_change_what_is_trained_and_not_what_is_tested(name: str):
    task = getattr(TINY, name)
    one, other = (training.load(name, task, seed) for seed in (0, 1))
    assert torch.equal(one.test, other.test)
    assert one.baseline == other.baseline
    assert not torch.equal(one.stream(0).sequences, other.stream(0).sequences)


def test_bits_by_frequencies_by_hand():
    training_data = torch.tensor([[0, 1], [0, 1], [1, 1]])  # three sequences of two places
    # Place 0: 2.5, 1.5 and 0.5 of 4.5. Place 1: 0.5, 3.5 and 0.5 of 4.5.
    test = torch.tensor([[0, 1], [2, 0]])
    shares = [2.5 / 4.5, 3.5 / 4.5, 0.5 / 4.5, 0.5 / 4.5]
    by_hand = sum(-math.log2(share) for share in shares) / 4
    assert training.frequency_bits(training_data, test, 3) == pytest.approx(by_hand)


def test_the_baseline_of_digits_knows_each_pixels_own_frequencies():
    images = digit_images()
    everywhere = training.frequency_bits(
        images.training.reshape(-1, 1), images.test.reshape(-1, 1), 17
    )
    by_place = training.load("digits", DIGITS, 0).baseline
    assert by_place == training.frequency_bits(images.training, images.test, 17)
    assert by_place < everywhere - 0.5 < math.log2(17)


# ---- Patterns and what they cost


@pytest.mark.parametrize(
    "variant, expected",
    [
        ("digits_dense", {"kind": "dense", "width": 8, "summary": 2}),
        ("digits_strided", {"kind": "strided", "width": 8, "summary": 2}),
        ("digits_fixed", {"kind": "fixed", "width": 8, "summary": 2}),
        ("digits_window", {"kind": "window", "width": 8, "summary": 2}),
        ("digits_block", {"kind": "block", "width": 8, "summary": 2}),
        ("digits_strided_heads", {"kind": "strided", "width": 8, "merge": "heads"}),
        ("digits_strided_layers", {"kind": "strided", "width": 8, "merge": "layers"}),
        ("digits_wide", {"kind": "window", "width": 13}),
        ("text_fixed", {"kind": "fixed", "width": 16, "summary": 4}),
        ("text_strided", {"kind": "strided", "width": 16, "summary": 4}),
        ("text_wide", {"kind": "window", "width": 42}),
    ],
)
def test_the_patterns_of_the_record(variant: str, expected: dict[str, Any]):
    name, _, kind = variant.partition("_")
    found = training.pattern_of(name, kind, getattr(Config(), name))
    assert found == SparsePattern(**expected)


@pytest.mark.parametrize(
    "scores, n, width",
    [
        (1, 7, 1),
        (7, 7, 1),  # one each
        (8, 7, 2),  # 13 with two
        (13, 7, 2),
        (14, 7, 3),  # 6 + 4 * 3 = 18
        (27, 7, 6),
        (28, 7, 7),  # all pairs
    ],
)
def test_the_narrowest_window_by_hand(scores, n, width):
    assert training.window_with(scores, n) == width


def test_the_narrowest_window_counts_the_windows_pairs():
    for width in range(1, 12):
        window, _ = strided_masks(11, width)
        assert training.window_with(int(window.sum()), 11) == width
        if width < 11:
            assert training.window_with(int(window.sum()) + 1, 11) == width + 1


def test_mean_scores_by_hand():
    for task in (DIGITS, TEXT):
        n, size, summary = task.length, task.row, task.summary
        counts = {
            "dense": causal_scores(n),
            "strided": strided_scores(n, size),
            "fixed": fixed_scores(n, size, summary),
        }
        for kind, count in counts.items():
            pattern = SparsePattern(kind=kind, width=size, summary=summary)
            assert training.mean_scores(pattern, task) == count.needed


def test_mean_scores_of_sets_that_share_heads_or_layers():
    window, column = (int(mask.sum()) for mask in strided_masks(64, 8))
    assert (window, column) == (484, 288)
    three_layers = replace(DIGITS, num_layers=3)
    by_head = SparsePattern(kind="strided", width=8, merge="heads")
    assert training.mean_scores(by_head, three_layers) == (484 + 288) / 2
    by_layer = SparsePattern(kind="strided", width=8, merge="layers")
    assert training.mean_scores(by_layer, three_layers) == (2 * 484 + 288) / 3


@pytest.mark.parametrize("name, own", [("digits", "strided"), ("text", "fixed")])
def test_the_wide_window_costs_what_the_pattern_that_suits_the_data_costs(name, own):
    task = getattr(Config(), name)
    wide, suited = (
        training.mean_scores(training.pattern_of(name, kind, task), task) for kind in ("wide", own)
    )
    assert suited <= wide < 1.1 * suited


# ---- Networks


def test_under_one_seed_all_patterns_start_from_the_same_numbers_as_the_config_says():
    patterns = [training.pattern_of("digits", kind, DIGITS) for kind in ("dense", "block")]
    models = [training.untrained(DIGITS, pattern, 17, seed=3) for pattern in patterns]
    assert models[0].config.pattern.kind == "dense"
    assert models[1].config == replace(models[0].config, pattern=patterns[1])
    for one, other in zip(*(model.parameters() for model in models), strict=True):
        assert torch.equal(one, other)
    another = training.untrained(DIGITS, patterns[0], 17, seed=4)
    assert not torch.equal(another.start, models[0].start)
    config = models[0].config
    names = ("length", "row", "d_model", "num_layers", "num_heads", "d_ff", "dropout")
    assert [getattr(config, name) for name in names] == [getattr(DIGITS, name) for name in names]
    assert config.scaled_init


def test_making_a_network_leaves_the_callers_random_numbers():
    before = torch.get_rng_state()
    training.untrained(TINY.digits, SparsePattern(kind="dense", width=8), 17, seed=3)
    assert torch.equal(torch.get_rng_state(), before)


def test_loss_and_bits_by_hand(monkeypatch):
    pattern = SparsePattern(kind="window", width=8)
    model = training.untrained(TINY.digits, pattern, 17, seed=0).train()
    sequences = digit_images().test[:5]
    with torch.no_grad():
        logs = model.eval()(sequences).logits.log_softmax(dim=-1)
    nats = sum(
        -logs[image, place, sequences[image, place]].item()
        for image in range(5)
        for place in range(64)
    )
    loss = training.token_loss(model, TokenBatch(sequences))
    assert loss.item() == pytest.approx(nats / (5 * 64), rel=1e-5)
    wanted = nats / (5 * 64 * math.log(2))
    assert training.test_bits(model.train(), sequences) == pytest.approx(wanted, rel=1e-5)
    assert not model.training
    monkeypatch.setattr(training, "AT_ONCE", 2)  # a last part of one image
    assert training.test_bits(model, sequences) == pytest.approx(wanted, rel=1e-5)


# ---- What heads read


def picture(*rows: str) -> Tensor:
    return torch.tensor([[letter == "x" for letter in row] for row in rows])


def test_the_relations_in_a_picture_of_three_rows_by_hand():
    # Keys hold: the start, pixel 0, ..., pixel 4. Rows of two pixels: 0 1 / 2 3 / 4 5.
    found = geometry(6, 2)
    assert torch.equal(
        found["left"],
        picture("......", ".x....", "......", "...x..", "......", ".....x"),
    )
    assert torch.equal(
        found["above"],
        picture("......", "......", ".x....", "..x...", ".x.x..", "..x.x."),
    )
    assert torch.equal(
        found["window"],
        picture("......", ".x....", ".xx...", "..xx..", "...xx.", "....xx"),
    )


def test_the_pixel_above_stands_in_the_window_and_the_pattern_s_column_is_another():
    """A position holds the pixel before the one it predicts, so its column starts at that one."""
    found, (window, column) = geometry(64, 8), strided_masks(64, 8)
    assert not (found["window"] & ~window).any()
    assert not (found["above"] & column).any()
    nearest = found["above"] & window
    assert torch.equal(nearest.sum(dim=1), (torch.arange(64) >= 8).long())


def weights_of(*heads: Tensor) -> Tensor:
    """One image: [image, head, query, key]."""
    return torch.stack(heads)[None]


def rows(**row: list[float]) -> Tensor:
    """Weights of six queries; those that are not given read the start alone."""
    weights = torch.zeros(6, 6)
    weights[:, 0] = 1
    for name, values in row.items():
        weights[int(name[1:])] = torch.tensor(values)
    return weights


def test_reading_by_hand():
    # Queries 4 and 5 count. Of 5 and 6 keys: above 2 and 2, left 0 and 1, window 2 and 2.
    above, left, window = 2 / 5 + 2 / 6, 1 / 6, 2 / 5 + 2 / 6
    first = rows(q4=[0, 0.5, 0, 0.5, 0, 0], q5=[0, 0, 1, 0, 0, 0])
    second = rows(q4=[0, 0, 0, 0, 1, 0], q5=[0, 0, 0, 0, 0, 1])
    found = reading(weights_of(first, second), row=2, first=4)
    assert found[0] == pytest.approx(
        {
            "keys": (2 / 5 + 1 / 6) / 2,
            "left": 0,
            "above": (1 + 1) / above,
            "window": 0.5 / window,
        }
    )
    assert found[1] == pytest.approx(
        {"keys": (1 / 5 + 1 / 6) / 2, "left": 1 / left, "above": 0, "window": 2 / window}
    )


def test_uniform_reading_is_one_everywhere():
    uniform = torch.ones(7, 64, 64).tril() / torch.arange(1, 65)[:, None]
    for head in reading(uniform[None].expand(3, 7, 64, 64), row=8, first=24):
        assert head == pytest.approx({"keys": 1, "left": 1, "above": 1, "window": 1}, rel=1e-4)


def test_images_are_averaged_after_the_entropy_and_not_before():
    one, other = rows(q5=[0, 0, 1, 0, 0, 0]), rows(q5=[0, 0, 0, 0, 1, 0])
    both = torch.stack([one, other])[:, None]  # two images, each reads one key
    (head,) = reading(both, row=2, first=5)
    assert head["keys"] == pytest.approx(1 / 6)
    assert head["above"] == pytest.approx(3)  # either key stands above: 1 over 2 / 6


def test_read_by_layer_names_layers_and_heads_from_one():
    model = training.untrained(TINY.digits, SparsePattern(kind="dense", width=8), 17, seed=0)
    images = digit_images().test[:3]
    layers, mean = read_by_layer(model.train(), images, row=8, first=24)
    assert not model.training
    assert list(layers) == ["layer_1", "layer_2"]
    assert list(layers["layer_2"]) == ["head_1", "head_2"]
    assert mean.shape == (2, 2, 64, 64)
    with torch.no_grad():
        weights = model(images, need_weights=True).weights
    torch.testing.assert_close(mean[1], weights[1].mean(dim=0))
    assert layers["layer_2"]["head_1"] == reading(weights[1], 8, 24)[0]


# ---- Quantities


def read(name: str, *layers: tuple[float, ...]) -> Record:
    """A record of one reading, by layer and head."""
    reading = {
        f"layer_{layer}": {f"head_{head}": {name: value} for head, value in enumerate(heads, 1)}
        for layer, heads in enumerate(layers, 1)
    }
    return record_of("x", [{"digits_dense": {"reading": reading}}], {})


def test_the_largest_of_all_heads():
    assert quantities.largest(read("above", (0.5, 1), (2.1, 1), (2, 2)), "above") == (2.1,)


@pytest.mark.parametrize("others", [((1, 1), (1.5, 1.7)), ((1.5, 1.7), (1, 1))])
def test_the_first_layer_is_compared_with_the_most_local_of_all_others(others):
    assert quantities.more_local(read("window", (1, 3), *others)) == pytest.approx((0.4,))


def test_unread_is_a_mean_over_all_heads():
    record = read("keys", (0.2, 0.6), (0.5, 0.6))
    assert quantities.unread(record) == pytest.approx((0.525,))
    assert quantities.names(record) == {"unread_by_layer": "0.60, 0.45"}
