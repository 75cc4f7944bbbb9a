"""The wiring of a block: the library's layer and torch's, and the words of its reports."""

import pytest
import torch
from torch import nn

from bottomup.blocks.encoder_layer import EncoderLayer
from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from tests.drawn import global_seed

RESIDUAL_WIRING = catalog()["residual-wiring"]


def test_a_report_shows_the_functions_by_their_texts():
    text = repr(examine(RESIDUAL_WIRING, lambda x, *others: x))
    assert "attend:\n  '3 x'" in text
    assert "norm_2:\n  'x / 5'" in text


@pytest.mark.parametrize("kind", ["pre", "post"])
def test_the_solution_wires_like_the_library_s_layer_and_torch_s(kind: str):
    with global_seed(0):
        layer = EncoderLayer(8, 2, 11, norm=kind).double()
        theirs = nn.TransformerEncoderLayer(
            8, 2, 11, dropout=0.0, batch_first=True, norm_first=kind == "pre", dtype=torch.float64
        )
        x = torch.randn(2, 5, 8, dtype=torch.float64)
    ours = RESIDUAL_WIRING.solution(
        x,
        lambda x: layer.attention(x, x, x)[0],
        layer.feed_forward,
        layer.around_attention.norm,
        layer.around_feed_forward.norm,
        kind,
    )
    torch.testing.assert_close(ours, layer(x)[0])
    by_parts = RESIDUAL_WIRING.solution(
        x,
        lambda x: theirs.self_attn(x, x, x, need_weights=False)[0],
        lambda x: theirs.linear2(theirs.linear1(x).relu()),
        theirs.norm1,
        theirs.norm2,
        kind,
    )
    torch.testing.assert_close(by_parts, theirs(x))


def test_a_stream_written_in_place_is_told():
    def answer(x, attend, mlp, norm_1, norm_2, kind):
        if kind == "post":
            return RESIDUAL_WIRING.solution(x, attend, mlp, norm_1, norm_2, kind)
        x += attend(norm_1(x))
        x += mlp(norm_2(x))
        return x

    assert "changes its input x in place" in examine(RESIDUAL_WIRING, answer).message
