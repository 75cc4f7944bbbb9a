"""The exercises of chapter 10 on BERT and XLNet: the library does the same."""

import pytest
import torch

from bottomup.attention import scaled_dot_product_attention
from bottomup.exercises import catalog
from bottomup.models import two_stream_masks
from tests.exercises.trials.verdicts import expected_of

STREAMS = catalog()["two-stream-masks"]


@pytest.mark.parametrize("case", range(len(STREAMS.cases)))
def test_two_streams_are_the_librarys_masks(case: int):
    content, query, order = STREAMS.cases[case].fresh().inputs.values()
    masks = two_stream_masks(order)
    for asking, mask, got in zip((content, query), masks, expected_of(STREAMS, case), strict=True):
        wanted, _ = scaled_dot_product_attention(asking, content, content, mask)
        assert torch.allclose(got, wanted, atol=1e-6)
