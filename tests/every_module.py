"""Every kind of module, small, each with an input: for what all of them must stand."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from bottomup import attention as A
from bottomup import blocks as B
from bottomup import models as M
from bottomup.data import make_batch
from tests.drawn import global_seed, learned, randn

D, HEADS, N, BATCH = 12, 2, 7, 3  # width, heads, positions, sequences
VOCABULARY = 11


def stream(*shape: int) -> tuple[Tensor, ...]:
    return (randn(*(shape or (BATCH, N, D)), dtype=torch.float32),)


def asked(d_query: int = D) -> tuple[Tensor, ...]:
    """A query, a key and a value."""
    keys = randn(BATCH, N, D, seed=1, dtype=torch.float32)
    return randn(BATCH, 5, d_query, dtype=torch.float32), keys, keys


def tokens(n: int = N) -> tuple[Tensor, ...]:
    return (torch.arange(BATCH * n).reshape(BATCH, n) % (VOCABULARY - 4) + 4,)


def batch() -> tuple[Any, ...]:
    return (make_batch([([5, 6, 7], [8, 9]), ([4, 5], [6, 7, 10]), ([9], [4])]),)


def translator(**options: Any) -> Callable[[], nn.Module]:
    config = M.Seq2SeqConfig(
        source_vocabulary=VOCABULARY,
        target_vocabulary=VOCABULARY,
        d_embedding=6,
        d_state=8,
        half_width=2,
        **options,
    )
    return lambda: M.RNNSeq2Seq(config)


def transformer(**options: Any) -> Callable[[], nn.Module]:
    return lambda: M.Transformer(
        M.TransformerConfig(
            source_vocabulary=VOCABULARY,
            target_vocabulary=VOCABULARY,
            d_model=D,
            encoder_layers=1,
            decoder_layers=1,
            num_heads=HEADS,
            d_ff=13,
            max_length=16,
            **options,
        )
    )


def language(model: type[nn.Module], **options: Any) -> Callable[[], nn.Module]:
    config = M.LanguageModelConfig(
        vocabulary=VOCABULARY, max_length=16, d_model=D, num_heads=HEADS, d_ff=13, **options
    )
    return lambda: model(config)


def decoder(**options: Any) -> Callable[[], nn.Module]:
    config = M.DecoderOnlyConfig(
        vocabulary=VOCABULARY, max_length=16, d_model=D, num_heads=HEADS, **options
    )
    return lambda: M.DecoderOnly(config)


Case = tuple[Callable[[], nn.Module], Callable[[], tuple[Any, ...]]]

SCORED: dict[str, Case] = {
    "AdditiveAttention": (lambda: A.AdditiveAttention(D, D, 5), asked),
    "DotAttention": (A.DotAttention, asked),
    "GeneralAttention": (lambda: A.GeneralAttention(D, D), asked),
    "ConcatAttention": (lambda: A.ConcatAttention(D, D, 5), asked),
    "LocationAttention": (lambda: A.LocationAttention(D, 17), asked),
    "LocalAttention, monotonic": (lambda: A.LocalAttention(A.DotAttention(), half_width=2), asked),
    "LocalAttention, predicted": (
        lambda: A.LocalAttention(A.DotAttention(), half_width=2, center="predicted", d_query=D),
        asked,
    ),
    "HardAttention": (lambda: A.HardAttention(A.GeneralAttention(D, D)), asked),
}
ATTENTION: dict[str, Case] = SCORED | {
    "SelfAttention": (lambda: A.SelfAttention(D), stream),
    "MultiHeadAttention": (lambda: A.MultiHeadAttention(D, HEADS), asked),
    "GroupedQueryAttention": (lambda: A.GroupedQueryAttention(D, 4, 2), stream),
    "RelativeAttention": (
        lambda: A.RelativeAttention(D, HEADS),
        lambda: (*stream(BATCH, 5, D), *stream(), *stream(N, D)),
    ),
    "IntraAttention": (lambda: A.IntraAttention(D, 5), stream),
    "StructuredSelfAttention": (lambda: A.StructuredSelfAttention(D, 5, 3), stream),
    "LSTMN": (lambda: A.LSTMN(D, 5, 3), stream),
    "SparseSelfAttention": (
        lambda: A.SparseSelfAttention(D, HEADS, pattern=A.SparsePattern(kind="strided", width=3)),
        stream,
    ),
}
BLOCKS: dict[str, Case] = {
    "AttentionLayer": (lambda: B.AttentionLayer(D, HEADS), stream),
    "EncoderLayer": (lambda: B.EncoderLayer(D, HEADS, 13), stream),
    "EncoderLayer, post": (lambda: B.EncoderLayer(D, HEADS, 13, norm="post"), stream),
    "DecoderLayer": (lambda: B.DecoderLayer(D, HEADS, 13), lambda: stream() + stream()),
    "FeedForward": (lambda: B.FeedForward(D, 13), stream),
    "FeedForward, gelu": (lambda: B.FeedForward(D, 13, activation="gelu"), stream),
    "GatedFeedForward": (lambda: B.GatedFeedForward(D, 13), stream),
    "LayerNorm": (lambda: B.LayerNorm(D), stream),
    "RMSNorm": (lambda: B.RMSNorm(D), stream),
    "LearnedPositions": (lambda: B.LearnedPositions(max_length=9, d_model=D), stream),
    "SinusoidalPositions": (lambda: B.SinusoidalPositions(max_length=9, d_model=D), stream),
}
TRANSLATORS: dict[str, Case] = {
    "none": (translator(attention="none"), batch),
    "bahdanau": (translator(attention="bahdanau"), batch),
} | {
    f"{attention} {span}{' fed' if fed else ''}": (
        translator(attention=attention, span=span, input_feeding=fed),
        batch,
    )
    for attention in ("dot", "general", "concat", "additive", "location")
    for span in ("global", "local_m", "local_p")
    for fed in ((False, True) if attention == "dot" else (False,))
}
MODELS: dict[str, Case] = {
    "Transformer": (transformer(), batch),
    "Transformer, learned": (transformer(positions="learned", norm="post"), batch),
    "LanguageModel": (language(M.LanguageModel), tokens),
    "LanguageModel, sinusoidal": (language(M.LanguageModel, positions="sinusoidal"), tokens),
    "MaskedLanguageModel": (language(M.MaskedLanguageModel), tokens),
    "Bert": (
        language(M.Bert),
        lambda: (*tokens(), torch.zeros(BATCH, N, dtype=torch.int64)),
    ),
    "DecoderOnly": (decoder(), tokens),
    "DecoderOnly, alibi": (decoder(positions="alibi"), tokens),
    "DecoderOnly, grouped": (decoder(num_groups=1, window=3), tokens),
    "TransformerXL": (
        lambda: M.TransformerXL(
            M.TransformerXLConfig(vocabulary=VOCABULARY, d_model=D, num_heads=HEADS, d_ff=13)
        ),
        tokens,
    ),
    "XLNet": (
        lambda: M.XLNet(
            M.XLNetConfig(vocabulary=VOCABULARY, max_length=16, d_model=D, num_heads=HEADS, d_ff=13)
        ),
        lambda: (*tokens(), torch.arange(N).flip(0).expand(BATCH, N)),
    ),
    "AttentionOnly": (
        lambda: M.AttentionOnly(
            M.AttentionOnlyConfig(vocabulary=VOCABULARY, outputs=5, d_model=D, num_heads=HEADS)
        ),
        tokens,
    ),
    "SparseTransformer": (
        lambda: M.SparseTransformer(
            M.SparseTransformerConfig(
                vocabulary=VOCABULARY,
                length=9,
                row=3,
                pattern=A.SparsePattern(kind="fixed", width=3),
                d_model=D,
                num_layers=2,
                num_heads=HEADS,
                d_ff=13,
            )
        ),
        lambda: tokens(9),
    ),
    "DeepStack": (lambda: M.DeepStack(D, 3, kind="residual"), lambda: stream(BATCH, D)),
    "SparseAutoencoder": (lambda: M.SparseAutoencoder(D, 17), lambda: stream(BATCH, D)),
    "ToySuperposition": (lambda: M.ToySuperposition(D, 5), lambda: stream(1, BATCH, D)),
    "HardSeq2Seq": (
        lambda: M.HardSeq2Seq(
            M.Seq2SeqConfig(
                source_vocabulary=VOCABULARY,
                target_vocabulary=VOCABULARY,
                attention="dot",
                d_embedding=6,
                d_state=8,
            )
        ),
        batch,
    ),
}
EVERY: dict[str, Case] = ATTENTION | BLOCKS | TRANSLATORS | MODELS


def made(name: str) -> tuple[nn.Module, tuple[Any, ...]]:
    """A module as after training, in evaluation mode, and what it reads."""
    make, inputs = EVERY[name]
    with global_seed(11):
        return learned(make()).eval(), inputs()


def tensors(result: Any) -> list[Tensor]:
    """The floating-point tensors of a module's result, in order."""
    if isinstance(result, Tensor):
        return [result] if result.is_floating_point() else []
    if isinstance(result, tuple | list):
        return [each for part in result for each in tensors(part)]
    return [each for part in vars(result).values() for each in tensors(part)] if result else []
