"""The translators of chapters 01 and 01b: one encoder, one of four decoders."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from bottomup.attention import (
    AdditiveAttention,
    ConcatAttention,
    DotAttention,
    GeneralAttention,
    LocalAttention,
    LocationAttention,
    ScoredAttention,
)
from bottomup.attention.cache import check_index
from bottomup.checks import (
    check_choice,
    check_config,
    check_integer,
    check_switch,
)
from bottomup.data import Batch
from bottomup.data.batching import check_batch
from bottomup.models.input_feeding import InputFeedingDecoder
from bottomup.models.rnn_decoders import (
    BahdanauDecoder,
    Decoder,
    DecoderState,
    FixedVectorDecoder,
    LuongDecoder,
    StepOutput,
)
from bottomup.models.rnn_encoder import BidirectionalEncoder, Memory

ATTENTIONS = (
    "none",
    "bahdanau",
    "dot",
    "general",
    "concat",
    "additive",
    "location",
)
SPANS = ("global", "local_m", "local_p")


class Seq2SeqOutput(NamedTuple):
    """Logits, and weights, which are None without attention."""

    logits: Float[Tensor, "batch target vocabulary"]
    weights: Float[Tensor, "batch target source"] | None


@dataclass(frozen=True, kw_only=True)
class Seq2SeqConfig:
    """The choices that define an `RNNSeq2Seq`.

    Attributes:
        source_vocabulary, target_vocabulary: numbers of token types, the
            special ones included.
        attention: "none" (a fixed vector), "bahdanau" (additive score, attend
            before the state advances), or "dot", "general", "concat",
            "additive", "location" (that score, in Luong's order).
        d_embedding: width of the token vectors, source and target.
        d_state: width of the decoder's state, of h_j and of the attention's
            hidden layer; even.
        span: "global" (all source positions), "local_m" or "local_p" (a window
            around a monotonic or a predicted centre); for attention in Luong's
            order only.
        half_width: D of the window, in source positions; a global span does not
            use it.
        input_feeding: whether h~_{t-1} is an input of step t; for Luong's order
            only.
        max_source: most source positions that "location" can score, the end
            symbol included; the other scores do not use it.

    Example:
        >>> Seq2SeqConfig(source_vocabulary=11, target_vocabulary=13).attention
        'bahdanau'
    """

    source_vocabulary: int
    target_vocabulary: int
    attention: str = "bahdanau"
    d_embedding: int = 64
    d_state: int = 128
    span: str = "global"
    half_width: int = 5
    input_feeding: bool = False
    max_source: int = 64

    def __post_init__(self) -> None:
        check_choice("attention", self.attention, ATTENTIONS)
        check_integer("source_vocabulary", self.source_vocabulary, at_least=1)
        check_integer("target_vocabulary", self.target_vocabulary, at_least=1)
        check_integer("d_embedding", self.d_embedding, at_least=1)
        check_integer("d_state", self.d_state, at_least=2)
        check_choice("span", self.span, SPANS)
        check_integer("half_width", self.half_width, at_least=1)
        check_integer("max_source", self.max_source, at_least=1)
        check_switch("input_feeding", self.input_feeding)
        for name, plain in {"span": "global", "input_feeding": False}.items():
            value = getattr(self, name)
            if self.attention in ("none", "bahdanau") and value != plain:
                raise ValueError(
                    f"{name}: expected {plain!r} with attention "
                    f"{self.attention!r}, got {value!r}"
                )


class RNNSeq2Seq(nn.Module):
    """A bidirectional GRU encoder, and the decoder that the config names.

    Source: Cho et al. (2014) without attention, Bahdanau et al. (2015) and
    Luong et al. (2015) with it. Chapter 01 builds, trains and compares them;
    chapter 01b adds local attention and input feeding.

    Example:
        >>> from bottomup.data import make_batch
        >>> config = Seq2SeqConfig(source_vocabulary=11, target_vocabulary=13)
        >>> batch = make_batch([([5, 6], [7])])
        >>> RNNSeq2Seq(config)(batch).logits.shape  # of 7 and of EOS
        torch.Size([1, 2, 13])
    """

    def __init__(self, config: Seq2SeqConfig) -> None:
        super().__init__()
        check_config(config, Seq2SeqConfig)
        self.config = config
        self.encoder = BidirectionalEncoder(
            config.source_vocabulary,
            d_embedding=config.d_embedding,
            d_state=config.d_state,
        )
        self.decoder = _make_decoder(config)

    def forward(self, batch: Batch) -> Seq2SeqOutput:
        """Predict every target token from the source and the tokens before."""
        check_batch(batch)
        memory = self.encoder(batch.source, batch.source_mask)
        return Seq2SeqOutput(*self.decoder(batch.target_in, memory))

    def start(
        self,
        source: Int64[Tensor, "batch source"],
        source_mask: Bool[Tensor, "batch source"],
    ) -> DecoderState:
        """Encode the source; return the state before the first token."""
        return self.decoder.start(self.encoder(source, source_mask))

    def step(
        self, token: Int64[Tensor, " batch"], state: DecoderState
    ) -> StepOutput:
        """Read one target token; return logits, the new state, and weights."""
        return self.decoder.step(token, state)

    def reorder(
        self, state: DecoderState, index: Int64[Tensor, " kept"]
    ) -> DecoderState:
        """Return a state where sequence b goes on from sequence ``index[b]``.

        A beam search drops some prefixes and continues others more than once
        (chapter 06).
        """
        check_index(state.hidden, index)
        memory, key = state.memory, state.projected_key
        fed_back = state.attentional
        return replace(
            state,
            memory=Memory(
                memory.states[index], memory.mask[index], memory.summary[index]
            ),
            hidden=state.hidden[index],
            projected_key=None if key is None else key[index],
            attentional=None if fed_back is None else fed_back[index],
        )


def _make_decoder(config: Seq2SeqConfig) -> Decoder:
    sizes = {"d_embedding": config.d_embedding, "d_state": config.d_state}
    if config.attention == "none":
        return FixedVectorDecoder(config.target_vocabulary, **sizes)
    if config.attention == "bahdanau":
        return BahdanauDecoder(config.target_vocabulary, **sizes)
    decoder = InputFeedingDecoder if config.input_feeding else LuongDecoder
    return decoder(config.target_vocabulary, _make_attention(config), **sizes)


def _make_attention(config: Seq2SeqConfig) -> nn.Module:
    width = config.d_state
    scores: dict[str, Callable[[], ScoredAttention]] = {
        "dot": lambda: DotAttention(),
        "general": lambda: GeneralAttention(width, width),
        "concat": lambda: ConcatAttention(width, width, width),
        "additive": lambda: AdditiveAttention(width, width, width),
        "location": lambda: LocationAttention(width, config.max_source),
    }
    score = scores[config.attention]()
    if config.span == "global":
        return score
    center = {"local_m": "monotonic", "local_p": "predicted"}[config.span]
    return LocalAttention(
        score, half_width=config.half_width, center=center, d_query=width
    )
