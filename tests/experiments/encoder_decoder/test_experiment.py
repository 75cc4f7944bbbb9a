"""Chapter 05's experiment: its measures by hand."""

import math
from dataclasses import replace

import pytest
import torch

from bottomup.attention import fused_attention
from bottomup.blocks import DecoderLayer, sinusoidal_positions
from bottomup.data import BOS, EOS, PAD, make_batch
from bottomup.data.minilang import SentencePair
from bottomup.experiments import Record
from bottomup.experiments.encoder_decoder import experiment as encoder_decoder
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
from bottomup.experiments.encoder_decoder.quantities import at_time
from bottomup.experiments.encoder_decoder.training import build, kept_model, transformer_config
from bottomup.experiments.encoder_decoder.unshifted import shuffled_references, unshifted
from bottomup.experiments.shared.translation import load_data
from bottomup.models import Transformer

CPU = torch.device("cpu")
NAME = "encoder_decoder"
TINY = encoder_decoder.PRESETS["tiny"]


def test_the_kept_weights_give_the_models_logits():
    data = load_data(TINY.corpus_size, TINY.corpus_seed)
    model = build(TINY, "transformer", data, 5)
    kept = kept_model(model, data)
    batch = make_batch(data.encode(data.test[:7]))
    with torch.no_grad():
        expected = model(batch).logits
        copy = Transformer(transformer_config(TINY, data))
        for name, parameter in copy.named_parameters():
            parameter.copy_(torch.from_numpy(kept[f"weights.{name}"]))
        found = copy(batch).logits
    assert tuple(kept["source_words"].tolist()) == data.source_words.tokens
    assert 0 < (found - expected).abs().max() < 0.02  # logits of about 1, in 11 bits


def test_the_largest_transformer_of_one_seed_is_kept(tiny: Record):
    assert {name.rsplit("/", 1)[0] for name in tiny.arrays} == {"transformer_3e-3_4/0"}


def test_a_curve_is_read_between_its_points_in_log_seconds():
    times, values = (40.0, 10.0, 20.0), (0.9, 0.1, 0.5)
    assert at_time(10.0, times, values) == pytest.approx(0.1)
    assert at_time(10 * math.sqrt(2), times, values) == pytest.approx(0.3)  # halfway to 20
    assert at_time(20 * 2**0.25, times, values) == pytest.approx(0.6)
    assert at_time(1.0, times, values) == pytest.approx(0.1)
    assert at_time(100.0, times, values) == pytest.approx(0.9)


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
