"""Chapter 07's trainings: a tiny run of all, its measures by hand."""

import math
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from bottomup.attention import (
    SparsePattern,
    strided_masks,
)
from bottomup.data import TokenBatch, digit_images, documentation_text
from bottomup.experiments import Record
from bottomup.experiments.sparse_transformers.training import experiment as training
from bottomup.experiments.sparse_transformers.training.config import DIGITS, TEXT, Config
from bottomup.experiments.sparse_transformers.training.reading import (
    geometry,
    read_by_layer,
    reading,
)

CPU = torch.device("cpu")
NAME = "sparse_transformers_training"
TINY = training.PRESETS["tiny"]


# ---- A tiny run


def test_a_curve_ends_with_the_bits_of_the_record_near_a_uniform_guess(tiny: Record):
    for variant, found in tiny.runs[0]["metrics"].items():
        vocabulary = 17 if "digits" in variant else len(documentation_text().characters)
        assert found["bits"] == pytest.approx(math.log2(vocabulary), abs=1.2)  # after four steps
        assert list(found["curve"]) == ["step_2", "step_4"]
        early, late = found["curve"].values()
        assert early["bits"] != late["bits"] == found["bits"]
        assert 0 < early["seconds"] < late["seconds"]


# ---- Data


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


def test_bits_by_frequencies_by_hand():
    training_data = torch.tensor([[0, 1], [0, 1], [1, 1]])  # three sequences of two places
    # Place 0: 2.5, 1.5 and 0.5 of 4.5. Place 1: 0.5, 3.5 and 0.5 of 4.5.
    test = torch.tensor([[0, 1], [2, 0]])
    shares = [2.5 / 4.5, 3.5 / 4.5, 0.5 / 4.5, 0.5 / 4.5]
    by_hand = sum(-math.log2(share) for share in shares) / 4
    assert training.frequency_bits(training_data, test, 3) == pytest.approx(by_hand)


# ---- Patterns and what they cost


@pytest.mark.parametrize(
    "variant, expected",
    [
        ("digits_dense", {"kind": "dense", "width": 8, "summary": 2}),
        ("digits_strided_heads", {"kind": "strided", "width": 8, "merge": "heads"}),
        ("digits_strided_layers", {"kind": "strided", "width": 8, "merge": "layers"}),
        ("digits_wide", {"kind": "window", "width": 13}),
        ("text_fixed", {"kind": "fixed", "width": 16, "summary": 4}),
        ("text_wide", {"kind": "window", "width": 42}),
    ],
)
def test_the_patterns_of_the_record(variant: str, expected: dict[str, Any]):
    name, _, kind = variant.partition("_")
    found = training.pattern_of(name, kind, getattr(Config(), name))
    assert found == SparsePattern(**expected)


def test_the_narrowest_window_counts_the_windows_pairs():
    for width in range(1, 12):
        window, _ = strided_masks(11, width)
        assert training.window_with(int(window.sum()), 11) == width
        if width < 11:
            assert training.window_with(int(window.sum()) + 1, 11) == width + 1


def test_mean_scores_of_sets_that_share_heads_or_layers():
    window, column = (int(mask.sum()) for mask in strided_masks(64, 8))
    assert (window, column) == (484, 288)
    dense = SparsePattern(kind="dense", width=8)
    assert training.mean_scores(dense, DIGITS) == 64 * 65 / 2
    three_layers = replace(DIGITS, num_layers=3)
    by_head = SparsePattern(kind="strided", width=8, merge="heads")
    assert training.mean_scores(by_head, three_layers) == (484 + 288) / 2
    by_layer = SparsePattern(kind="strided", width=8, merge="layers")
    assert training.mean_scores(by_layer, three_layers) == (2 * 484 + 288) / 3


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
