"""What somebody who comes from torch does first: each mistake is told what to do instead."""

import pytest
import torch
from torch import nn

from bottomup import attention
from bottomup.attention import MultiHeadAttention, scaled_dot_product_attention
from bottomup.blocks import EncoderLayer
from bottomup.data import BatchStream, make_batch
from bottomup.masks import causal_mask, padding_mask
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
        "attn_mask: expected mask, True = may attend, as for torch's function; of a mask for "
        "torch's modules, give mask=~attn_mask",
    ),
    "torch's name of a mask of padding": (
        lambda: attended(key_padding_mask=~REAL),
        TypeError,
        "key_padding_mask: expected mask=~key_padding_mask[:, None], True = may attend",
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
        "mask=causal_mask(5)[-1:]",
    ),
    "torch's attention with the batch in the middle": (
        lambda: attention.from_torch(nn.MultiheadAttention(4, 2)),
        ValueError,
        "module: expected batch_first=True, got batch_first=False; set `module.batch_first = True`",
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
    module = nn.MultiheadAttention(4, 2)
    module.batch_first = True
    assert attention.from_torch(module)(x(), x(), x())[0].shape == (3, 5, 4)
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


# ---- A mask of two axes where batch and query are equal: read as [query, key], with a question.

PADDED = padding_mask(torch.tensor([5, 2, 3, 5, 1]))[:, 0]  # [batch=5, key=5]


def test_a_mask_that_may_be_padding_is_asked_about():
    ours, five = heads(), x(5)
    wanted, _ = ours(five, five, five, PADDED[None])
    with pytest.warns(
        UserWarning, match=r"mask: \(5, 5\) is read as \[query, key\].*mask\[:, None\]"
    ):
        found, _ = ours(five, five, five, PADDED)
    assert torch.equal(found, wanted)
    meant, _ = ours(five, five, five, PADDED[:, None])
    assert not torch.allclose(found, meant)


@pytest.mark.parametrize(
    "mask",
    [
        causal_mask(5),
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
