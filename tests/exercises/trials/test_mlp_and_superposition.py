"""Layer normalisation: the library's own function, and an input written in place."""

from torch import Tensor

from bottomup.blocks.normalization import layer_norm
from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine

LAYER_NORM = catalog()["layer-norm"]


def test_the_library_s_layer_norm_passes():
    assert examine(LAYER_NORM, layer_norm).passed


def test_a_centred_input_written_in_place_is_told():
    def answer(x: Tensor, gain: Tensor, bias: Tensor) -> Tensor:
        x -= x.mean(-1, keepdim=True)
        return gain * x / (x.square().mean(-1, keepdim=True) + 1e-5).sqrt() + bias

    assert "changes its input x in place" in examine(LAYER_NORM, answer).message
