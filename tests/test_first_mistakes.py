"""What somebody who comes from torch does first: each mistake is told what to do instead."""

import warnings
from dataclasses import dataclass

import pytest
import torch
from torch import nn

import bottomup
from bottomup import attention
from bottomup.attention import (
    MultiHeadAttention,
    fixed_masks,
    fused_attention,
    scaled_dot_product_attention,
    sliding_window_mask,
    strided_masks,
)
from bottomup.blocks import DecoderLayer, EncoderLayer
from bottomup.data import BatchStream, TensorBatch, make_batch
from bottomup.masks import causal_mask, padding_mask, window_mask
from bottomup.models import LanguageModel, Transformer, TransformerConfig
from bottomup.training import fit
from bottomup.training.step_loss import check_loss
from tests.drawn import randn
from tests.every_module import translator

PAIRS = [([5, 6, 7], [8, 9]), ([5, 9], [4, 4, 6]), ([9], [4])]
SIZES = {"source_vocabulary": 11, "target_vocabulary": 11}
REAL = padding_mask(torch.tensor([5, 2, 3]))[:, 0]  # [batch=3, key=5]


def x(batch: int = 3, position: int = 5) -> torch.Tensor:
    return randn(batch, position, 4, dtype=torch.float32)


def heads() -> MultiHeadAttention:
    return MultiHeadAttention(4, 2)


def layer() -> EncoderLayer:
    return EncoderLayer(4, 2, 7)


def transformer() -> Transformer:
    return Transformer(TransformerConfig.preset("tiny", **SIZES))


def train(**changes) -> None:
    model = transformer()
    arguments = {
        "batches": BatchStream(PAIRS, tokens_per_batch=7, seed=0),
        "loss": lambda model, batch: model(batch).logits.mean(),
        "optimizer": torch.optim.SGD(model.parameters(), lr=0.1),
    }
    fit(model, steps=1, **{**arguments, **changes})


def attended(**options) -> object:
    return heads()(x(), x(), x(), **options)


@dataclass(frozen=True, eq=False)
class Counted(TensorBatch):
    tokens: torch.Tensor


MISTAKES = {
    "a dict for a configuration": (
        lambda: Transformer({**SIZES, "d_model": 4}),
        TypeError,
        "config: expected a TransformerConfig, got dict; `TransformerConfig(**config)` makes one",
    ),
    "a configuration of another model": (
        lambda: LanguageModel(TransformerConfig(**SIZES)),
        TypeError,
        "config: expected a LanguageModelConfig, got TransformerConfig",
    ),
    "token numbers for a batch": (
        lambda: transformer()(torch.tensor([[5, 6, 7]])),
        TypeError,
        "batch: expected a Batch, got Tensor; `make_batch([(source, target), ...])` makes one of "
        "token numbers",
    ),
    "a tuple for a batch": (
        lambda: translator()()(([5, 6], [7])),
        TypeError,
        "batch: expected a Batch, got tuple; `make_batch([(source, target), ...])` makes one",
    ),
    "a mask of padding with two axes": (
        lambda: attended(mask=REAL),
        ValueError,
        "mask: expected a shape that broadcasts to (3, 5, 5), got (3, 5); of [batch, key], give "
        "`mask[:, None]`",
    ),
    "a mask of padding for a function": (
        lambda: scaled_dot_product_attention(*[randn(3, 2, 5, 4)] * 3, REAL),
        ValueError,
        "broadcasts to (3, 2, 5, 5), got (3, 5); of [batch, key], give `mask[:, None, None]`",
    ),
    "torch's name of a mask": (
        lambda: attended(attn_mask=~causal_mask(5)),
        TypeError,
        "attn_mask: expected mask, True = may attend, as for torch's function; a mask written for "
        "nn.MultiheadAttention must be inverted, mask=~attn_mask",
    ),
    "torch's name of a mask of padding": (
        lambda: attended(key_padding_mask=~REAL),
        TypeError,
        "key_padding_mask: expected mask=~key_padding_mask[:, None], True = may attend",
    ),
    "torch's name of a mask of padding for a layer": (
        lambda: layer()(x(), src_key_padding_mask=~REAL),
        TypeError,
        "src_key_padding_mask: expected mask=~src_key_padding_mask[:, None], True = may attend",
    ),
    "torch's name of a mask of padding for the memory": (
        lambda: DecoderLayer(4, 2, 7)(x(), x(), memory_key_padding_mask=~REAL),
        TypeError,
        "memory_key_padding_mask: expected memory_mask=~memory_key_padding_mask[:, None]",
    ),
    "torch's order of a layer's masks": (
        lambda: layer()(x(), None, ~REAL),
        TypeError,
        "forward() takes from 2 to 3 positional arguments but 4 were given",
    ),
    "a mask for need_weights": (
        lambda: layer()(x(), need_weights=~REAL),
        TypeError,
        "need_weights: expected True or False, got tensor(",
    ),
    "torch's way to ask an attention for weights": (
        lambda: attended(need_weights=False),
        TypeError,
        "need_weights: expected attend=fused_attention for no weights; otherwise they are returned",
    ),
    "torch's mean over the heads": (
        lambda: attended(average_attn_weights=False),
        TypeError,
        "average_attn_weights: expected no such argument: the weights are those of each head",
    ),
    "torch's function for each head": (
        lambda: attended(attend=nn.functional.scaled_dot_product_attention),
        TypeError,
        "attend: expected a function that returns (output, weights), got torch's own, which "
        "returns the output; `bottomup.attention.fused_attention` is one that calls it",
    ),
    "nothing for each head": (
        lambda: attended(attend=None),
        TypeError,
        "attend: expected a function, got None; `bottomup.attention.fused_attention` is one",
    ),
    "torch's name of a width": (
        lambda: MultiHeadAttention(embed_dim=4, num_heads=2),
        TypeError,
        "embed_dim: expected d_model=embed_dim",
    ),
    "torch's names of a layer's sizes": (
        lambda: EncoderLayer(d_model=4, nhead=2, dim_feedforward=7),
        TypeError,
        "dim_feedforward: expected d_ff=dim_feedforward",
    ),
    "torch's name of pre-norm": (
        lambda: DecoderLayer(4, 2, 7, norm_first=True),
        TypeError,
        'norm_first: expected norm="pre" for True, norm="post" for False',
    ),
    "torch's batch_first": (
        lambda: MultiHeadAttention(4, 2, batch_first=True),
        TypeError,
        "batch_first: expected no such argument: here the batch is always the first axis",
    ),
    "a module's mask for a function with heads": (
        lambda: scaled_dot_product_attention(*[randn(3, 2, 5, 4)] * 3, REAL[:, None]),
        ValueError,
        "broadcasts to (3, 2, 5, 5), got (3, 1, 5); of [batch, query, key], give `mask[:, None]`",
    ),
    "torch's name of causality": (
        lambda: layer()(x(), is_causal=True),
        TypeError,
        "is_causal: expected causal=is_causal",
    ),
    "layers in a row": (
        lambda: nn.Sequential(layer(), layer())(x()),
        TypeError,
        "x: expected a torch.Tensor, got tuple; attentions and layers return (output, weights): "
        "take [0]",
    ),
    "one sequence without a batch": (
        lambda: layer()(x()[0]),
        ValueError,
        "x: expected axes [batch, position, d_model=4], got shape (5, 4); `x[None]` is a batch of "
        "one",
    ),
    "causal=True for the newest query": (
        lambda: heads()(x()[:, -1:], x(), x(), causal=True),
        ValueError,
        "causal: expected as many queries as keys, got 1 and 5; of the newest queries, give "
        "mask=causal_mask(5)[-1:], of the first ones, as torch has it, mask=causal_mask(5)[:1]",
    ),
    "a layer of torch's for its attention": (
        lambda: attention.from_torch(nn.TransformerEncoderLayer(4, 2, 7)),
        TypeError,
        "module: expected an nn.MultiheadAttention, got TransformerEncoderLayer; its attention is "
        "`module.self_attn`",
    ),
    "a device for the loop": (
        lambda: train(device="cpu"),
        TypeError,
        "fit: expected no options but seed, accumulate, precision, checkpoint, checkpoint_every, "
        "on_step, got device; the model's device is used, give model.to(device)",
    ),
    "tokens that are a tensor": (
        lambda: train(batches=lambda step: Counted(torch.tensor(5))),
        TypeError,
        "batches(0).tokens: expected an integer, got tensor(5)",
    ),
    "a loss that is a number": (
        lambda: train(loss=lambda model, batch: 1.5),
        TypeError,
        "loss: expected a scalar tensor from loss(model, batch), got 1.5",
    ),
    "a module looked for in the package": (
        lambda: bottomup.MultiHeadAttention,
        AttributeError,
        "what is in a part is imported from it, as in `from bottomup.attention import",
    ),
    "a step's batch that is a tuple": (
        lambda: train(batches=lambda step: (x(), x())),
        TypeError,
        "batches(0): expected a Batch or another object with `tokens` and `to(device)`, got tuple; "
        "a dataclass of your tensors that inherits `bottomup.data.TensorBatch` lacks only `tokens`",
    ),
    "a list of batches": (
        lambda: train(batches=[7]),
        TypeError,
        "batches: expected a function, got [7]; of a list, such as list(loader), "
        "`lambda step: batches[step % len(batches)]` is one",
    ),
    "a loss of predictions and targets": (
        lambda: train(loss=nn.CrossEntropyLoss()),
        TypeError,
        "loss: expected a function of model and batch, got CrossEntropyLoss(); give "
        "`lambda model, batch: criterion(model(batch.x), batch.y)`",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_first_mistake_is_told_what_to_do_instead(name: str):
    mistake, error, message = MISTAKES[name]
    with pytest.raises(error) as raised:
        mistake()
    assert message in str(raised.value)


def test_what_a_message_advises_works():
    ours = heads()
    assert ours(x(), x(), x(), REAL[:, None])[0].shape == (3, 5, 4)
    newest, _ = ours(x()[:, -1:], x(), x(), causal_mask(5)[-1:])
    whole, _ = ours(x(), x(), x(), causal=True)
    torch.testing.assert_close(newest, whole[:, -1:])
    assert scaled_dot_product_attention(*[randn(3, 2, 5, 4)] * 3, REAL[:, None, None])[1].shape == (
        3, 2, 5, 5,
    )  # fmt: skip
    module = nn.TransformerEncoderLayer(4, 2, 7).self_attn.eval()  # the batch in the middle
    upright = x().transpose(0, 1)
    wanted, _ = module(upright, upright, upright)
    found, _ = attention.from_torch(module)(x(), x(), x())
    torch.testing.assert_close(found, wanted.transpose(0, 1))
    batches = [make_batch([pair]) for pair in PAIRS]
    train(batches=lambda step: batches[step % len(batches)])


def own(attention: nn.Module) -> nn.Module:
    return nn.ModuleDict({"own": attention})


def test_weights_of_torch_s_attention_are_pointed_to_from_torch():
    ours, theirs = own(heads()), own(nn.MultiheadAttention(4, 2)).state_dict()
    words = (
        r"own.in_proj_weight is a weight of torch's own module, which is not loaded: "
        r"`bottomup.attention.from_torch\(module\)` makes ours with its weights"
    )
    with pytest.warns(UserWarning, match=words), pytest.raises(RuntimeError, match="Missing key"):
        ours.load_state_dict(theirs)
    with pytest.warns(UserWarning, match=words):  # torch skips them here
        ours.load_state_dict(theirs, strict=False)


def test_weights_of_torch_s_transformer_are_pointed_to_from_torch():
    theirs = nn.Transformer(4, 2, 1, 1, 7, batch_first=True).state_dict()
    words = r"`bottomup.models.from_torch\(module\)` makes ours with its weights"
    with pytest.warns(UserWarning, match=words), pytest.raises(RuntimeError, match="Missing key"):
        transformer().load_state_dict(theirs)


def test_other_weights_are_told_nothing_of_torch_s():
    with pytest.raises(RuntimeError, match="Missing key"):  # a warning would be an error
        heads().load_state_dict(nn.Linear(4, 2).state_dict())
    heads().load_state_dict(heads().state_dict())


# ---- A mask that looks like padding and is read as something else: with a question.

LENGTHS = torch.tensor([5, 2, 3, 5, 1])
PADDED = padding_mask(LENGTHS)[:, 0]  # [batch=5, key=5]
PADDING = {"padding": PADDED, "padding on the left": PADDED.flip(1), "torch's padding": ~PADDED}


@pytest.mark.parametrize("name", PADDING)
def test_a_mask_that_may_be_padding_is_asked_about(name):
    ours, five, mask = heads(), x(5), PADDING[name]
    wanted, _ = ours(five, five, five, mask[None])
    with pytest.warns(
        UserWarning, match=r"mask: \(5, 5\) is read as \[query, key\].*mask\[:, None\]"
    ) as asked:
        found, _ = ours(five, five, five, mask)
    assert len(asked) == 1
    assert torch.equal(found, wanted)
    meant, _ = ours(five, five, five, mask[:, None])
    assert not torch.allclose(found, meant)


@pytest.mark.parametrize("attend", [scaled_dot_product_attention, fused_attention])
@pytest.mark.parametrize("name", PADDING)
def test_a_function_asks_as_a_module_does(attend, name):
    three, four, mask = randn(5, 5, 4), randn(5, 2, 5, 4), PADDING[name]
    with pytest.warns(UserWarning, match=r"is read as \[query, key\].*`mask\[:, None\]`"):
        attend(three, three, three, mask)
    with pytest.warns(UserWarning, match=r"is read as \[query, key\].*`mask\[:, None, None\]`"):
        attend(four, four, four, mask)
    for clear in (mask[None], mask[:, None, None]):  # a warning would be an error
        attend(four, four, four, clear)


@pytest.mark.parametrize("attend", [scaled_dot_product_attention, fused_attention])
@pytest.mark.parametrize("name", PADDING)
def test_a_function_asks_where_a_batch_fits_as_heads(attend, name):
    many, mask = randn(5, 5, 5, 4), PADDING[name][:, None]  # as many sequences as heads
    words = (
        r"mask: \(5, 1, 5\) is read as \[head, 1, key\], the same for all 5 sequences. Of "
        r"\[batch, 1, key\], give `mask\[:, None\]`; `mask\[None\]` says"
    )
    with pytest.warns(UserWarning, match=words):
        found, _ = attend(many, many, many, mask)
    said, _ = attend(many, many, many, mask[None])
    meant, _ = attend(many, many, many, mask[:, None])
    assert torch.equal(found, said) and not torch.allclose(found, meant)
    heads()(x(5), x(5), x(5), mask)  # a module knows three axes as [batch, query, key]


@pytest.mark.parametrize(
    "mask",
    [
        causal_mask(5),
        causal_mask(5).T,
        causal_mask(5).tril(-1),
        torch.arange(5) < torch.tensor([0, 1, 2, 2, 2])[:, None],
        causal_mask(5) | (torch.arange(5) < 3),  # a prefix that all may read
        torch.tensor([2, 2, 4, 4, 5])[:, None] > torch.arange(5),  # causal in blocks
        torch.block_diag(torch.ones(2, 2), torch.ones(3, 3)).bool(),
        *(window_mask(5, width) for width in range(5)),
        *(sliding_window_mask(5, width) for width in range(1, 6)),
        sliding_window_mask(5, 2, sinks=1),
        *strided_masks(5, 2),
        *strided_masks(5, 3),
        *fixed_masks(5, 2),
        torch.ones(5, 5, dtype=torch.bool),  # the same either way
        ~torch.eye(5, dtype=torch.bool),
        torch.rand(5, 5, generator=torch.Generator().manual_seed(0)) < 0.5,
        PADDED[None],
        PADDED[:, None],
    ],
)
def test_another_mask_is_read_without_a_question(mask):
    five = x(5)
    assert heads()(five, five, five, mask)[0].shape == (5, 5, 4)
    assert scaled_dot_product_attention(five, five, five, mask)[0].shape == (5, 5, 4)


def test_a_warning_names_the_line_that_called_the_package():
    stack, five = nn.ModuleList([layer()]), x(5)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for each in stack:  # through torch's modules, and two of ours
            each(five, PADDED)
        heads().load_state_dict(nn.MultiheadAttention(4, 2).state_dict(), strict=False)
    assert [warning.filename for warning in found] == [__file__] * 2


def test_without_ambiguity_nobody_is_asked():
    four = x(4)
    assert heads()(four, x(4, 5), x(4, 5), PADDED)[0].shape == (4, 5, 4)


def test_a_loss_from_an_interactive_session_is_no_mistake():
    def loss(model: nn.Module, batch: object) -> torch.Tensor:
        return torch.zeros(())

    loss.__module__ = None  # type: ignore[assignment]
    check_loss(loss)
    with pytest.raises(TypeError, match="loss: expected a function of model and batch"):
        check_loss(nn.functional.cross_entropy)
