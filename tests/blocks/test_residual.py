import pytest
import torch

from bottomup.blocks import RESIDUALS, LayerNorm, PostNorm, PreNorm
from tests.drawn import global_seed, randn

BATCH, N, D_MODEL = 2, 5, 7
in_both_places = pytest.mark.parametrize("kind", [PreNorm, PostNorm])
X, UPDATE = (randn(BATCH, N, D_MODEL, seed=seed, dtype=torch.float32) for seed in (0, 1))


def make(kind: type, **options) -> PreNorm | PostNorm:
    """A wiring whose LayerNorm has learned something."""
    around = kind(D_MODEL, **options)
    with torch.no_grad():
        around.norm.gain.copy_(randn(D_MODEL, seed=2, dtype=torch.float32))
        around.norm.bias.copy_(randn(D_MODEL, seed=3, dtype=torch.float32))
    return around


def test_pre_norm_normalises_what_is_read_and_adds_to_the_stream_as_it_is():
    around = make(PreNorm)
    assert torch.equal(around.read(X), around.norm(X))
    assert torch.equal(around.write(X, UPDATE), X + UPDATE)


def test_post_norm_reads_the_stream_as_it_is_and_normalises_the_sum():
    around = make(PostNorm)
    assert torch.equal(around.read(X), X)
    assert torch.equal(around.write(X, UPDATE), around.norm(X + UPDATE))


@in_both_places
def test_dropout_falls_on_the_update_alone_and_only_in_training(kind):
    around = make(kind, dropout=0.5)
    with global_seed(0):
        written = around.write(X, UPDATE)
        torch.manual_seed(0)
        dropped = torch.nn.functional.dropout(UPDATE, 0.5)
    assert (dropped == 0).any() and (dropped != 0).any()
    assert torch.equal(written, make(kind).write(X, dropped))
    assert torch.equal(around.read(X), make(kind).read(X))
    assert torch.equal(around.eval().write(X, UPDATE), make(kind).write(X, UPDATE))


@in_both_places
def test_a_wiring_has_one_layer_norm_and_no_other_parameters(kind):
    around = kind(D_MODEL)
    assert isinstance(around.norm, LayerNorm)
    assert [name for name, _ in around.named_parameters()] == ["norm.gain", "norm.bias"]


def test_the_names_of_the_two_places():
    assert list(RESIDUALS.items()) == [("pre", PreNorm), ("post", PostNorm)]


@in_both_places
def test_an_update_of_another_shape_is_refused(kind):
    around = kind(D_MODEL)
    # an axis of size 1 would spread without a word
    message = r"update: expected the leading axes \(2, 5\) of x, got \(2, 1\)"
    with pytest.raises(ValueError, match=message):
        around.write(X, UPDATE[:, :1])
    with pytest.raises(ValueError, match=r"update: expected axes \[..., d_model=7\]"):
        around.write(X, UPDATE[..., :3])
    with pytest.raises(ValueError, match=r"x: expected axes \[..., d_model=7\]"):
        around.read(X[..., :3])
    with pytest.raises(TypeError, match="x: expected a floating-point tensor"):
        around.read(X.int())


@in_both_places
def test_bad_sizes_are_refused(kind):
    with pytest.raises(ValueError, match="d_model: expected an integer of at least 1, got 0"):
        kind(0)
    with pytest.raises(ValueError, match="dropout: expected a number >= 0 and < 1, got 1"):
        kind(D_MODEL, dropout=1)
