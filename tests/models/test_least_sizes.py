"""The least size of everything that a model can be made of."""

from functools import partial

import pytest

from bottomup import models as M
from bottomup.attention import SparsePattern
from tests import least

PATTERN = SparsePattern(kind="window", width=1)
ONE = {"d_model": 1, "num_heads": 1}
BOTH = {"source_vocabulary": 1, "target_vocabulary": 1}
LEAST = [
    (partial(M.AttentionOnlyConfig, positions="none"),
     ONE | {"vocabulary": 1, "outputs": 1, "num_layers": 0}),
    (partial(M.DecoderOnlyConfig, positions="none"),
     ONE | {"vocabulary": 1, "max_length": 1, "num_layers": 1, "num_groups": 1, "d_ff": 1,
            "window": 1, "sinks": 0}),
    (M.LanguageModelConfig,
     ONE | {"vocabulary": 1, "max_length": 1, "num_layers": 0, "d_ff": 1}),
    (partial(M.TransformerConfig, positions="learned"),
     ONE | BOTH | {"max_length": 1, "encoder_layers": 1, "decoder_layers": 1, "d_ff": 1}),
    (partial(M.SparseTransformerConfig, pattern=PATTERN),
     ONE | {"vocabulary": 1, "length": 1, "row": 1, "num_layers": 1, "d_ff": 1}),
    (M.XLNetConfig, ONE | {"vocabulary": 1, "max_length": 1, "num_layers": 1, "d_ff": 1}),
    (partial(M.TransformerXLConfig, d_model=2),
     {"vocabulary": 1, "num_layers": 1, "num_heads": 1, "d_ff": 1}),
    (M.Seq2SeqConfig, BOTH | {"d_embedding": 1, "d_state": 2, "half_width": 1, "max_source": 1}),
    (M.BidirectionalEncoder, {"vocabulary": 1, "d_embedding": 1, "d_state": 2}),
    (M.FixedVectorDecoder, {"vocabulary": 1, "d_embedding": 1, "d_state": 1}),
    (M.PairReaderConfig, ONE | {"positions": 2, "symbols": 2, "d_value": 1}),
    (partial(M.DeepStack, kind="plain"), {"width": 1, "depth": 1}),
    (M.InductionByHand, {"vocabulary": 1, "length": 1}),
    (partial(M.SparseAutoencoder, kind="topk"), {"d_input": 1, "d_dictionary": 1, "k": 1}),
    (M.ToySuperposition, {"features": 1, "dimensions": 1, "instances": 1}),
    (partial(M.sample_features, sparsity=0.5), {"count": 1, "features": 1}),
    (M.longest_reach, {"layers": 1, "segment": 1, "memory": 0}),
]  # fmt: skip


@pytest.mark.parametrize("make, sizes", LEAST)
def test_the_least_sizes_are_taken_and_one_less_is_refused(make, sizes):
    least.holds(make, **sizes)
