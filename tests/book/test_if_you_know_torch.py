"""*If you know torch*: what the table says of torch and of us, and each line that converts."""

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from bottomup.attention import MultiHeadAttention, from_torch, scaled_dot_product_attention
from bottomup.blocks import EncoderLayer
from bottomup.data import BatchStream, make_batch
from bottomup.masks import causal_mask
from bottomup.models import Transformer, TransformerConfig
from bottomup.training import fit, token_cross_entropy
from tests.drawn import global_seed, randn
from tools.notebooks.paths import ROOT

PAGE = (ROOT / "book/api/index.md").read_text(encoding="utf-8").partition("## If you know torch")[2]
ROWS = re.findall(r"^\| ([A-Za-z][^|]*) \| [^|]* \| [^|]* \| `([^|]*)` \|$", PAGE, re.M)
NAMED = (
    EncoderLayer,
    causal_mask,
    fit,
    from_torch,
    scaled_dot_product_attention,
    token_cross_entropy,
)

BATCH, HEADS, N, D = 2, 3, 5, 12
x = randn(BATCH, N, D, dtype=torch.float32)
PADDING = torch.tensor([[False] * 5, [False] * 3 + [True] * 2])  # torch's: True = hidden
HIDDEN = ~causal_mask(N)
PAIRS = [([5, 6, 7], [8, 9]), ([5], [4, 4, 6])]


def after(line: str, **given: Any) -> dict[str, Any]:
    """Return the names that there are after a line of the table was run."""
    names = {**{each.__name__: each for each in NAMED}, **given}
    exec(line, names)
    return names


def both(**options: Any) -> tuple[nn.MultiheadAttention, MultiHeadAttention]:
    with global_seed(0):
        module = nn.MultiheadAttention(D, HEADS, batch_first=True, **options)
        nn.init.normal_(module.out_proj.bias)
    return module.eval(), from_torch(module)


def same_attention(line: str, **torch_s: Tensor) -> None:
    """Compare torch's module with our own, which gets the mask that the line makes."""
    theirs, ours = both()
    mask = after(line, **torch_s)["mask"]
    wanted, weights = theirs(x, x, x, average_attn_weights=False, **torch_s)
    got, own = ours(x, x, x, mask)
    torch.testing.assert_close((got, own), (wanted, weights))


def boolean_mask(line: str) -> None:
    same_attention(line, attn_mask=HIDDEN)


def additive_mask(line: str) -> None:
    same_attention(line, attn_mask=torch.zeros(N, N).masked_fill(HIDDEN, -torch.inf))


def padding(line: str) -> None:
    same_attention(line, key_padding_mask=PADDING)


def padding_for_a_function(line: str) -> None:
    many = randn(BATCH, HEADS, N, 4)
    mask = after(line, key_padding_mask=PADDING)["mask"]
    wanted = F.scaled_dot_product_attention(many, many, many, attn_mask=mask)
    assert mask.shape == (BATCH, 1, 1, N)
    torch.testing.assert_close(scaled_dot_product_attention(many, many, many, mask)[0], wanted)


def both_together(line: str) -> None:
    same_attention(line, attn_mask=HIDDEN, key_padding_mask=PADDING)


def both_with_a_mask_for_each_head(line: str) -> None:
    theirs, ours = both()
    hidden = randn(BATCH * HEADS, N, N) > 0.5
    hidden[:, :, 0] = False  # every query may attend to the first key
    given = {"attn_mask": hidden, "key_padding_mask": PADDING}
    sizes = {"batch": BATCH, "heads": HEADS, "queries": N, "keys": N}
    mask = after(line, **given, **sizes)["mask"]
    wanted = theirs(x, x, x, average_attn_weights=False, **given)
    torch.testing.assert_close(ours(x, x, x, mask), wanted)


def causality(line: str) -> None:
    wanted = F.scaled_dot_product_attention(x[:, :3], x, x, is_causal=True)
    mask = after(line, keys=N, queries=3)["mask"]
    torch.testing.assert_close(scaled_dot_product_attention(x[:, :3], x, x, mask)[0], wanted)
    newest = scaled_dot_product_attention(x[:, -3:], x, x, causal_mask(N)[-3:])[0]
    torch.testing.assert_close(
        newest, scaled_dot_product_attention(x, x, x, causal=True)[0][:, -3:]
    )
    with pytest.raises(ValueError, match="causal: expected as many queries as keys"):
        scaled_dot_product_attention(x[:, :3], x, x, causal=True)


def result_of_a_function(line: str) -> None:
    output = after(line, query=x, key=x, value=x)["output"]
    torch.testing.assert_close(output, F.scaled_dot_product_attention(x, x, x))


def weights_of_a_module(line: str) -> None:
    theirs, ours = both(dropout=0.5)
    _, wanted = theirs(x, x, x)
    _, weights = ours.train()(x, x, x)  # before dropout: in training, too
    torch.testing.assert_close(after(line, weights=weights)["mean"], wanted)
    _, dropped = theirs.train()(x, x, x, average_attn_weights=False)
    assert (dropped == 0).any() and not (weights == 0).any()


def empty_row(line: str) -> None:
    theirs, ours = both()
    hidden = torch.zeros(N, N, dtype=torch.bool)
    hidden[2] = True
    output, their_weights = theirs(x, x, x, attn_mask=hidden, average_attn_weights=False)
    assert output[:, 2].isnan().all() and their_weights[:, :, 2].isnan().all()
    assert not theirs(x, x, x, attn_mask=hidden, need_weights=False)[0].isnan().any()
    output, weights = ours(x, x, x, ~hidden)
    torch.testing.assert_close(output[:, 2], ours.W_O.bias.expand(BATCH, D))
    torch.testing.assert_close(after(line, their_weights=their_weights)["weights"], weights)


def axes(line: str) -> None:
    theirs, ours = both()
    theirs.batch_first = False  # as by default
    upright = x.transpose(0, 1)  # [position, batch, d_model]
    wanted, _ = theirs(upright, upright, upright)
    turned = after(line, x=upright)["x"]
    torch.testing.assert_close(ours(turned, turned, turned)[0].transpose(0, 1), wanted)


def result_of_a_layer(line: str) -> None:
    layer = EncoderLayer(D, HEADS, 7)
    assert torch.equal(after(line, layer=layer, x=x)["x"], layer(x)[0])
    assert layer(x)[1] is None and layer(x, need_weights=True)[1] is not None


def names_of_a_layer(line: str) -> None:
    with global_seed(0):
        its = nn.TransformerEncoderLayer(D, HEADS, 7, layer_norm_eps=1e-3, batch_first=True)
    sizes = {"d_model": D, "nhead": HEADS, "dim_feedforward": 7, "layer_norm_eps": 1e-3}
    layer = after(line, **sizes)["layer"]
    assert (its.dropout.p, its.norm_first) == (0.1, False)
    layer.attention = from_torch(its.self_attn)
    for ours, theirs in (
        (layer.feed_forward.W_in, its.linear1),
        (layer.feed_forward.W_out, its.linear2),
    ):
        ours.load_state_dict(theirs.state_dict())
    torch.testing.assert_close(layer.eval()(x)[0], its.eval()(x))
    assert layer.around_attention.dropout.p == 0.1
    assert EncoderLayer(D, HEADS, 7).around_attention.dropout.p == 0


def names_of_a_function(line: str) -> None:
    wanted = F.scaled_dot_product_attention(x, x, x, attn_mask=~HIDDEN, dropout_p=0.0)
    given = {"query": x, "key": x, "value": x, "attn_mask": ~HIDDEN}
    given |= {"is_causal": False, "dropout_p": 0.0}
    torch.testing.assert_close(after(line, **given)["output"], wanted)


def parameters(line: str) -> None:
    module, _ = both()
    ours = after(line, module=module)["ours"]
    torch.testing.assert_close(ours(x, x, x)[0], module(x, x, x)[0])
    assert [name for name, _ in ours.named_children()] == ["W_Q", "W_K", "W_V", "W_O"]


def whole_transformer(line: str) -> None:
    config = TransformerConfig.preset("tiny", source_vocabulary=11, target_vocabulary=13)
    given = {"model": Transformer(config), "batch": make_batch(PAIRS)}
    assert after(line, **given)["logits"].shape == (2, 4, 13)


def loss_of_tokens(line: str) -> None:
    scores = randn(BATCH, 7, N)  # [batch, class, position]
    target = torch.tensor([[1, 2, 3, 4, 5], [6, 0, -100, -100, -100]])
    wanted = F.cross_entropy(scores, target, ignore_index=-100)
    torch.testing.assert_close(after(line, scores=scores, target=target)["loss"], wanted)


def training(line: str) -> None:
    config = TransformerConfig.preset("tiny", source_vocabulary=11, target_vocabulary=13)
    model, stream = Transformer(config), BatchStream(PAIRS, tokens_per_batch=4, seed=0)
    options = {
        "steps": 3,
        "loss": lambda model, batch: model(batch).logits.mean(),
        "optimizer": torch.optim.SGD(model.parameters(), lr=0.1),
    }
    loader = (stream(step) for step in range(2))  # what is iterated once
    names = after(line, model=model, loader=loader, options=options)
    assert names["history"].tokens == [names["batches"][step].tokens for step in (0, 1, 0)]


CHECKS: dict[str, Callable[[str], None]] = {
    "boolean mask": boolean_mask,
    "additive mask": additive_mask,
    "padding": padding,
    "padding for a function with heads": padding_for_a_function,
    "both together": both_together,
    "both, with a mask for each head": both_with_a_mask_for_each_head,
    "causality": causality,
    "a function's result": result_of_a_function,
    "a module's weights": weights_of_a_module,
    "a query that may attend to nothing": empty_row,
    "axes": axes,
    "a layer's result": result_of_a_layer,
    "names and defaults of a layer": names_of_a_layer,
    "names of a function's options": names_of_a_function,
    "parameters of an attention": parameters,
    "Transformer": whole_transformer,
    "loss of tokens": loss_of_tokens,
    "training": training,
}


def test_each_row_is_checked():
    assert [name for name, _ in ROWS] == list(CHECKS)


@pytest.mark.parametrize("name, line", ROWS, ids=[name for name, _ in ROWS])
def test_a_row_is_true_and_its_line_converts(name: str, line: str):
    CHECKS[name](line)
