"""The encoder of a published BERT, out of the layers of chapter 04."""

from collections.abc import Mapping
from typing import NamedTuple

from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.blocks import EncoderLayer, LayerNorm
from bottomup.checks import (
    check_integer,
    check_token_ids,
    checked,
)
from bottomup.models.published import check_kind, load_named, size

EPSILON = 1e-12  # of BERT's norms

# A part of ours -> its name in transformers' `BertModel`; the second half is
# the names within a layer.
EMBEDDING = {
    "words": "word_embeddings",
    "places": "position_embeddings",
    "segments": "token_type_embeddings",
    "norm": "LayerNorm",
}
LAYER = {
    "attention.W_Q": "attention.self.query",
    "attention.W_K": "attention.self.key",
    "attention.W_V": "attention.self.value",
    "attention.W_O": "attention.output.dense",
    "around_attention.norm": "attention.output.LayerNorm",
    "feed_forward.W_in": "intermediate.dense",
    "feed_forward.W_out": "output.dense",
    "around_feed_forward.norm": "output.LayerNorm",
}
# What a checkpoint may hold beside the encoder.
BESIDE = ("pooler.", "cls.", "embeddings.position_ids")


class BertEncoderOutput(NamedTuple):
    """The stream at each station, and the weights of each layer.

    `states` holds the stream after the embedding and after each layer, so one
    more than there are layers. `weights` is None unless they were asked for.
    """

    states: tuple[Float[Tensor, "batch position d_model"], ...]
    weights: tuple[Float[Tensor, "batch head position position"], ...] | None


class BertEncoder(nn.Module):
    """Read a sentence from both sides, with the sizes of a published BERT.

    ``x_0 = LayerNorm(E[token] + P[position] + S[0])``, then layers with
    ``norm="post"`` and GELU; ``epsilon = 1e-12`` in every norm.

    Args:
        vocabulary: number of token types.
        max_length: number of positions in its table.
        d_model: width of the stream.
        num_layers: number of layers.
        num_heads: heads of each layer; it divides d_model.
        d_ff: neurons of each layer's feed-forward network.

    Source: Devlin et al. (2019), section 3; epsilon, GELU and the norm after
    the embedding as in its published code. Chapter 12 opens one.
    """

    def __init__(
        self,
        *,
        vocabulary: int,
        max_length: int,
        d_model: int,
        num_layers: int,
        num_heads: int,
        d_ff: int,
    ) -> None:
        super().__init__()
        check_integer("vocabulary", vocabulary, at_least=1)
        check_integer("max_length", max_length, at_least=1)
        check_integer("num_layers", num_layers, at_least=0)
        self.d_model, self.num_heads, self.d_ff = d_model, num_heads, d_ff
        self.words = nn.Embedding(vocabulary, d_model)
        self.places = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(2, d_model)
        self.norm = LayerNorm(d_model, epsilon=EPSILON)
        self.layers = nn.ModuleList(
            EncoderLayer(
                d_model,
                num_heads,
                d_ff,
                norm="post",
                activation="gelu",
                epsilon=EPSILON,
            )
            for _ in range(num_layers)
        )

    @checked
    def forward(
        self,
        tokens: Int64[Tensor, "batch position"],
        real: Bool[Tensor, "batch position"] | None = None,
        *,
        need_weights: bool = False,
    ) -> BertEncoderOutput:
        """Return the states of every station.

        Args:
            tokens: token numbers.
            real: True at tokens, False at padding; by default all are real.
            need_weights: whether to return the weights.
        """
        mask = None if real is None else real[:, None, :]
        x, weights = self.embed(tokens), []
        states = [x]
        for layer in self.layers:  # x: [batch, position, d_model]
            x, layer_weights = layer(x, mask, need_weights=need_weights)
            states.append(x)
            weights.append(layer_weights)
        return BertEncoderOutput(
            tuple(states), tuple(weights) if need_weights else None
        )

    def embed(
        self, tokens: Int64[Tensor, "batch position"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Return the stream that the first layer reads."""
        words, longest = self.words.num_embeddings, self.places.num_embeddings
        check_token_ids("tokens", tokens, "batch position", vocabulary=words)
        length = tokens.shape[1]
        if length > longest:
            raise ValueError(
                f"tokens: expected at most {longest} positions, got {length}"
            )
        places, segment = self.places.weight[:length], self.segments.weight[0]
        return self.norm(self.words(tokens) + places + segment)


def from_bert(weights: Mapping[str, Tensor], num_heads: int) -> BertEncoder:
    """Return the encoder with the weights of a BERT of Hugging Face's library.

    All sizes but the number of heads are read off the shapes. Every weight of
    the encoder finds its place and every place its weight, or a `ValueError`
    names those that do not. The pooler and the heads of pre-training, which the
    encoder does not need, are left behind.

    Args:
        weights: the ``state_dict()`` of a ``BertModel``, or of a model around
            one, whose names begin with ``bert.``. A map's is ``[out, in]``.
        num_heads: the heads of a layer, which no shape tells.

    Source: the names in transformers' ``modeling_bert.py``. Chapter 12 loads
    one.
    """
    check_kind("weights", weights, Mapping)
    given = {
        name.removeprefix("bert."): x
        for name, x in weights.items()
        if not name.removeprefix("bert.").startswith(BESIDE)
    }
    check_integer("num_heads", num_heads, at_least=1)
    model = BertEncoder(**_sizes(given, num_heads), num_heads=num_heads)
    load_named(model, given, _theirs)
    return model.eval()


def bert_weights(model: BertEncoder) -> dict[str, Tensor]:
    """Return the encoder's weights by the names of transformers' ``BertModel``.

    The inverse of `from_bert`, for a model without a pooler: maps as
    ``[out, in]``, norms as ``[d_model]``.

    Source: the names in transformers' ``modeling_bert.py``.
    """
    if not isinstance(model, BertEncoder):
        raise TypeError(
            f"model: expected a BertEncoder, got {type(model).__name__}"
        )
    return {_theirs(name): x for name, x in model.state_dict().items()}


def _sizes(weights: Mapping[str, Tensor], missing: int) -> dict[str, int]:
    """Return the sizes that the shapes tell; `missing` without a weight."""
    table = "embeddings.word_embeddings.weight"
    places = "embeddings.position_embeddings.weight"
    network = "encoder.layer.0.intermediate.dense.weight"
    layers = {name.split(".")[2] for name in weights if "encoder.l" in name}
    return {
        "vocabulary": size(weights, table, 0, missing),
        "max_length": size(weights, places, 0, missing),
        "d_model": size(weights, table, 1, missing),
        "num_layers": len(layers),
        "d_ff": size(weights, network, 0, missing),
    }


def _theirs(name: str) -> str:
    """Return BERT's name of a parameter of ours."""
    path, kind = name.rsplit(".", 1)
    kind = "weight" if kind == "gain" else kind  # of a norm
    if not path.startswith("layers."):
        return f"embeddings.{EMBEDDING[path]}.{kind}"
    _, number, part = path.split(".", 2)
    return f"encoder.layer.{number}.{LAYER[part]}.{kind}"
