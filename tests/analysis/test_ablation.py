"""Ablation: what stands in the place of a part's output, and that nothing of it stays behind."""

from contextlib import nullcontext

import pytest
import torch
from torch import Tensor, nn

from bottomup.analysis import ablated
from bottomup.models import LanguageModel
from tests.analysis.small import D_MODEL, MAX_LENGTH, VOCABULARY, hooks, language_model
from tests.drawn import seeded

BATCH, N = 5, 4
PARTS = ("attention", "feed_forward")
for_each_part = pytest.mark.parametrize("part", PARTS)


def model_of(**options) -> LanguageModel:
    return language_model(**options).double()


def tokens(batch: int = BATCH, n: int = N, seed: int = 2) -> Tensor:
    return torch.randint(VOCABULARY, (batch, n), generator=seeded(seed))


def update_of(layer: nn.Module, part: str, x: Tensor) -> Tensor:
    """What a part of a pre-norm layer adds to the stream `x` that stands before the part."""
    if part == "feed_forward":
        return layer.feed_forward(layer.around_feed_forward.read(x))
    read = layer.around_attention.read(x)
    causal = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
    return layer.attention(read, read, read, causal)[0]


def before(model: LanguageModel, layer: int, part: str, ids: Tensor) -> Tensor:
    """The stream before a part of a pre-norm layer."""
    x = model(ids).states[layer]
    return x if part == "attention" else x + update_of(model.layers[layer], "attention", x)


# ---- Zero


@for_each_part
def test_one_part_of_one_layer_is_taken_away_and_nothing_else(part):
    model, ids = model_of(), tokens()
    intact = model(ids)
    with ablated(model, layer=1, part=part, kind="zero"):
        output = model(ids)
    assert torch.equal(output.states[1], intact.states[1])
    x = intact.states[1]
    other = "attention" if part == "feed_forward" else "feed_forward"
    torch.testing.assert_close(output.states[2], x + update_of(model.layers[1], other, x))
    assert not torch.allclose(output.logits, intact.logits)


@for_each_part
@pytest.mark.parametrize("kind", ["zero", "mean"])
def test_all_layers_are_each_layer_after_the_other(part, kind):
    model, ids = model_of(), tokens()
    given = {"part": part, "kind": kind, "reference": tokens(11, seed=5)}
    with ablated(model, layer=None, **given):
        at_once = model(ids).logits
    # the means of the second layer are those of the model whose first layer is whole
    with ablated(model, layer=1, **given), ablated(model, layer=0, **given):
        nested = model(ids).logits
    assert torch.equal(at_once, nested)


# ---- Mean


@pytest.mark.parametrize("layer", [0, 1])
@for_each_part
def test_the_mean_is_taken_over_the_reference_s_sequences_for_each_position(part, layer):
    model, ids, reference = model_of(), tokens(), tokens(11, N, seed=5)
    mean = update_of(model.layers[layer], part, before(model, layer, part, reference)).mean(0)
    expected = before(model, layer, part, ids) + mean
    if part == "attention":
        expected = expected + update_of(model.layers[layer], "feed_forward", expected)
    with ablated(model, layer=layer, part=part, kind="mean", reference=reference):
        output = model(ids)
    torch.testing.assert_close(output.states[layer + 1], expected)
    assert not torch.allclose(output.states[layer + 1], model(ids).states[layer + 1])


def test_a_shorter_sequence_takes_the_first_positions():
    model, ids, reference = model_of(), tokens(), tokens(11, MAX_LENGTH, seed=5)
    with ablated(model, layer=None, part="attention", kind="mean", reference=reference):
        whole, shorter = model(ids), model(ids[:, :2])
    torch.testing.assert_close(shorter.logits, whole.logits[:, :2])


def test_a_longer_sequence_is_refused():
    model = model_of()
    message = "reference: expected sequences of at least 7 positions, got 4"
    with (
        ablated(model, layer=0, part="attention", kind="mean", reference=tokens()),
        pytest.raises(ValueError, match=message),
    ):
        model(tokens(n=MAX_LENGTH))
    assert hooks(model) == 0


def test_no_gradient_flows_through_a_mean():
    model = model_of()
    given = {"layer": None, "part": "feed_forward", "kind": "mean", "reference": tokens(11)}
    with ablated(model, **given):
        model(tokens()).logits.sin().sum().backward()
    assert model.layers[0].feed_forward.W_in.weight.grad is None
    assert model.layers[0].attention.W_V.weight.grad.abs().sum() > 0


# ---- Resample


def partners(model: LanguageModel, ids: Tensor, generator: torch.Generator) -> list[int]:
    """Whose update each sequence got, in a model of one attention layer."""
    intact = model(ids).states[1] - model.embed(ids)
    with ablated(model, layer=0, part="attention", kind="resample", generator=generator):
        updates = model(ids).states[1] - model.embed(ids)
    distance = (updates[:, None] - intact).abs().amax((-1, -2))  # [taker, giver]
    assert (distance.amin(1) < 1e-12).all()
    assert ((distance < 1e-12).sum(1) == 1).all()
    return distance.argmin(1).tolist()


def test_every_sequence_gets_the_update_of_another_and_each_is_used_once():
    model, ids = model_of(num_layers=1, feed_forward=False), tokens()
    for seed in range(5):
        found = partners(model, ids, seeded(seed))
        assert sorted(found) == list(range(BATCH))
        assert all(giver != taker for taker, giver in enumerate(found))


def test_the_generator_decides_and_nothing_else_is_drawn_from():
    model, ids = model_of(num_layers=1, feed_forward=False), tokens()
    state = torch.get_rng_state()
    one, again, other = (partners(model, ids, seeded(seed)) for seed in (0, 0, 1))
    assert one == again != other
    assert torch.equal(torch.get_rng_state(), state)


@for_each_part
def test_one_circle_holds_for_the_whole_block(part):
    model, ids = model_of(), tokens()
    generator = seeded()
    given = {"layer": None, "part": part, "kind": "resample", "generator": generator}
    with ablated(model, **given):
        one, half, again = model(ids).logits, model(ids[:3]).logits, model(ids).logits
    assert torch.equal(one, again)
    assert half.shape == (3, N, VOCABULARY)
    with ablated(model, **given):  # the generator has moved on
        assert not torch.allclose(model(ids).logits, one)


def test_one_sequence_alone_has_nobody_to_take_from():
    model = model_of()
    message = "batch: expected at least 2 sequences to resample from, got 1"
    with (
        ablated(model, layer=0, part="attention", kind="resample", generator=seeded()),
        pytest.raises(ValueError, match=message),
    ):
        model(tokens(1))


# ---- What stays and what goes


def test_the_weights_that_are_returned_are_those_the_layer_computed():
    model, ids = model_of(), tokens()
    intact = model(ids, need_weights=True)
    with ablated(model, layer=1, part="attention", kind="zero"):
        output = model(ids, need_weights=True)
    for one, other in zip(intact.weights, output.weights, strict=True):
        assert torch.equal(one, other)


KINDS = {
    "zero": lambda: {},
    "mean": lambda: {"reference": tokens()},
    "resample": lambda: {"generator": seeded()},
}


@for_each_part
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fails", [False, True])
def test_the_model_is_whole_again_after_the_block(kind, part, fails):
    model, ids = model_of(), tokens()
    intact = model(ids).logits
    with pytest.raises(RuntimeError, match="on purpose") if fails else nullcontext():  # noqa: SIM117
        with ablated(model, layer=None, part=part, kind=kind, **KINDS[kind]()):
            assert hooks(model) == 2
            assert not torch.allclose(model(ids).logits, intact)
            if fails:
                raise RuntimeError("on purpose")
    assert hooks(model) == 0
    assert torch.equal(model(ids).logits, intact)


def test_a_reference_that_is_refused_leaves_nothing_behind():
    model = model_of()
    with (
        pytest.raises(ValueError, match=r"tokens: expected token numbers in \[0, 13\), got 1\d\d"),
        ablated(model, layer=0, part="attention", kind="mean", reference=tokens() + 100),
    ):
        pass
    assert hooks(model) == 0
    assert model.training


# ---- What is refused

WITHOUT = {"model": model_of(feed_forward=False), "part": "feed_forward"}


@pytest.mark.parametrize(
    "changes, error, message",
    [
        ({"layer": 2}, ValueError, r"layer: expected a number in \[0, 2\), got 2"),
        ({"part": "mlp"}, ValueError, "part: expected one of 'attention', 'feed_forward', got"),
        ({"kind": "noise"}, ValueError, "kind: expected one of 'zero', 'mean', 'resample'"),
        ({"kind": "mean"}, TypeError, "reference: expected a torch.Tensor, got NoneType"),
        ({"kind": "resample"}, TypeError, "generator: expected a torch.Generator, got NoneType"),
        ({"model": nn.Linear(2, 3)}, ValueError, "model: expected a model with layers, got Linear"),
        ({"model": model_of(num_layers=0)}, ValueError, "model: expected a model with layers,"),
        (WITHOUT | {"layer": None}, ValueError, "part: expected a part of AttentionLayer, got"),
        (WITHOUT | {"layer": 1}, ValueError, "part: expected a part of AttentionLayer, got"),
    ],
)
def test_a_bad_argument_is_named(changes, error, message):
    given = {"model": model_of(), "layer": 0, "part": "attention", "kind": "zero", **changes}
    with pytest.raises(error, match=message), ablated(given.pop("model"), **given):
        pass


class Listing(nn.Module):
    """Gives its update and how long it is in a list, and reads the first of them."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Module()])
        self.layers[0].attention = Both()

    def forward(self, tokens: Tensor) -> Tensor:
        x = nn.functional.one_hot(tokens, D_MODEL).double()
        return x + self.layers[0].attention(x)[0]


class Both(nn.Module):
    def forward(self, x: Tensor) -> list[Tensor]:
        return [3 * x, x.norm(dim=-1)]


def test_an_update_in_a_list_stays_in_a_list():
    model, ids = Listing(), torch.tensor([[0, 1, 2], [3, 4, 5]])
    x = nn.functional.one_hot(ids, D_MODEL).double()
    with ablated(model, layer=0, part="attention", kind="resample", generator=seeded(3)):
        assert torch.equal(model(ids), x + 3 * x.flip(0))
