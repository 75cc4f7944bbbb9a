"""States of tokens from any model: by hand, padding, three ways to read, what stays as it was."""

from types import SimpleNamespace

import pytest
import torch
from torch import Tensor, nn

from bottomup.analysis import TokenStates, gather_states
from tests.analysis.small import VOCABULARY, hooks, language_model
from tests.drawn import seeded

D_MODEL = 3
TWO = torch.tensor([[2, 5, 7], [11, 3, 2]])
ONE = torch.tensor([[5, 1]])
READ = {"read": lambda model, tokens: model(tokens).states}


class Shift(nn.Module):
    def __init__(self, by: float, in_place: bool = False) -> None:
        super().__init__()
        self.by, self.in_place = by, in_place

    def forward(self, x: Tensor) -> Tensor:
        return x.add_(self.by) if self.in_place else x + self.by


class Toy(nn.Module):
    """Token t has the vector (t, 10 t, 100 t); each layer adds a number."""

    def __init__(self, **shift) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, D_MODEL)
        self.dropout = nn.Dropout(0.9)
        self.layers = nn.ModuleList([Shift(0.25, **shift), Shift(0.5, **shift)])
        self.unused = Shift(1)
        weight = torch.arange(VOCABULARY)[:, None] * torch.tensor([1.0, 10.0, 100.0])
        self.embedding.weight.data = weight

    def forward(self, tokens: Tensor) -> SimpleNamespace:
        states = [self.dropout(self.embedding(tokens))]
        for layer in self.layers:
            states.append(layer(states[-1]))
        return SimpleNamespace(states=states)


def vectors(tokens, shift=0.0):
    return torch.tensor([[t + shift, 10 * t + shift, 100 * t + shift] for t in tokens])


def drawn(*shape: int, low: int = 0) -> Tensor:
    return torch.randint(low, VOCABULARY, shape, generator=seeded(2))


# by hand


@pytest.mark.parametrize(
    "how",
    [{}, READ, {"layers": ["embedding", "layers.0", "layers.1"]}],
    ids=["own", "read", "name"],
)
def test_by_hand(how):
    found = gather_states(Toy(), [TWO, ONE], **how)
    assert isinstance(found, TokenStates)
    assert found.tokens.tolist() == [2, 5, 7, 11, 3, 2, 5, 1]
    assert found.sentences.tolist() == [0, 0, 0, 1, 1, 1, 2, 2]
    assert found.positions.tolist() == [0, 1, 2, 0, 1, 2, 0, 1]
    assert len(found.states) == 3
    for h, shift in zip(found.states, (0, 0.25, 0.75), strict=True):
        assert torch.equal(h, vectors(found.tokens.tolist(), shift))
    for numbers in found[1:]:
        assert numbers.dtype == torch.int64


def test_padding_and_special_tokens_are_left_out():
    real = torch.tensor([[True, True, False], [True, False, True]])
    found = gather_states(Toy(), [(TWO, real), ONE], special={5, 11})
    assert found.tokens.tolist() == [2, 2, 1]
    assert found.sentences.tolist() == [0, 1, 2]
    assert found.positions.tolist() == [0, 2, 1]
    assert torch.equal(found.states[2], vectors([2, 2, 1], 0.75))


def test_a_batch_in_which_nothing_is_left_still_counts_its_sentences():
    found = gather_states(Toy(), [(TWO, torch.zeros(2, 3, dtype=torch.bool)), ONE])
    assert found.tokens.tolist() == [5, 1]
    assert found.sentences.tolist() == [2, 2]


def test_layers_come_in_the_order_of_their_names():
    model = Toy()
    found = gather_states(model, [ONE], layers=["layers.1", "embedding"])
    assert torch.equal(found.states[0], vectors([5, 1], 0.75))
    assert torch.equal(found.states[1], vectors([5, 1]))
    twice = gather_states(model, [ONE], layers=["layers.1", "layers.1"])
    assert torch.equal(twice.states[0], twice.states[1])


def test_a_layer_that_works_in_place_does_not_reach_what_was_read_before():
    found = gather_states(Toy(in_place=True), [ONE], layers=["embedding", "layers.0", "layers.1"])
    for h, shift in zip(found.states, (0, 0.25, 0.75), strict=True):
        assert torch.equal(h, vectors([5, 1], shift))


def test_a_model_of_the_package_gives_its_stream():
    model, tokens = language_model(), drawn(5, 7)
    found = gather_states(model, [tokens[:2], tokens[2:]])
    for h, wanted in zip(found.states, model(tokens).states, strict=True):
        torch.testing.assert_close(h, wanted.detach().flatten(0, 1))
    named = gather_states(model, [tokens], layers=["layers.0", "layers.1"])
    for h, other in zip(named.states, found.states[1:], strict=True):
        torch.testing.assert_close(h, other)


class Padded(nn.Module):
    def __init__(self, **options) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, 6)
        layer = nn.TransformerEncoderLayer(6, 2, 11, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, **options)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.encoder(self.embedding(tokens), src_key_padding_mask=tokens == 0)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_an_encoder_that_cuts_padding_off_gives_the_states_of_one_that_does_not():
    padded = torch.tensor([[3, 5, 7, 11, 0], [2, 12, 0, 0, 0]])
    cutting, other = Padded(), Padded(enable_nested_tensor=False)
    other.load_state_dict(cutting.state_dict())
    names = ["encoder.layers.0", "encoder.layers.1", "encoder"]
    both = [gather_states(m, [(padded, padded != 0)], layers=names) for m in (cutting, other)]
    assert both[0].tokens.tolist() == [3, 5, 7, 11, 2, 12]
    for h, wanted in zip(both[0].states, both[1].states, strict=True):
        torch.testing.assert_close(h, wanted)


# what stays as it was


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("how", [{}, {"layers": ["dropout"]}])
def test_the_model_stays_as_it_was(training, how):
    model = Toy().train(training)
    model.layers[1].train(not training)
    found = gather_states(model, [TWO], **how)
    assert torch.equal(found.states[0], vectors(found.tokens.tolist()))  # without dropout
    assert model.training == training
    assert model.layers[1].training != training
    assert hooks(model) == 0
    assert not found.states[0].requires_grad
    assert model.embedding.weight.grad is None


def test_an_error_of_the_model_leaves_no_hook_and_no_mode():
    model = Toy().train()
    with pytest.raises(IndexError):
        gather_states(model, [TWO + 5], layers=["layers.0"])
    assert hooks(model) == 0
    assert model.training


# a part of the tokens


def test_select_by_hand():
    found = gather_states(Toy(), [TWO, ONE])
    some = found.select(found.tokens < 4)
    assert some.tokens.tolist() == [2, 3, 2, 1]
    assert some.sentences.tolist() == [0, 1, 1, 2]
    assert some.positions.tolist() == [0, 1, 2, 1]
    assert torch.equal(some.states[1], vectors([2, 3, 2, 1], 0.25))
    assert len(some.states) == 3


@pytest.mark.parametrize(
    ("keep", "error", "text"),
    [
        (torch.tensor([1, 0]), TypeError, "keep: expected a boolean tensor, got torch.int64"),
        (torch.tensor([True]), ValueError, r"keep: expected shape \(2,\), got \(1,\)"),
        (torch.tensor([False, False]), ValueError, "keep: expected at least one True, got none"),
    ],
)
def test_select_refuses(keep, error, text):
    with pytest.raises(error, match=text):
        gather_states(Toy(), [ONE]).select(keep)


# refusals


def reading(*states: object) -> dict[str, object]:
    return {"read": lambda _model, _tokens: states}


@pytest.mark.parametrize(
    ("batches", "options", "error", "text"),
    [
        (TWO, {}, TypeError, "batches: expected several batches, .* put a single batch into a"),
        ([], {}, ValueError, "batches: expected at least one token .* got none in 0 batches"),
        ([ONE], {"special": (1, 5)}, ValueError, "that is real and not special, got none in 1 bat"),
        ([ONE - 2], {}, ValueError, r"batches\[0\]: expected numbers of at least 0, got -1"),
        ([(ONE, ONE)], {}, TypeError, r"batches\[0\]\[1\]: expected a boolean tensor, got torch.i"),
        ([(ONE, ONE, ONE)], {}, TypeError, r"a pair \(tokens, real\), got 3 parts"),
        ([ONE], {"special": (-1,)}, ValueError, "special: expected an integer of at least 0"),
        ([ONE], READ | {"layers": ["layers"]}, ValueError, "layers, read: expected one of them"),
        ([ONE], {"read": "states"}, TypeError, "read: expected a function of model and tokens"),
        ([ONE], {"layers": "embedding"}, TypeError, "layers: expected a list of names, got 'embed"),
        ([ONE], {"layers": []}, ValueError, "layers: expected at least one name, got none"),
        ([ONE], {"layers": ["layer.0"]}, ValueError, "such as .*'layers.0'.*, got 'layer.0';"),
        ([ONE], {"layers": ["unused"]}, ValueError, "got 'unused', which ran 0 times"),
        ([ONE], reading(), ValueError, "states: expected at least one station, got none"),
        ([ONE], {"read": lambda m, t: m.embedding(t)}, TypeError, "a sequence of tensors .*"),
        (
            [TWO],
            reading(torch.zeros(2, 3, 5), torch.zeros(3, 2, 5)),
            ValueError,
            r"states\[1\]: expected axes \[batch=2, position=3, d_model\], got shape \(3, 2, 5\)",
        ),
        ([ONE], reading(torch.full((1, 2, 3), torch.nan)), ValueError, r"states\[0\]: .* got nan"),
        (
            [ONE, TWO],
            {"read": lambda _model, tokens: [torch.zeros(*tokens.shape, len(tokens))]},
            ValueError,
            r"batches\[1\]: expected states of the widths \[1\]",
        ),
    ],
)
def test_bad_input_is_refused(batches, options, error, text):
    with pytest.raises(error, match=text):
        gather_states(Toy(), batches, **options)


def test_a_model_without_states_is_refused_with_advice():
    text = "model: expected an output with the attribute states, got Tensor; name the submodules"
    with pytest.raises(ValueError, match=text):
        gather_states(nn.Embedding(VOCABULARY, 3), [ONE])
    with pytest.raises(TypeError, match="model: expected a torch.nn.Module, got function"):
        gather_states(vectors, [ONE])


def test_a_shared_layer_is_refused():
    model = nn.Sequential(nn.Embedding(VOCABULARY, D_MODEL), layer := nn.Linear(3, 3), layer)
    with pytest.raises(ValueError, match="run once for a batch, got '1', which ran 2 times"):
        gather_states(model, [ONE], layers=["1"])


def test_nan_at_padding_does_no_harm():
    def read(_model: nn.Module, tokens: Tensor) -> list[Tensor]:
        return [torch.where(tokens == 1, torch.nan, tokens)[..., None]]

    found = gather_states(Toy(), [(ONE, ONE != 1)], read=read)
    assert found.states[0].tolist() == [[5]]
