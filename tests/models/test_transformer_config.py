import pytest
import torch

from bottomup.models import Transformer, TransformerConfig, parameter_count
from tests.models.test_transformer import D_FF, D_MODEL, HEADS, KINDS, LONGEST, SIZES

WORDS = {"source_vocabulary": 37_000, "target_vocabulary": 37_000}


# ---- The configuration


@pytest.mark.parametrize(
    "options, message",
    [
        ({"num_heads": 4}, "num_heads: expected a divisor of d_model=6, got 4"),
        ({"shared": "all"}, "shared: .*source_vocabulary=17, target_vocabulary=13"),
        ({"d_model": 9}, "d_model: expected an even width with sinusoidal positions, got 9"),
    ],
)
def test_a_bad_configuration_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        TransformerConfig(**{**SIZES, **options})


# ---- Presets


def test_the_paper_s_models():
    base, big = (TransformerConfig.preset(name, **WORDS) for name in ("base", "big"))
    sizes = [(c.d_model, c.num_heads, c.d_ff, c.dropout) for c in (base, big)]
    assert sizes == [(512, 8, 2048, 0.1), (1024, 16, 4096, 0.3)]
    for config in (base, big):
        assert (config.encoder_layers, config.decoder_layers) == (6, 6)
        assert (config.norm, config.ends_in_norm) == ("post", False)
        assert (config.shared, config.positions, config.activation) == ("all", "sinusoidal", "relu")


def test_small_presets_take_two_vocabularies():
    for name in ("laptop", "tiny"):
        config = TransformerConfig.preset(name, source_vocabulary=17, target_vocabulary=13)
        assert (config.source_vocabulary, config.target_vocabulary) == (17, 13)
    with pytest.raises(ValueError, match="shared: expected 'none' or 'target'"):
        TransformerConfig.preset("base", source_vocabulary=17, target_vocabulary=13)


# ---- The number of parameters

ATTENTION = 4 * (D_MODEL * D_MODEL + D_MODEL)
FEED_FORWARD = 2 * D_MODEL * D_FF + D_FF + D_MODEL
NORM = 2 * D_MODEL


def test_the_parts_by_hand():
    config = TransformerConfig(**SIZES, positions="learned", shared="none")
    assert parameter_count(config) == {
        "embeddings": (17 + 2 * 13) * D_MODEL,
        "positions": 2 * LONGEST * D_MODEL,
        "encoder_attention": 2 * ATTENTION,
        "encoder_feed_forward": 2 * FEED_FORWARD,
        "norms": (2 * 2 + 3 * 3 + 2) * NORM,
        "decoder_attention": 3 * ATTENTION,
        "cross_attention": 3 * ATTENTION,
        "decoder_feed_forward": 3 * FEED_FORWARD,
    }
    assert (ATTENTION, FEED_FORWARD, HEADS) == (168, 149, 3)


@pytest.mark.parametrize("options", KINDS.values(), ids=KINDS)
def test_the_parts_add_up_to_the_model(options):
    config = TransformerConfig(**{**SIZES, **options})
    with torch.random.fork_rng(devices=[]):
        model = Transformer(config)
    counted = sum(parameter.numel() for parameter in model.parameters())
    assert sum(parameter_count(config).values()) == counted


def test_the_base_model_with_a_shared_vocabulary_has_63_million():
    counts = parameter_count(TransformerConfig.preset("base", **WORDS))
    total, layers = sum(counts.values()), sum(counts.values()) - counts["embeddings"]
    assert total == 63_082_496
    assert counts["embeddings"] == 37_000 * 512
    network = counts["encoder_feed_forward"] + counts["decoder_feed_forward"]
    assert network / layers == pytest.approx(0.57, abs=0.005)
    assert network / total == pytest.approx(0.40, abs=0.005)


def test_counting_refuses_what_is_no_configuration():
    with pytest.raises(TypeError, match="config: expected a TransformerConfig, got str"):
        parameter_count("base")
