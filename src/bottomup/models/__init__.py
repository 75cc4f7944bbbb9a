"""The models the chapters train."""

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
    "BahdanauDecoder",
    "BidirectionalEncoder",
    "Decoder",
    "DecoderState",
    "FixedVectorDecoder",
    "LuongDecoder",
    "Memory",
    "RNNSeq2Seq",
    "Seq2SeqConfig",
    "Seq2SeqOutput",
]
