"""Chapter 05: the translators of the table. Each differs from the base model in one choice.

A variant's name is that of its choice: ``base``, ``dropout``, or ``heads_16``, ``layers_4`` and
``d_ff_64`` with a number. ``small`` is the base model trained on few sentences, ``small_dropout``
the variant ``dropout`` on the same few. What `TransformerConfig` cannot say is changed in the
finished model.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from torch import nn

from bottomup.attention import MultiHeadAttention
from bottomup.blocks import FeedForward
from bottomup.experiments.shared.training import seeded
from bottomup.models import Transformer, TransformerConfig

SMALL = "small"


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        variants: what is compared; see the module.
        corpus_size, corpus_seed: of the mini-language.
        small_corpus: training sentences of the variants called ``small``, the first of the corpus.
            Vocabularies and test sentences stay those of the whole corpus.
        bins: ranges of source lengths (words, full stop included), both ends included.
        d_model, layers, num_heads, d_ff: of the base model; `layers` on each side.
        d_narrow: width of a head's queries and keys in ``narrow_keys``.
        dropout, smoothing: of the variants that have any.
        tokens_per_batch, steps, warmup, learning_rate: of every training.
    """

    variants: tuple[str, ...]
    corpus_size: int = 60_000
    corpus_seed: int = 0
    small_corpus: int = 4_000
    bins: tuple[tuple[int, int], ...] = ((4, 7), (8, 11), (12, 15), (16, 20))
    d_model: int = 64
    layers: int = 2
    num_heads: int = 4
    d_ff: int = 256
    d_narrow: int = 4
    dropout: float = 0.1
    smoothing: float = 0.1
    tokens_per_batch: int = 1024
    steps: int = 600
    warmup: int = 50
    learning_rate: float = 6e-3


# What a number behind one of these names sets.
NUMBERED = {
    "heads": ("num_heads",),
    "layers": ("encoder_layers", "decoder_layers"),
    "d_ff": ("d_ff",),
}
CHANGES: dict[str, dict[str, Any]] = {
    "base": {},
    "smoothing": {},  # of the loss, not of the model
    "narrow_keys": {},  # changed in the finished model, as the next
    "no_biases": {},
    "learned_positions": {"positions": "learned"},
    "shared_layers": {"share_layers": True},
    "shared_none": {"shared": "none"},
    "post_norm": {"norm": "post"},
    "post_norm_final": {"norm": "post", "final_norm": True},
}


def is_small(variant: str) -> bool:
    """Say whether a variant is trained on few sentences."""
    return variant.split("_")[0] == SMALL


def choice(variant: str) -> str:
    """Return the variant's choice, whatever corpus it is trained on."""
    return "base" if variant == SMALL else variant.removeprefix(f"{SMALL}_")


def is_smoothed(variant: str) -> bool:
    """Say whether a variant is trained with smoothed labels."""
    return choice(variant) == "smoothing"


def model_config(
    config: Config, variant: str, *, source_vocabulary: int, target_vocabulary: int
) -> TransformerConfig:
    """Return the base model's configuration with the variant's change."""
    base: dict[str, Any] = {
        "d_model": config.d_model,
        "encoder_layers": config.layers,
        "decoder_layers": config.layers,
        "num_heads": config.num_heads,
        "d_ff": config.d_ff,
    }
    return TransformerConfig(
        source_vocabulary=source_vocabulary,
        target_vocabulary=target_vocabulary,
        **{**base, **_changes(config, variant)},
    )


def _changes(config: Config, variant: str) -> dict[str, Any]:
    name = choice(variant)
    if name in ("dropout", "dropout_updates"):
        return {"dropout": config.dropout}
    kind, _, number = name.rpartition("_")
    if kind in NUMBERED and number.isdigit():
        return dict.fromkeys(NUMBERED[kind], int(number))
    if name not in CHANGES:
        raise ValueError(f"variant: expected one that the experiment knows, got {variant!r}")
    return CHANGES[name]


def build(
    config: Config, variant: str, seed: int, *, source_vocabulary: int, target_vocabulary: int
) -> Transformer:
    """Make the variant's untrained model from `seed`."""
    sizes = {"source_vocabulary": source_vocabulary, "target_vocabulary": target_vocabulary}
    with seeded(seed):
        model = Transformer(model_config(config, variant, **sizes))
        _change_afterwards(config, choice(variant), model)
    return model


def _change_afterwards(config: Config, name: str, model: Transformer) -> None:
    if name == "narrow_keys":
        narrow_keys(model, d_head=config.d_narrow)
    elif name == "dropout_updates":
        drop_updates_alone(model)
    elif name == "no_biases":
        freeze_biases(model)


def attentions(model: Transformer) -> Iterator[tuple[nn.Module, str, MultiHeadAttention]]:
    """Yield each attention with the layer that holds it, and its name there."""
    for layer in (*model.encoder_layers, *model.decoder_layers):
        for name, part in list(layer.named_children()):
            if isinstance(part, MultiHeadAttention):
                yield layer, name, part


def narrow_keys(model: Transformer, *, d_head: int) -> None:
    """Give every attention queries and keys of width `d_head`; the values keep theirs.

    In ``h = 1`` to ``16`` keys and values change together. Rows (B) of the paper's table change the
    keys alone, which `TransformerConfig` cannot say, so that each attention is replaced. All other
    parameters stay as they were drawn.
    """
    for layer, name, wide in attentions(model):
        narrow = MultiHeadAttention(
            wide.d_model,
            wide.num_heads,
            d_head=d_head,
            d_value=wide.d_value,
            dropout=wide.dropout,
        )
        setattr(layer, name, narrow)


def drop_updates_alone(model: Transformer) -> None:
    """Take dropout out of the attention weights and the activations.

    It stays on the updates and behind the embeddings: the places that section 5.4 names.
    """
    for part in model.modules():
        if isinstance(part, (MultiHeadAttention, FeedForward)):
            part.dropout = 0.0


def freeze_biases(model: Transformer) -> None:
    """Keep the biases of W_Q, W_K, W_V and W_O at the zeros they start from.

    That is a model without them, whose other parameters start as in the base model.
    """
    for _layer, _name, attention in attentions(model):
        for linear_map in (attention.W_Q, attention.W_K, attention.W_V, attention.W_O):
            linear_map.bias.requires_grad_(False)
