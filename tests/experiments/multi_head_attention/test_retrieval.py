"""Chapter 03's pair retrieval: names of variants, measures by hand, a tiny run."""

import pytest
import torch

from bottomup import experiments
from bottomup.data import RetrievalBatch
from bottomup.experiments import Record
from bottomup.experiments.multi_head_attention.retrieval import experiment as retrieval
from bottomup.experiments.multi_head_attention.retrieval.experiment import Kind
from bottomup.models import PairReaderOutput

SEEDS = (0, 1, 2)


@pytest.fixture(scope="module")
def tiny() -> Record:
    return retrieval.run(retrieval.PRESETS["tiny"], SEEDS, "cpu")


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


def test_a_tiny_run_gives_every_measure_and_claim(tiny: Record):
    variants = {"1_linear", "2_linear", "4_linear", "8_linear", "8_linear_v2", "1_mlp"}
    assert set(tiny.runs[0]["metrics"]) == variants
    for name in ("both", "first", "second", "unordered", "reads_first.0", "reads_second.0"):
        assert all(0 <= value <= 1 for value in tiny.metric(f"1_mlp.{name}"))
    assert len(tiny.metric("4_linear.reads_first")[0]) == 4
    assert tiny.metric("2_linear.chance") == pytest.approx([1 / 9] * 3, abs=1e-6)
    claims = experiments.claims(tiny)
    assert [claim.id for claim in claims] == ["03.3a", "03.3b", "03.3c", "03.6d"]


def test_a_seed_gives_the_same_numbers_again(tiny: Record, tmp_path):
    config = retrieval.PRESETS["tiny"]
    again = retrieval.measure(config, "2_linear", 1, torch.device("cpu"), tmp_path / "one.pt")
    assert again.metrics["loss"] == pytest.approx(tiny.metric("2_linear.loss")[1], abs=1e-6)
    assert again.metrics["both"] == pytest.approx(tiny.metric("2_linear.both")[1], abs=1e-6)


@pytest.mark.slow
def test_two_heads_learn_on_a_small_case_what_one_head_cannot(tmp_path):
    config = retrieval.Config(
        positions=4, symbols=3, steps=300, questions=500, d_model=16, batch_size=64
    )
    both = {
        name: retrieval.measure(config, name, 0, torch.device("cpu"), tmp_path / name).metrics
        for name in ("1_linear", "2_linear")
    }
    assert both["2_linear"]["both"] > 0.95
    assert both["1_linear"]["both"] < 0.8


def test_the_recorded_presets_hold_every_variant_that_a_claim_needs():
    for name in ("tiny", "laptop", "recorded", "full"):
        needed = {"1_linear", "2_linear", "1_mlp"}
        assert needed <= set(retrieval.PRESETS[name].variants)
