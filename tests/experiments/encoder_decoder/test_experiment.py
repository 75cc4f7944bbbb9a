"""Chapter 05's experiment: its measures by hand, and a tiny run of every part."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bottomup import experiments
from bottomup.attention import fused_attention
from bottomup.blocks import DecoderLayer, sinusoidal_positions
from bottomup.data import BOS, EOS, PAD, make_batch
from bottomup.data.minilang import SentencePair
from bottomup.experiments import Record, load_record
from bottomup.experiments.encoder_decoder import experiment as encoder_decoder
from bottomup.experiments.encoder_decoder.config import (
    Config,
    Trained,
    trained_variants,
)
from bottomup.experiments.encoder_decoder.exact import (
    future_change,
    measure_exact,
    padding_digits,
    parity,
    random_transformer,
)
from bottomup.experiments.encoder_decoder.positions import (
    SETTINGS,
    Setting,
    probe_accuracy,
    streams_of,
    untrained_layers,
)
from bottomup.experiments.encoder_decoder.quantities import ahead, at_time
from bottomup.experiments.encoder_decoder.training import build, kept_model, transformer_config
from bottomup.experiments.encoder_decoder.unshifted import shuffled_references, unshifted
from bottomup.experiments.shared.translation import load_data
from bottomup.models import Transformer
from tests.experiments.records import alike

SEEDS = (0, 1, 2)
CPU = torch.device("cpu")
TINY = encoder_decoder.PRESETS["tiny"]
CLAIMS = [
    "05.1a", "05.1b", "05.2a", "05.2b", "05.2c", "05.3a", "05.3b", "05.3c",
    "05.5a", "05.5b", "05.5c", "05.5d", "05.6a", "05.6b",
]  # fmt: skip


@pytest.fixture(scope="module")
def tiny() -> Record:
    return encoder_decoder.run(TINY, SEEDS, "cpu")


@pytest.mark.slow
def test_a_tiny_run_gives_every_part_and_every_claim(tiny: Record):
    assert set(tiny.runs[0]["metrics"]) == {
        "exact", "positions", "unshifted",
        "gru_3e-3_3", "gru_6e-3_3", "gru_6e-3_4",
        "transformer_3e-3_3", "transformer_6e-3_3", "transformer_3e-3_4",
    }  # fmt: skip
    assert [claim.id for claim in experiments.claims(tiny)] == CLAIMS
    for name in ("gru_6e-3_4", "transformer_3e-3_4", "unshifted"):
        assert all(0 <= value <= 1 for value in tiny.metric(f"{name}.exact"))
        assert all(value > 0 for value in tiny.metric(f"{name}.loss"))
    assert all(seconds > 0 for seconds in tiny.metric("gru_6e-3_4.cpu_seconds"))
    assert all(0 <= value <= 1 for value in tiny.metric("positions.post.both.2"))


@pytest.mark.slow
def test_the_largest_transformer_of_one_seed_is_kept(tiny: Record, tmp_path: Path):
    tiny.save(tmp_path / "tiny.json")
    record = load_record(tmp_path / "tiny.json")
    prefix = "transformer_3e-3_4/0/"
    assert all(name.startswith(prefix) for name in record.arrays)
    data = load_data(TINY.corpus_size, TINY.corpus_seed)
    assert tuple(record.arrays[f"{prefix}source_words"].tolist()) == data.source_words.tokens
    assert tuple(record.arrays[f"{prefix}target_tokens"].tolist()) == data.target_tokens.tokens
    kept = {name.removeprefix(prefix): array for name, array in record.arrays.items()}
    model = read_back(kept)
    assert sum(p.numel() for p in model.parameters()) == record.metric(
        "transformer_3e-3_4.parameters"
    )[0]  # fmt: skip
    for name, _ in model.named_parameters():
        assert kept[f"weights.{name}"].dtype == np.float16


def read_back(arrays: dict[str, np.ndarray]) -> Transformer:
    model = Transformer(transformer_config(TINY, load_data(TINY.corpus_size, TINY.corpus_seed)))
    weights = {
        name.removeprefix("weights."): torch.from_numpy(array).float()
        for name, array in arrays.items()
        if name.startswith("weights.")
    }
    model.load_state_dict(weights, strict=True)
    return model


def test_the_kept_weights_give_the_models_logits():
    data = load_data(TINY.corpus_size, TINY.corpus_seed)
    model = build(TINY, "transformer", data, 5)
    batch = make_batch(data.encode(data.test[:7]))
    with torch.no_grad():
        expected = model(batch).logits
        found = read_back(kept_model(model, data))(batch).logits
    assert 0 < (found - expected).abs().max() < 0.02  # logits of about 1, in 11 bits


def test_a_variant_names_kind_rate_and_steps():
    assert Trained.parse("transformer_15e-4_2400") == Trained("transformer", "15e-4", 2400)
    assert Trained.parse("gru_3e-3_600").name == "gru_3e-3_600"


def test_the_sweep_and_the_budgets_share_the_best_rate():
    config = Config(rates=("1e-3", "2e-3"), gru_rate="1e-3", transformer_rate="2e-3",
                    sweep_steps=600, budgets=(150, 2400))  # fmt: skip
    assert [each.name for each in trained_variants(config)] == [
        "gru_1e-3_600", "transformer_1e-3_600", "gru_2e-3_600", "transformer_2e-3_600",
        "gru_1e-3_150", "transformer_2e-3_150", "gru_1e-3_2400", "transformer_2e-3_2400",
    ]  # fmt: skip
    laptop = trained_variants(encoder_decoder.PRESETS["laptop"])
    assert [(each.kind, each.steps) for each in laptop] == [("gru", 600), ("transformer", 600)]


def test_a_curve_is_read_between_its_points_in_log_seconds():
    times, values = (40.0, 10.0, 20.0), (0.9, 0.1, 0.5)
    assert at_time(10.0, times, values) == pytest.approx(0.1)
    assert at_time(10 * math.sqrt(2), times, values) == pytest.approx(0.3)  # halfway to 20
    assert at_time(20 * 2**0.25, times, values) == pytest.approx(0.6)
    assert at_time(1.0, times, values) == pytest.approx(0.1)
    assert at_time(100.0, times, values) == pytest.approx(0.9)


def made_up(*, gru: float, **parts: dict[str, Any]) -> Record:
    """A record of the recorded preset whose seeds all have the same metrics."""
    config = encoder_decoder.PRESETS["recorded"]
    metrics: dict[str, Any] = dict(parts)
    for trained in trained_variants(config):
        place = config.all_budgets.index(trained.steps)
        exact = gru if trained.kind == "gru" else 0.1 + 0.2 * place
        exact += 0.01 if trained.rate == "6e-3" else 0.0
        metrics[trained.name] = {
            "cpu_seconds": trained.steps / 10,
            "exact": exact,
            "exact_by_length": {"16-20": exact / 2},
            "parameters": 7_000,
        }
    return alike("encoder_decoder", metrics, config)


def test_models_are_compared_at_equal_time():
    record = made_up(gru=0.4)  # the Transformer has 0.1 at 15 seconds, 0.5 at 60
    assert ahead(record, "600", "exact") == pytest.approx((0.1,) * 3)
    assert ahead(record, "150", "exact") == pytest.approx((-0.3,) * 3)
    assert ahead(record, "600", "exact_by_length.16-20") == pytest.approx((0.05,) * 3)


def test_the_claims_name_the_best_rate_and_judge_the_larger_accuracy():
    accuracy = {"both": 0.6, "attention_only": 0.1, "ffn_only": 0.1, "none": 0.2,
                "none_readded": 0.3}  # fmt: skip
    by_layer = {name: {"6": value} for name, value in accuracy.items()}
    exact = dict.fromkeys(("parity", "gradient", "padding", "cache"), 14.0)
    record = made_up(
        gru=0.05,
        exact={**{f"{name}_digits": found for name, found in exact.items()}, "future_changed": 0.0},
        positions={"post": by_layer, "pre": by_layer, "tokens": {"post": accuracy}},
        unshifted={"loss": 0.01, "exact": 0.0, "bleu": 1.0, "chance": {"bleu": 2.0, "exact": 0.0}},
    )
    found = {claim.id: claim for claim in experiments.claims(record)}
    assert "has 0.50 at this rate, 0.51 at its best in the record, 6e-3" in found["05.3a"].measured
    assert "0.25 at this rate, 0.26 at its best in the record, 6e-3" in found["05.3b"].measured
    assert found["05.5b"].values == (0.2,) * 3


def test_an_exact_part_is_exact_and_notices_an_error(monkeypatch: pytest.MonkeyPatch):
    found = measure_exact(3, CPU)
    assert min(found[f"{name}_digits"] for name in ("parity", "gradient", "padding", "cache")) > 12
    assert found["future_changed"] == 0
    assert found["parameters"]["base"]["all"] == 63_082_496
    model, pairs = random_transformer(3), [([5, 7, 11], [5, 6]), ([5], [7, 8, 9, 10, 11])]
    batch = make_batch(pairs)
    causal = DecoderLayer.forward
    monkeypatch.setattr(
        DecoderLayer, "forward", lambda *args, **given: causal(*args, **given | {"causal": False})
    )
    with torch.no_grad():
        assert future_change(model, batch) > 0.01
        assert padding_digits(model, pairs, CPU) < 6  # the decoder now reads its own padding
    assert max(parity(model, batch)) < 6


def test_with_all_residuals_the_probed_stream_is_the_layers_own():
    config = replace(TINY, probe_width=14, probe_heads=2)
    x = torch.randn(3, 5, 14, generator=torch.Generator().manual_seed(0))
    positions = sinusoidal_positions(5, 14)
    for norm in ("post", "pre"):
        layers = untrained_layers(config, norm, 1, CPU)
        with torch.no_grad():
            streams = streams_of(layers, x, positions, SETTINGS["both"])
            expected = x + positions
            for layer, stream in zip(layers, streams[1:], strict=True):
                expected, _ = layer(expected)
                assert torch.equal(stream, expected)
        assert torch.equal(streams[0], x + positions)


def test_without_residuals_a_layer_gives_its_updates_alone():
    config = replace(TINY, probe_width=14, probe_heads=2, probe_layers=1)
    x, positions = torch.zeros(1, 5, 14), sinusoidal_positions(5, 14)
    (layer,) = untrained_layers(config, "post", 1, CPU)
    with torch.no_grad():
        _, top = streams_of([layer], x, positions, SETTINGS["none"])
        read = (x + positions).expand(1, 5, 14)
        after = layer.around_attention.norm(
            layer.attention(read, read, read, attend=fused_attention)[0]
        )
        assert torch.equal(top, layer.around_feed_forward.norm(layer.feed_forward(after)))
        _, one = streams_of([layer], x, positions, Setting(attention=False, feed_forward=True))
        expected = layer.around_feed_forward.norm(after + layer.feed_forward(after))
        assert torch.equal(one, expected)


def test_positions_are_added_again_before_every_other_layer():
    config = replace(TINY, probe_width=14, probe_heads=2, probe_layers=2)
    x, positions = torch.ones(1, 5, 14), sinusoidal_positions(5, 14)
    layers = untrained_layers(config, "post", 1, CPU)
    with torch.no_grad():
        first, middle, top = streams_of(layers, x, positions, SETTINGS["both_readded"])
        assert torch.equal(first, x + positions)
        assert torch.equal(middle, layers[0](first)[0])
        assert torch.equal(top, layers[1](middle + positions)[0])


def test_a_probe_reads_what_is_there_and_nothing_else():
    labels = torch.arange(5).expand(13, 5)
    there = torch.nn.functional.one_hot(labels).float()
    assert probe_accuracy(there, labels, classes=5, train=11, seed=0) == 1
    same = torch.ones(13, 5, 3)
    assert probe_accuracy(same, labels, classes=5, train=11, seed=0) == pytest.approx(1 / 5)


def test_an_unshifted_batch_by_hand():
    batch = make_batch([([5], [6, 7]), ([8, 9], [10])])
    assert batch.target_in.tolist() == [[BOS, 6, 7], [BOS, 10, PAD]]
    wrong = unshifted(batch)
    assert wrong.target_in.tolist() == [[6, 7, EOS], [10, EOS, PAD]]
    assert torch.equal(wrong.target_in, wrong.target_out)
    assert torch.equal(wrong.target_mask, batch.target_mask)
    assert torch.equal(wrong.source, batch.source)


def test_references_are_shuffled_among_sources_of_one_length():
    pairs = [
        SentencePair(tuple("abc"[: 1 + place % 3]), (f"{place % 3}", f"{place}"), ())
        for place in range(30)
    ]
    guessed = shuffled_references(pairs, 1)
    assert [tokens[0] for tokens in guessed] == [pair.target[0] for pair in pairs]
    assert sorted(tokens[1] for tokens in guessed) == sorted(pair.target[1] for pair in pairs)
    assert (
        sum(tokens[1] == pair.target[1] for tokens, pair in zip(guessed, pairs, strict=True)) < 10
    )
    assert guessed == shuffled_references(pairs, 1)
