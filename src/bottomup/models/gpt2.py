"""The weights of a published GPT-2 in the language model of chapter 04."""

import math
from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from bottomup.models.language_model import LanguageModel, LanguageModelConfig
from bottomup.models.published import check_kind, load_named, size

EPSILON = 1e-5  # of GPT-2's norms
HEAD = "lm_head.weight"  # the table once more

MASKS = (".attn.bias", ".attn.masked_bias")  # buffers of older versions

# A part of ours -> its name in transformers' `GPT2Model`; the second half is
# the names within a layer.
AROUND = {"embedding": "wte", "positions": "wpe", "final_norm": "ln_f"}
LAYER = {
    "around_attention.norm": "ln_1",
    "attention.W_Q": "attn.c_attn.q",
    "attention.W_K": "attn.c_attn.k",
    "attention.W_V": "attn.c_attn.v",
    "attention.W_O": "attn.c_proj",
    "around_feed_forward.norm": "ln_2",
    "feed_forward.W_in": "mlp.c_fc",
    "feed_forward.W_out": "mlp.c_proj",
}


def from_gpt2(weights: Mapping[str, Tensor], num_heads: int) -> LanguageModel:
    """Return a `LanguageModel` with the weights of a GPT-2.

    All sizes but the number of heads are read off the shapes. GPT-2 keeps a map
    as ``[in, out]`` and the maps of queries, keys and values side by side; it
    does not scale its embedding. Ours does, by ``sqrt(d_model)``, so the table
    is divided by it, and the last norm, which is all that the unembedding
    reads, is multiplied by it.

    Args:
        weights: the ``state_dict()`` of a ``GPT2Model``, or of a model around
            one, whose names begin with ``transformer.``. A map's is
            ``[in, out]``.
        num_heads: the heads of a layer, which no shape tells.

    Raises:
        ValueError: names the weights that are missing, left over or of another
            shape.

    Source: the names in transformers' ``modeling_gpt2.py``; Radford et al.
    (2019), section 2.3, for norms before the sublayers and one at the end.
    """
    check_kind("weights", weights, Mapping)
    given = dict(_apart(weights))
    model = LanguageModel(_config(given, num_heads))
    load_named(model, given, _theirs)
    root = math.sqrt(model.d_model)
    with torch.no_grad():
        model.embedding.weight.div_(root)
        for parameter in model.final_norm.parameters():
            parameter.mul_(root)
    return model.eval()


def _apart(weights: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """Yield the weights with one map for Q, K and V each, as ``[out, in]``."""
    for full_name, weight in weights.items():
        name, x = full_name.removeprefix("transformer."), weight
        if name == HEAD or name.endswith(MASKS):
            continue
        if name.startswith("h.") and x.dim() == 2:
            x = x.mT
        if ".c_attn." in name:  # [3 d_model, d_model], or of a bias [3 d_model]
            for letter, part in zip("qkv", x.chunk(3), strict=False):
                yield name.replace("c_attn", f"c_attn.{letter}"), part
        else:
            yield name, x


def _config(
    weights: Mapping[str, Tensor], num_heads: int
) -> LanguageModelConfig:
    """Return the sizes that the shapes tell; any where a weight is missing."""
    layers = {name.split(".")[1] for name in weights if name.startswith("h.")}
    return LanguageModelConfig(
        vocabulary=size(weights, "wte.weight", 0, num_heads),
        max_length=size(weights, "wpe.weight", 0, num_heads),
        d_model=size(weights, "wte.weight", 1, num_heads),
        num_layers=len(layers),
        num_heads=num_heads,
        d_ff=size(weights, "h.0.mlp.c_fc.weight", 0, num_heads),
        activation="gelu_tanh",
        epsilon=EPSILON,
    )


def _theirs(name: str) -> str:
    """Return GPT-2's name of a parameter of ours."""
    path, kind = name.rsplit(".", 1)
    kind = "bias" if kind == "bias" else "weight"  # of a norm: gain
    if not path.startswith("layers."):
        return f"{AROUND[path]}.{kind}"
    _, number, part = path.split(".", 2)
    return f"h.{number}.{LAYER[part]}.{kind}"
