"""The models the chapters train."""

from bottomup.models.attention_only import (
    AttentionOnly,
    AttentionOnlyConfig,
    AttentionOnlyOutput,
)
from bottomup.models.bert import Bert, BertOutput
from bottomup.models.bert_encoder import (
    BertEncoder,
    BertEncoderOutput,
    bert_weights,
    from_bert,
)
from bottomup.models.changes import Changes, Patch
from bottomup.models.decoder import (
    DecoderOnly,
    DecoderOnlyConfig,
    DecoderOnlyLayer,
    from_llama,
    llama_weights,
)
from bottomup.models.deep_stack import DeepStack
from bottomup.models.gpt2 import from_gpt2
from bottomup.models.hard_decoder import (
    HardSeq2Seq,
    baseline_reinforce_loss,
    exact_loss,
    plain_reinforce_loss,
)
from bottomup.models.induction_by_hand import InductionByHand
from bottomup.models.input_feeding import InputFeedingDecoder
from bottomup.models.key_value_memory import (
    Triggers,
    contributions,
    top_triggers,
    value_logits,
    value_vectors,
)
from bottomup.models.language_model import (
    LanguageModel,
    LanguageModelConfig,
    LanguageModelOutput,
    MaskedLanguageModel,
)
from bottomup.models.pretrained import (
    Pretrained,
    pretrained_encoder,
    pretrained_folder,
)
from bottomup.models.retrieval import (
    PairReader,
    PairReaderConfig,
    PairReaderOutput,
)
from bottomup.models.rnn_decoders import (
    BahdanauDecoder,
    Decoder,
    DecoderState,
    FixedVectorDecoder,
    LuongDecoder,
)
from bottomup.models.rnn_encoder import BidirectionalEncoder, Memory
from bottomup.models.rnn_seq2seq import RNNSeq2Seq, Seq2SeqConfig, Seq2SeqOutput
from bottomup.models.safetensors import read_safetensors
from bottomup.models.shared_start import copy_encoder
from bottomup.models.sparse_autoencoder import (
    SparseAutoencoder,
    SparseAutoencoderOutput,
    autoencoder_loss,
    dead_units,
    top_k,
)
from bottomup.models.sparse_transformer import (
    SparseTransformer,
    SparseTransformerConfig,
    SparseTransformerOutput,
)
from bottomup.models.toy_superposition import (
    ToySuperposition,
    sample_features,
    superposition_loss,
)
from bottomup.models.transformer import (
    Transformer,
    TransformerOutput,
    TransformerState,
    TransformerWeights,
    parameter_count,
)
from bottomup.models.transformer_config import TransformerConfig
from bottomup.models.transformer_weights import from_torch, to_torch
from bottomup.models.transformer_xl import (
    TransformerXL,
    TransformerXLConfig,
    TransformerXLOutput,
    in_segments,
    longest_reach,
    next_memory,
)
from bottomup.models.xlnet import (
    TwoStreamLayer,
    TwoStreamMasks,
    XLNet,
    XLNetConfig,
    XLNetOutput,
    two_stream_masks,
)

__all__ = [
    "AttentionOnly",
    "AttentionOnlyConfig",
    "AttentionOnlyOutput",
    "BahdanauDecoder",
    "Bert",
    "BertEncoder",
    "BertEncoderOutput",
    "BertOutput",
    "BidirectionalEncoder",
    "Changes",
    "Decoder",
    "DecoderOnly",
    "DecoderOnlyConfig",
    "DecoderOnlyLayer",
    "DecoderState",
    "DeepStack",
    "FixedVectorDecoder",
    "HardSeq2Seq",
    "InductionByHand",
    "InputFeedingDecoder",
    "LanguageModel",
    "LanguageModelConfig",
    "LanguageModelOutput",
    "LuongDecoder",
    "MaskedLanguageModel",
    "Memory",
    "PairReader",
    "PairReaderConfig",
    "PairReaderOutput",
    "Patch",
    "Pretrained",
    "RNNSeq2Seq",
    "Seq2SeqConfig",
    "Seq2SeqOutput",
    "SparseAutoencoder",
    "SparseAutoencoderOutput",
    "SparseTransformer",
    "SparseTransformerConfig",
    "SparseTransformerOutput",
    "ToySuperposition",
    "Transformer",
    "TransformerConfig",
    "TransformerOutput",
    "TransformerState",
    "TransformerWeights",
    "TransformerXL",
    "TransformerXLConfig",
    "TransformerXLOutput",
    "Triggers",
    "TwoStreamLayer",
    "TwoStreamMasks",
    "XLNet",
    "XLNetConfig",
    "XLNetOutput",
    "autoencoder_loss",
    "baseline_reinforce_loss",
    "bert_weights",
    "contributions",
    "copy_encoder",
    "dead_units",
    "exact_loss",
    "from_bert",
    "from_gpt2",
    "from_llama",
    "from_torch",
    "in_segments",
    "llama_weights",
    "longest_reach",
    "next_memory",
    "parameter_count",
    "plain_reinforce_loss",
    "pretrained_encoder",
    "pretrained_folder",
    "read_safetensors",
    "sample_features",
    "superposition_loss",
    "to_torch",
    "top_k",
    "top_triggers",
    "two_stream_masks",
    "value_logits",
    "value_vectors",
]


def __dir__() -> list[str]:
    return __all__
