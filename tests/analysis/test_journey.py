"""A sentence's way through a Transformer: the same as the model's own, and measured rightly."""

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from bottomup.analysis import Station, Track, bearings, journey
from bottomup.data import Batch, make_batch
from bottomup.experiments.clinic.diseases import NoPositions, PositionsTwice
from bottomup.masks import causal_mask
from bottomup.models import Transformer, TransformerConfig
from tests.drawn import global_seed

SOURCES, TARGETS, D_MODEL, HEADS, D_FF = 17, 13, 6, 3, 11
LAYERS = {"encoder_layers": 2, "decoder_layers": 3}
N, M = 5, 4  # positions, with EOS and with BOS


def model_of(**options) -> Transformer:
    config = TransformerConfig(
        source_vocabulary=SOURCES,
        target_vocabulary=TARGETS,
        d_model=D_MODEL,
        num_heads=HEADS,
        d_ff=D_FF,
        **{**LAYERS, **options},
    )
    with global_seed(0):
        return Transformer(config).double()


def pair(source: list[int] | None = None, target: list[int] | None = None) -> Batch:
    return make_batch([(source or [7, 16, 4, 7], target or [12, 5, 9])])


def names(track: Track) -> list[tuple[str, int | None]]:
    return [(station.part, station.layer) for station in track.stations]


def at(track: Track, part: str, layer: int | None = None) -> Tensor:
    return next(one.x for one in track.stations if (one.part, one.layer) == (part, layer))


def difference(one: Tensor, other: Tensor) -> float:
    return float((one - other).detach().abs().max())


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("final_norm", [True, False])
@pytest.mark.parametrize("options", [{}, {"shared": "none", "positions": "learned"}])
def test_journey_ends_where_the_model_does(norm, final_norm, options):
    model, batch = model_of(norm=norm, final_norm=final_norm, **options), pair()
    made = journey(model, batch)
    memory = model.encode(batch.source, batch.source_mask)[0]
    assert difference(at(made.encoder, "norm"), memory) < 1e-12
    assert difference(at(made.decoder, "logits"), model(batch).logits[0]) < 1e-12


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_stream_after_a_layer_is_the_layers_own(norm):
    model, batch = model_of(norm=norm), pair()
    made = journey(model, batch)
    x = at(made.encoder, "positions")[None]
    for number, layer in enumerate(model.encoder_layers):
        x = layer(x)[0]
        assert difference(at(made.encoder, "feed_forward", number), x[0]) < 1e-12
    y, memory = at(made.decoder, "positions")[None], at(made.encoder, "norm")[None]
    for number, layer in enumerate(model.decoder_layers):
        y = layer(y, memory, causal_mask(M))[0]
        assert difference(at(made.decoder, "feed_forward", number), y[0]) < 1e-12


def test_stations_stand_in_the_order_in_which_they_are_passed():
    made = journey(model_of(encoder_layers=1, decoder_layers=2), pair())
    start = [("tokens", None), ("embedding", None), ("positions", None)]
    assert names(made.encoder) == [*start, ("attention", 0), ("feed_forward", 0), ("norm", None)]
    layers = [
        (part, layer)
        for layer in range(2)
        for part in ("attention", "cross_attention", "feed_forward")
    ]
    assert names(made.decoder) == [*start, *layers, ("norm", None), ("logits", None)]


@pytest.mark.parametrize("residual", [True, False])
def test_every_station_has_its_shape(residual):
    made = journey(model_of(), pair(), residual=residual)
    assert made.residual is residual
    for track, n in ((made.encoder, N), (made.decoder, M)):
        shapes = {one.part: tuple(one.x.shape) for one in track.stations}
        assert shapes.pop("tokens") == (n,)
        assert shapes.pop("logits", (M, TARGETS)) == (M, TARGETS)
        assert set(shapes.values()) == {(n, D_MODEL)}
    assert made.encoder.tokens.tolist() == [7, 16, 4, 7, 2]
    assert made.decoder.tokens.tolist() == [1, 12, 5, 9]
    assert made.decoder.following.tolist() == [12, 5, 9, 2]
    assert made.encoder.following is None and made.encoder.answers is None


def test_without_residuals_pre_norm_keeps_the_update_alone():
    model = model_of()
    made = journey(model, pair(), residual=False)
    layer = model.encoder_layers[0]
    read = layer.around_attention.norm(at(made.encoder, "positions")[None])
    update = layer.attention(read, read, read)[0]
    assert difference(at(made.encoder, "attention", 0), update[0]) < 1e-12
    read = layer.around_feed_forward.norm(update)
    assert difference(at(made.encoder, "feed_forward", 0), layer.feed_forward(read)[0]) < 1e-12


def test_without_residuals_post_norm_normalises_the_update_alone():
    model = model_of(norm="post")
    made = journey(model, pair(), residual=False)
    layer = model.decoder_layers[0]
    y = at(made.decoder, "attention", 0)[None]
    memory = at(made.encoder, "norm")[None]
    update = layer.cross_attention(y, memory, memory)[0]
    expected = layer.around_cross_attention.norm(update)[0]
    assert difference(at(made.decoder, "cross_attention", 0), expected) < 1e-12


def test_model_is_left_as_it_was_and_dropout_rests():
    model = model_of(dropout=0.5).train()
    first, second = journey(model, pair()), journey(model, pair())
    assert torch.equal(at(first.decoder, "logits"), at(second.decoder, "logits"))
    assert model.training and all(part.training for part in model.modules())
    assert not at(first.decoder, "logits").requires_grad


# Three positions in three dimensions. The tokens' rows have the mean (1, 1, 1).
WORDS = torch.tensor([[3.0, 0, 0], [0, 3, 0], [0, 0, 3], [9, 9, -18]], dtype=torch.float64)
PLACES = torch.tensor([[0.0, 0, 5], [1, 0, 5], [2, 0, 5]], dtype=torch.float64)


def track_of(x: list[list[float]], **changes) -> Track:
    stream = torch.tensor(x, dtype=torch.float64)
    tokens = torch.tensor([0, 1, 2])
    return replace(
        Track((Station("embedding", None, stream),), tokens, WORDS, PLACES), **changes
    )  # fmt: skip


def test_cosines_are_those_of_what_is_left_without_the_mean():
    [found] = bearings(track_of([[7.0, 4, 4], [4, 7, 4], [4, 4, 7]]))  # the rows plus (4, 4, 4)
    assert found.length.tolist() == pytest.approx([9.0] * 3)
    assert found.apart.tolist() == pytest.approx([math.sqrt(6)] * 3)  # (2, -1, -1) and the like
    assert found.word.tolist() == pytest.approx([1.0] * 3)
    assert found.word_nearest.tolist() == [True] * 3
    # Without their mean the places are (-1, 0, 0), 0 and (1, 0, 0).
    assert found.place.tolist() == pytest.approx([-2 / math.sqrt(6), 0, -1 / math.sqrt(6)])
    assert found.place_nearest.tolist() == [False, False, False]


def test_another_row_of_the_vocabulary_may_be_nearer():
    # Without their means the stream is (2, 2, -4) at position 0, the fourth row (8, 8, -19).
    [found] = bearings(track_of([[2.0, 2, -4], [-1, -1, 2], [-1, -1, 2]]))
    assert found.word[0].item() == pytest.approx((4 - 2 + 4) / math.sqrt(24 * 6))
    assert found.word_nearest.tolist() == [False, False, True]


def test_positions_that_are_all_alike_point_nowhere():
    [found] = bearings(track_of([[2.0, 1, 2]] * 3))
    assert found.length.tolist() == [3.0] * 3
    for measure in (found.apart, found.word, found.place):
        assert measure.tolist() == [0.0] * 3
    assert not found.word_nearest.any() and not found.place_nearest.any()


def test_decoder_is_compared_with_what_follows():
    x = [[3.0, 0, 0], [0, 3, 0], [0, 0, 3]]
    [found] = bearings(track_of(x, following=torch.tensor([1, 2, 0]), answers=WORDS))
    assert found.following.tolist() == pytest.approx([-0.5] * 3)
    assert found.following_nearest.tolist() == [False] * 3
    [none] = bearings(track_of(x))
    assert none.following is None and none.following_nearest is None


@pytest.mark.parametrize(
    "batch, message",
    [
        (make_batch([([4], [5]), ([6], [7])]), "batch: expected one sentence pair, got 2"),
        (pair(target=[99]), "target_in: expected token numbers in"),
        (make_batch([([4], [])]), "batch: expected a target of at least 2 positions, got 1"),
        (replace(pair(), source_mask=torch.tensor([[True] * 4 + [False]])), "batch: expected a"),
    ],
)
def test_wrong_batches_are_refused(batch, message):
    with pytest.raises(ValueError, match=message):
        journey(model_of(), batch)


def test_other_wrong_arguments_are_refused_by_name():
    with pytest.raises(TypeError, match="model: expected a Transformer, got Linear"):
        journey(torch.nn.Linear(2, 2), pair())
    with pytest.raises(TypeError, match="batch: expected a Batch, got list"):
        journey(model_of(), [[4], [5]])
    with pytest.raises(ValueError, match="residual: expected one of True, False, got 'off'"):
        journey(model_of(), pair(), residual="off")
    with pytest.raises(TypeError, match="track: expected a Track, got Journey"):
        bearings(journey(model_of(), pair()))


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("kind", [NoPositions, PositionsTwice])
def test_an_heir_that_goes_another_way_is_refused(kind, residual):
    with global_seed(0):
        model = kind(model_of().config).double()
    message = f"model: expected a Transformer whose .*, got {kind.__name__}"
    with pytest.raises(TypeError, match=message):
        journey(model, pair(), residual=residual)


class Same(Transformer):
    """Does nothing else."""


def test_an_heir_that_goes_the_same_way_is_followed():
    with global_seed(0):
        model = Same(model_of().config)
    logits = journey(model, pair()).decoder.stations[-1].x
    assert difference(logits, model(pair()).logits[0]) < 1e-5
    cut, whole = (journey(each.double(), pair(), residual=False) for each in (model, model_of()))
    assert torch.equal(cut.decoder.stations[-1].x, whole.decoder.stations[-1].x)
