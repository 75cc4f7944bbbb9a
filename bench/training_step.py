"""A Transformer's training step by this package, torch and x-transformers, from the same weights.

A step: forward pass with its masks, cross-entropy over the real tokens, backward pass, Adam's step,
and the gradients freed. The model is what all three can be: pre-norm with a LayerNorm at each
side's end, ReLU, learned positions, three tables of tokens, no dropout. The attentions and norms of
x-transformers have no biases; ours and torch's have, and they start as zeros.
"""

import math
from collections.abc import Callable, Iterator
from copy import deepcopy

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from bench.measure import HAS_PEER, Comparison, Side
from bottomup.data import Batch
from bottomup.models import Transformer, TransformerConfig
from bottomup.models.transformer_weights import to_torch
from bottomup.results.speed import OURS, TORCH, X_TRANSFORMERS
from bottomup.training import token_cross_entropy

VOCABULARY = 1000
IGNORED = -100  # what `cross_entropy` leaves out
# What is compared of the gradients. The backward pass reaches the tables through everything else.
TABLES = ("source_embedding.weight", "target_embedding.weight", "unembedding.weight")


def sides(
    dtype: torch.dtype, *, layers: int, d_model: int, heads: int, batch: int, n: int
) -> dict[str, Side]:
    """Return every side by its name, ours first: the same weights, the same batch."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = transformer(layers, d_model, heads, n).to(dtype)
        tokens = padded_batch(batch, n)
    found = {OURS: ours(model, tokens), TORCH: of_torch(model, tokens)}
    if HAS_PEER:
        found[X_TRANSFORMERS] = of_x_transformers(model, tokens)
    return found


def transformer(layers: int, d_model: int, heads: int, n: int) -> Transformer:
    """Return this package's model."""
    return Transformer(
        TransformerConfig(
            source_vocabulary=VOCABULARY,
            target_vocabulary=VOCABULARY,
            d_model=d_model,
            encoder_layers=layers,
            decoder_layers=layers,
            num_heads=heads,
            d_ff=4 * d_model,
            positions="learned",
            shared="none",
            max_length=n,
        )
    )


def padded_batch(rows: int, n: int) -> Batch:
    """Return random tokens; sources grow from half of n to all of it, targets shrink."""
    source, target_in, target_out = torch.randint(4, VOCABULARY, (3, rows, n))
    real = real_tokens(rows, n)
    return Batch(
        source=source,
        source_mask=real,
        target_in=target_in,
        target_out=target_out,
        target_mask=real.flip(0),
    )


def real_tokens(rows: int, n: int) -> Tensor:
    """Return which positions are real, [rows, n]: from half of n, in equal steps, to all of it."""
    lengths = torch.linspace(max(n // 2, 1), n, rows).long() if rows > 1 else torch.tensor([n])
    return torch.arange(n) < lengths[:, None]


def side(
    module: nn.Module,
    forward: Callable[[], Tensor],
    loss: Callable[[Tensor], Tensor],
    tables: dict[str, tuple[nn.Parameter, float]],
) -> Side:
    """Return a side whose forward pass gives the logits; between two steps no gradient stays.

    Beside each of the tables stands what it holds in units of ours.
    """
    optimiser = torch.optim.Adam(module.train().parameters(), lr=1e-4)

    def run() -> None:
        loss(forward()).backward()
        optimiser.step()
        optimiser.zero_grad()

    def computed() -> dict[str, Tensor]:
        logits = forward()
        value = loss(logits)
        value.backward()
        gradients = {name: unit * table.grad for name, (table, unit) in tables.items()}
        return {"logits": logits.detach(), "loss": value.detach(), **gradients}

    return Side(run, computed)


def ours(model: Transformer, batch: Batch) -> Side:
    """Return this package's model; it gets the batch alone and makes its masks itself."""
    return side(
        model,
        forward=lambda: model(batch).logits,
        loss=lambda logits: token_cross_entropy(logits, batch.target_out, batch.target_mask),
        tables={name: (model.get_parameter(name), 1.0) for name in TABLES},
    )


class AroundTorch(nn.Module):
    """``nn.Transformer`` between tables and unembedding, as its users write them."""

    def __init__(self, like: Transformer) -> None:
        super().__init__()
        names = ("source_embedding", "target_embedding", "unembedding")
        for name in (*names, "source_positions", "target_positions"):
            self.add_module(name, deepcopy(like.get_submodule(name)))
        self.layers = to_torch(like)
        self.scale = math.sqrt(like.config.d_model)

    def forward(self, batch: Batch, causal: Tensor) -> Tensor:
        """Return the logits. The causal mask alone keeps real targets from reading padding.

        A padding mask for the targets would cost torch its causal kernel. Ours does the same.
        """
        x = self.source_positions(self.scale * self.source_embedding(batch.source))
        y = self.target_positions(self.scale * self.target_embedding(batch.target_in))
        y = self.layers(
            x,
            y,
            tgt_mask=causal,
            tgt_is_causal=True,
            src_key_padding_mask=~batch.source_mask,
            memory_key_padding_mask=~batch.source_mask,
        )
        return self.unembedding(y)


def of_torch(like: Transformer, batch: Batch) -> Side:
    """Return ``nn.Transformer``; `tgt_is_causal` lets its kernel skip half of the work."""
    module = AroundTorch(like)
    n, dtype = batch.target_in.shape[1], module.unembedding.weight.dtype
    causal = nn.Transformer.generate_square_subsequent_mask(n, dtype=dtype)
    return side(
        module,
        forward=lambda: module(batch, causal),
        loss=loss_over(batch),
        tables={name: (module.get_parameter(name), 1.0) for name in TABLES},
    )


def of_x_transformers(like: Transformer, batch: Batch) -> Side:
    """Return x-transformers' XTransformer.

    Its two sides are called one after the other. Its own `forward` would feed one token more than
    it gets a loss for, and give the encoder's padding as `mask`, which also sets outputs to zero.
    """
    module = as_x_transformer(like)

    def forward() -> Tensor:
        mask = batch.source_mask
        memory = module.encoder(batch.source, self_attn_kv_mask=mask, return_embeddings=True)
        return module.decoder.net(batch.target_in, context=memory, context_mask=mask)

    copied = {name: (its, unit) for name, its, unit in pairs(like, module)}
    return side(module, forward, loss_over(batch), {name: copied[name] for name in TABLES})


def loss_over(batch: Batch) -> Callable[[Tensor], Tensor]:
    """Return torch's cross-entropy over the real targets."""
    wanted = batch.target_out.masked_fill(~batch.target_mask, IGNORED).flatten()
    return lambda logits: cross_entropy(logits.flatten(0, 1), wanted, ignore_index=IGNORED)


def as_x_transformer(like: Transformer) -> nn.Module:
    """Return an ``XTransformer`` with the same weights in their dtype, and torch's fused kernel."""
    from x_transformers import XTransformer  # only `make bench` installs it

    config = like.config
    sizes = {
        "num_tokens": config.target_vocabulary,
        "max_seq_len": config.max_length,
        "depth": config.encoder_layers,
        "heads": config.num_heads,
        "attn_dim_head": config.d_model // config.num_heads,
        "attn_flash": True,
        "ff_mult": config.d_ff // config.d_model,
        "ff_custom_activation": nn.ReLU(),
        "norm_add_unit_offset": False,  # the gain itself, not the gain less one
    }
    both = {f"{side}_{name}": size for side in ("enc", "dec") for name, size in sizes.items()}
    module = XTransformer(dim=config.d_model, **both).to(like.target_embedding.weight)
    with torch.no_grad():
        for name, its, unit in pairs(like, module):
            its.copy_(unit * like.get_parameter(name))
    return module


def pairs(like: Transformer, module: nn.Module) -> Iterator[tuple[str, nn.Parameter, float]]:
    """Yield our parameter's name, its parameter, and its values in units of ours.

    x-transformers does not scale embeddings by sqrt(d_model), and divides positions by it.
    """
    root = math.sqrt(like.config.d_model)
    attention = {"W_Q": "to_q", "W_K": "to_k", "W_V": "to_v", "W_O": "to_out"}
    maps = {"W_in": "ff.0.0", "W_out": "ff.2"}
    parts = {
        "encoder": ("attention", "feed_forward"),
        "decoder": ("attention", "cross_attention", "feed_forward"),
    }
    for side, language in (("encoder", "source"), ("decoder", "target")):
        its = module.encoder if side == "encoder" else module.decoder.net
        yield f"{language}_embedding.weight", its.token_emb.emb.weight, root
        yield f"{language}_positions.table", its.pos_emb.emb.weight, root
        for number, (norms, block, _) in enumerate(its.attn_layers.layers):
            layer, part = divmod(number, len(parts[side]))
            name, path = parts[side][part], f"{side}_layers.{layer}"
            yield f"{path}.around_{name}.norm.gain", norms[0].gamma, 1.0
            for mine, other in (maps if name == "feed_forward" else attention).items():
                for kind, parameter in block.get_submodule(other).named_parameters():
                    yield f"{path}.{name}.{mine}.{kind}", parameter, 1.0
        yield f"{side}_norm.gain", its.attn_layers.final_norm.gamma, 1.0
    yield "unembedding.weight", module.decoder.net.to_logits.weight, 1.0


COMPARISON = Comparison(
    cases=[
        (15, {"layers": 1, "d_model": 512, "heads": 8, "batch": 8, "n": 64}),
        (9, {"layers": 1, "d_model": 512, "heads": 8, "batch": 2, "n": 512}),
        (7, {"layers": 6, "d_model": 512, "heads": 8, "batch": 8, "n": 64}),
        (25, {"layers": 1, "d_model": 128, "heads": 4, "batch": 32, "n": 64}),
        (9, {"layers": 6, "d_model": 128, "heads": 4, "batch": 32, "n": 64}),
    ],
    sides=sides,
)
