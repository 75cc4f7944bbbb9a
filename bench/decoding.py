"""Greedy decoding from the same weights: our cache, no cache, x-transformers' cache.

Every side writes n tokens for sources of n tokens. None may stop early: the row of EOS in the
unembedding is zero, so its logit is 0, below the largest of many.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from bench.measure import HAS_PEER, Comparison, Side
from bench.training_step import VOCABULARY, as_x_transformer, real_tokens, transformer
from bottomup.data import BOS, EOS
from bottomup.decoding import greedy
from bottomup.masks import causal_mask
from bottomup.models import Transformer
from bottomup.results.speed import OURS, RE_DECODING, X_TRANSFORMERS


def sides(
    dtype: torch.dtype, *, layers: int, d_model: int, heads: int, batch: int, n: int
) -> dict[str, Side]:
    """Return every side by its name, ours first: the same weights, the same sources."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = transformer(layers, d_model, heads, n).to(dtype).eval()
        source = torch.randint(4, VOCABULARY, (batch, n))
    with torch.no_grad():
        model.get_parameter("unembedding.weight")[EOS] = 0.0
    mask = real_tokens(batch, n)
    found = {
        OURS: side(lambda: greedy(model, source, mask, max_length=n).tokens),
        RE_DECODING: side(lambda: without_cache(model, source, mask, n)),
    }
    if HAS_PEER:
        peer = as_x_transformer(model).eval()
        found[X_TRANSFORMERS] = side(lambda: generate(peer, source, mask, n))
    return found


def side(decode: Callable[[], Tensor]) -> Side:
    """Return a side; its tokens are compared, and a tensor of other sizes is another one."""
    return Side(decode, lambda: {"tokens": decode().double()})


@torch.no_grad()
def without_cache(model: Transformer, source: Tensor, mask: Tensor, n: int) -> Tensor:
    """Decode with the same model, which reads the whole prefix again for each token.

    The encoder runs once all the same, and only the last position is unembedded.
    """
    memory, scale = model.encode(source, mask), math.sqrt(model.config.d_model)
    read = source.new_full((len(source), 1), BOS)
    for length in range(1, n + 1):
        y = model.target_positions(scale * model.target_embedding(read))
        for layer in model.decoder_layers:
            y, _weights = layer(y, memory, causal_mask(length), mask[:, None])
        logits = linear(model.decoder_norm(y[:, -1]), model.get_parameter("unembedding.weight"))
        read = torch.cat([read, logits.argmax(dim=-1, keepdim=True)], dim=1)
    return read[:, 1:]


def generate(peer: nn.Module, source: Tensor, mask: Tensor, n: int) -> Tensor:
    """Decode with ``XTransformer.generate``, its cache and temperature 0.

    A batch without padding needs no mask, and it gets none. It is not told of EOS.
    """
    start = source.new_full((len(source), 1), BOS)
    padded = None if mask.all() else mask
    tokens: Tensor = peer.generate(source, start, n, mask=padded, temperature=0.0)
    return tokens


COMPARISON = Comparison(
    cases=[
        (25, {"layers": 2, "d_model": 64, "heads": 4, "batch": 1, "n": 128}),
        (15, {"layers": 2, "d_model": 64, "heads": 4, "batch": 16, "n": 128}),
        (9, {"layers": 4, "d_model": 256, "heads": 8, "batch": 1, "n": 128}),
        (3, {"layers": 4, "d_model": 256, "heads": 8, "batch": 16, "n": 128}),
        (5, {"layers": 6, "d_model": 512, "heads": 8, "batch": 1, "n": 128}),
    ],
    sides=sides,
)
