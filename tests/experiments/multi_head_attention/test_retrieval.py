"""Chapter 03's pair retrieval: names of variants, measures by hand."""

import pytest
import torch

from bottomup.data import RetrievalBatch
from bottomup.experiments.multi_head_attention.retrieval import experiment as retrieval
from bottomup.experiments.multi_head_attention.retrieval.experiment import Kind
from bottomup.models import PairReaderOutput


def test_a_variant_is_read_from_its_name():
    assert Kind.parse("1_mlp") == Kind(1, "mlp")
    assert Kind.parse("16_linear") == Kind(16, "linear", None)
    assert Kind.parse("16_linear_v12") == Kind(16, "linear", 12)


def test_what_is_measured_by_hand():
    batch = RetrievalBatch(
        symbols=torch.tensor([[0, 1, 2], [2, 2, 1], [1, 0, 1]]),
        asked=torch.tensor([[0, 2], [1, 0], [2, 1]]),
        answer=torch.tensor([[0, 2], [2, 2], [1, 0]]),
    )
    logits = torch.tensor(
        [
            [[2.0, 0.0, 1.0], [1.0, 0.0, 2.0]],  # 0, 2: both right
            [[0.0, 1.0, 2.0], [2.0, 0.0, 1.0]],  # 2, 0: the first is right
            [[2.0, 1.0, 0.0], [2.0, 1.0, 0.0]],  # 0, 0: the second; 0 and 1 lead in both slots
        ]
    )
    weights = torch.tensor([[[0.5, 0.2, 0.3]], [[0.1, 0.6, 0.3]], [[0.0, 0.3, 0.7]]])
    found = retrieval.answered(lambda *inputs: PairReaderOutput(logits, weights), batch)
    assert found["both"] == pytest.approx(1 / 3)
    assert found["first"] == pytest.approx(2 / 3)
    assert found["second"] == pytest.approx(2 / 3)
    assert found["unordered"] == 1.0  # of the first and the third question
    assert found["reads_first"] == {0: pytest.approx((0.5 + 0.6 + 0.7) / 3)}
    assert found["reads_better"] == pytest.approx((0.5 + 0.6 + 0.7) / 3)  # both slots alike: first
    assert found["reads_worse"] == pytest.approx((0.3 + 0.1 + 0.3) / 3)
    assert found["reads_second"] == {0: pytest.approx((0.3 + 0.1 + 0.3) / 3)}
