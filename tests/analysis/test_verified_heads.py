"""Maps of heads that a forward pass bears out, and attentions of another kind that are refused.

An attention may bear the names of one that is known and compute something else: scores without the
root, queries and keys turned by their positions, a factor of its layer.
"""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from bottomup.analysis import (
    has_heads,
    head_maps,
    kept,
    query_key,
    written,
)
from bottomup.attention import GroupedQueryAttention, MultiHeadAttention, RelativeAttention
from bottomup.experiments.clinic.attention import SteppedAttention
from tests.drawn import global_seed

VOCABULARY, D_MODEL, HEADS, N, N_KEYS = 29, 12, 3, 7, 11


# ---- Attentions of the library transformers


def of_bert(kind: str, **options: Any) -> tuple[str, dict[str, Any], str]:
    sizes = {"hidden_size": D_MODEL, "num_hidden_layers": 2, "num_attention_heads": HEADS}
    sizes |= {"intermediate_size": 17, "max_position_embeddings": 37, "vocab_size": VOCABULARY}
    return kind, sizes | {"pad_token_id": 0} | options, "encoder.layer.1.attention"


def of_gpt2(kind: str = "GPT2", **options: Any) -> tuple[str, dict[str, Any], str]:
    sizes = {"n_embd": D_MODEL, "n_layer": 2, "n_head": HEADS, "n_positions": 37}
    return kind, sizes | {"vocab_size": VOCABULARY} | SPECIAL | options, "h.1.attn"


def of_neo(kind: str) -> tuple[str, dict[str, Any], str]:
    sizes = {"hidden_size": D_MODEL, "num_layers": 2, "num_heads": HEADS, "intermediate_size": 17}
    types = {"attention_types": [[[kind], 2]], "max_position_embeddings": 37}
    return "GPTNeo", sizes | types | {"vocab_size": VOCABULARY}, "h.1.attn.attention"


SPECIAL = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1}

REFUSED = {
    "GPT-2, unscaled": of_gpt2(scale_attn_weights=False),
    "GPT-2, by inverse layer": of_gpt2(scale_attn_by_inverse_layer_idx=True),
    "GPT-Neo, global": of_neo("global"),
    "GPT-BigCode, one key": of_gpt2("GPTBigCode", multi_query=True),
    "RoFormer": of_bert("RoFormer", embedding_size=D_MODEL),
    "RoBERTa, norm before": of_bert("RobertaPreLayerNorm"),
    "LayoutLMv3, relative bias": of_bert(
        "LayoutLMv3", visual_embed=False, coordinate_size=2, shape_size=2
    ),
}


def built(case: tuple[str, dict[str, Any], str], spread: float | None) -> tuple[nn.Module, str]:
    """A model as its library draws it, or with all parameters spread as told."""
    library = pytest.importorskip("transformers", reason="the library transformers is missing")
    kind, sizes, name = case
    with global_seed(0):
        config = getattr(library, f"{kind}Config")(**(sizes | {"attn_implementation": "eager"}))
        model = getattr(library, f"{kind}Model")(config).eval()
        for parameter in model.parameters() if spread else ():
            nn.init.normal_(parameter, std=spread)
    return model, name


SPREADS = pytest.mark.parametrize("spread", [0.3, None], ids=["trained", "drawn"])


@SPREADS
@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_computes_other_scores_is_refused(case, spread):
    model, name = built(case, spread)
    attention = model.get_submodule(name)
    assert not has_heads(attention)
    kind = type(attention).__name__
    for function in (head_maps, lambda module: query_key(module, 0)):
        with pytest.raises(TypeError, match=f"attention: expected .*{kind}"):
            function(attention)


def test_a_head_that_is_refused_is_no_part_and_the_whole_attention_is():
    model, name = built(REFUSED["GPT-Neo, global"], None)
    message = "part: expected a head of an attention whose heads are known"
    with pytest.raises(ValueError, match=message), kept(model, [f"{name}:0"]):
        pass
    tokens = torch.arange(2, 2 + N)[None]
    assert list(written(model, [name], lambda: model(tokens))) == [name]


# ---- Attentions written by hand, with the names of ours


class Written(nn.Module):
    """An attention with the names of ours, of which one step is another."""

    def __init__(self, step: str = "", num_heads: int = HEADS) -> None:
        super().__init__()
        self.step, self.num_heads = step, num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(D_MODEL, D_MODEL) for _ in range(4))
        self.norm = nn.LayerNorm(D_MODEL)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        step = self.step
        read = self.norm(x) if step == "norm before" else x
        split = (-1, self.num_heads) if step == "heads between" else (self.num_heads, -1)
        maps = [
            each.unflatten(-1, split) for each in (self.W_Q(read), self.W_K(read), self.W_V(read))
        ]
        if step == "heads between":
            maps = [each.mT for each in maps]
        Q, K, V = (each.transpose(1, 2) for each in maps)  # [batch, head, n, d_head]
        n, d_head = Q.shape[-2:]
        apart = torch.arange(n)[:, None] - torch.arange(n)
        if step == "turned":
            turn = torch.polar(torch.ones(n), torch.arange(n) * 1.0)[:, None]  # all by one angle
            Q, K = (
                torch.view_as_real(
                    torch.view_as_complex(each.unflatten(-1, (-1, 2))) * turn
                ).flatten(-2)
                for each in (Q, K)
            )
        factors = {"no root": 1.0, "a tenth more": 1.1 / d_head**0.5}
        scores = Q @ K.mT * factors.get(step, d_head**-0.5)
        if step == "slopes":
            scores = scores - 0.01 * apart.abs()
        hidden = torch.full((n, n), False)
        if step == "last three":
            hidden = (apart < 0) | (apart > 2)
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1)
        if step == "a sink":
            weights = scores.exp() / (1 + scores.exp().sum(-1, keepdim=True))
        heads = weights @ V
        if step == "norm between":
            heads = nn.functional.rms_norm(heads, heads.shape[-1:])
        merged = heads.transpose(1, 2).flatten(-2)
        output: Tensor = self.W_O(merged)
        if step == "a gate behind":
            output = output * x.sigmoid()
        return output


STEPS = ["no root", "a tenth more", "turned", "slopes", "a sink", "heads between"]
STEPS += ["norm before", "norm between", "last three", "a gate behind"]


@pytest.mark.parametrize("scale", [1.0, 0.02], ids=["drawn", "tiny"])
@pytest.mark.parametrize("step", STEPS)
def test_an_attention_by_hand_that_is_another_is_refused(step, scale):
    with global_seed(0):
        module = Written(step)
    with torch.no_grad():
        module.W_Q.weight.mul_(scale)
    assert not has_heads(module)
    with pytest.raises(TypeError, match="attention: expected .*Written"):
        head_maps(module)


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e3], ids=["nothing", "tiny", "huge"])
def test_weights_of_any_size_are_taken(scale):
    with global_seed(0):
        module = Written()
    with torch.no_grad():
        module.W_Q.weight.mul_(scale)
    assert has_heads(module)


def test_values_of_zero_say_nothing_of_the_scores_and_are_refused():
    module = Written("no root")
    nn.init.zeros_(module.W_V.weight)
    nn.init.ones_(module.W_V.bias)
    assert not has_heads(module)
    with pytest.raises(TypeError, match="values"):
        head_maps(module)


class Asking(Written):
    """Asks for something that nobody but its model knows."""

    def forward(self, x: Tensor, angles: Tensor | None = None) -> Tensor:  # type: ignore[override]
        return super().forward(x if angles is None else x * angles)


class Needing(Written):
    def forward(self, x: Tensor, angles: Tensor) -> Tensor:  # type: ignore[override]
        return super().forward(x * angles)


class Failing(Written):
    def forward(self, x: Tensor) -> Tensor:  # type: ignore[override]
        raise NotImplementedError("not on this machine")


@pytest.mark.parametrize(
    ("module", "said"),
    [
        (Asking(), "angles"),
        (Needing(), "angles"),
        (Failing(), "not on this machine"),
        (Written().to("meta"), "meta"),
        (Written(num_heads=5), "Written"),
        (GroupedQueryAttention(D_MODEL, HEADS, HEADS), "turn"),
        (GroupedQueryAttention(D_MODEL, 4, 2), "GroupedQuery"),
        (RelativeAttention(D_MODEL, HEADS), "sinusoids"),
        (nn.MultiheadAttention(D_MODEL, HEADS), "got MultiheadAttention"),
    ],
    ids=lambda value: getattr(value, "step", None) or str(value)[:21].split("(")[0],
)
def test_an_error_says_what_could_not_be_verified(module, said):
    assert not has_heads(module)
    with pytest.raises(TypeError, match=f"attention: expected .*{said}"):
        head_maps(module)


# ---- Ours, and heirs of ours


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("bias", [True, False])
def test_ours_needs_no_pass(device, bias):
    module = MultiHeadAttention(D_MODEL, HEADS, d_head=5, d_value=7, bias=bias, dropout=0.5)
    assert has_heads(module.to(device).train())
    assert query_key(module, 2).device.type == device


class Unscaled(SteppedAttention):
    @property
    def scale(self) -> float:
        return 1.0


def test_an_heir_of_ours_is_taken_where_it_does_as_ours():
    assert has_heads(SteppedAttention(D_MODEL, HEADS, d_head=5, d_value=7))
    assert not has_heads(Unscaled(D_MODEL, HEADS, d_head=5, d_value=7))


class Doubled(nn.Module):
    def forward(self, weight: Tensor) -> Tensor:
        return 2 * weight


def test_maps_are_those_that_act():
    module = MultiHeadAttention(D_MODEL, HEADS)
    before = query_key(module, 1)[:-1].detach()
    parametrize.register_parametrization(module.W_K, "weight", Doubled())
    assert torch.allclose(query_key(module, 1)[:-1, :-1], 2 * before[:, :-1])


class Adapted(nn.Module):
    """A map with a second one beside it, as low-rank adapters keep it: its weight is not all."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.weight, self.bias = linear.weight, linear.bias
        self.beside = nn.Linear(linear.in_features, linear.out_features, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        output: Tensor = nn.functional.linear(x, self.weight, self.bias) + self.beside(x)
        return output


@pytest.mark.parametrize("name", ["W_Q", "W_K", "W_V", "W_O"])
def test_a_map_that_is_more_than_its_weight_is_refused(name):
    module = MultiHeadAttention(D_MODEL, HEADS)
    setattr(module, name, Adapted(getattr(module, name)))
    assert not has_heads(module)


# ---- What the pass leaves behind: nothing


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_every_dtype_is_verified_finely(dtype):
    with global_seed(0):
        assert has_heads(Written().to(dtype))
        assert not has_heads(Written("slopes").to(dtype))


class Dropping(Written):
    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        return super().forward(nn.functional.dropout(x, 0.5, self.training))


def test_a_pass_leaves_mode_hooks_generators_and_gradients_as_they_were():
    module = Dropping()
    module.norm.eval()
    ran: list[nn.Module] = []
    for part in module.modules():
        part.register_forward_hook(lambda part, *_: ran.append(part))
        part.register_forward_pre_hook(lambda part, *_: ran.append(part))
    before = torch.get_rng_state()
    maps = head_maps(module)
    assert ran == []
    assert torch.equal(torch.get_rng_state(), before)
    assert [part.training for part in (module, module.W_Q, module.norm)] == [True, True, False]
    maps.query.sum().backward()
    assert module.W_Q.weight.grad is not None
    assert module.W_O.weight.grad is None
    module.eval()(torch.ones(1, 2, D_MODEL))
    assert len(ran) == 10  # two hooks a part, but for the norm


class Remembering(Written):
    """Keeps what it read last, in a buffer and beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.last: Tensor | None = None
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        self.last, self.seen = x, self.seen + 1
        return super().forward(x)


def test_a_pass_leaves_what_the_module_keeps():
    module = Remembering()
    assert has_heads(module)
    assert module.last is None
    assert module.seen.item() == 0


@pytest.mark.parametrize("around", [torch.no_grad, torch.inference_mode], ids=lambda f: f.__name__)
def test_heads_are_found_where_no_gradients_are_kept(around):
    with around():
        assert has_heads(Written())


@pytest.mark.parametrize("precision", ["high", "medium"])
def test_coarse_products_do_not_coarsen_the_pass(precision):
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(precision)
    try:
        assert has_heads(Written())
        assert not has_heads(Written("slopes"))
        assert torch.get_float32_matmul_precision() == precision
    finally:
        torch.set_float32_matmul_precision(before)


def test_a_compiled_attention_is_read_as_what_it_compiles():
    module = Written()
    assert has_heads(torch.compile(module, backend="eager"))
    assert not has_heads(torch.compile(Written("no root"), backend="eager"))
    module.W_O.compile(backend="eager")
    module.compile(backend="eager")
    assert has_heads(module)
