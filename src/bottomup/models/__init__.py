"""The models the chapters train."""

from bottomup.models.attention_only import (
    AttentionOnly,
    AttentionOnlyConfig,
    AttentionOnlyOutput,
)
from bottomup.models.hard_decoder import (
    HardSeq2Seq,
    baseline_reinforce_loss,
    exact_loss,
    plain_reinforce_loss,
)
from bottomup.models.input_feeding import InputFeedingDecoder
from bottomup.models.retrieval import PairReader, PairReaderConfig, PairReaderOutput
from bottomup.models.rnn_decoders import (
    BahdanauDecoder,
    Decoder,
    DecoderState,
    FixedVectorDecoder,
    LuongDecoder,
)
from bottomup.models.rnn_encoder import BidirectionalEncoder, Memory
from bottomup.models.rnn_seq2seq import RNNSeq2Seq, Seq2SeqConfig, Seq2SeqOutput

__all__ = [
    "AttentionOnly",
    "AttentionOnlyConfig",
    "AttentionOnlyOutput",
    "BahdanauDecoder",
    "BidirectionalEncoder",
    "Decoder",
    "DecoderState",
    "FixedVectorDecoder",
    "HardSeq2Seq",
    "InputFeedingDecoder",
    "LuongDecoder",
    "Memory",
    "PairReader",
    "PairReaderConfig",
    "PairReaderOutput",
    "RNNSeq2Seq",
    "Seq2SeqConfig",
    "Seq2SeqOutput",
    "baseline_reinforce_loss",
    "exact_loss",
    "plain_reinforce_loss",
]
