"""Every experiment that trains does it on the device that it is given."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bottomup.experiments.engine import registry
from bottomup.experiments.engine.units import Trial
from bottomup.training import History
from bottomup.training.run import Run
from tests.devices import fake

# One variant of each experiment, a cheap one that trains. Others of the same experiment take the
# same functions with other numbers; those that compute in float64 do so on the CPU.
TRAINED = {
    "attention_lengths": "bahdanau_short",
    "attention_turned": "turned",
    "local_and_hard_attention": "translate-general-local_p-feed",
    "local_and_hard_attention_gradients": "reinforce_baseline_12",
    "self_attention": "reader_2",
    "self_attention_scaling": "scaled_2",
    "intra_attention": "lstmn",
    "multi_head_attention": "pruning",
    "multi_head_attention_retrieval": "1_mlp",
    "multi_head_attention_readings": "hops_6_penalty",
    "mlp_and_superposition": "dissociation",
    "mlp_and_superposition_geometry": "five",
    "mlp_and_superposition_correlation": "correlated",
    "mlp_and_superposition_shapes": "triangle",
    "mlp_and_superposition_jumps": "pairs",
    "mlp_and_superposition_computing": "99",
    "mlp_and_superposition_autoencoder": "40_to_20",
    "encoder_decoder": "gru_3e-3_3",
    "encoder_decoder_depth": "highway_5",
    "encoder_decoder_lengths": "learned",
    "sparse_transformers_strides": "stride_7",
    "sparse_transformers_training": "text_fixed",
    "sparse_transformers_depth": "1_scaled",
    "sparse_transformers_heads": "distinct",
    "circuits": "in_stream",
    "after_2017_reading": "both_sides",
    "after_2017_orders": "new_york",
    "after_2017_memory": "text_remembers",
    "decoder_of_today": "rotary",
    "decoder_of_today_distances": "rotary",
    "clinic": "mask_after_softmax",
}
# Of these the networks train in test_chapters, and the instruments are tried in test_library.
ANALYSES = """
representation_analysis representation_analysis_settings representation_analysis_docstrings
representation_analysis_steps representation_analysis_direction representation_analysis_context
representation_analysis_captions
""".split()
# These train as another experiment does, with other numbers, or train nothing.
LEFT_OUT = """
attention attention_reversal attention_converged local_and_hard_attention_alignment decoding
decoding_recipes decoding_search encoder_decoder_table clinic_ward circuits_edges
circuits_translator sparse_transformers pretrained pretrained_again
""".split()

# Loss and norm are read, and what is checked: token numbers and padding on both sides, rewards and
# draws of hard attention. The number depends on no length: nothing is read at every token.
READS_A_STEP = 16


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many values each step of a training read from the device."""
    found: list[int] = []
    before = [0]
    scale, append = Run.scale_rates, History.append

    def started(run: Run, step: int, factor: float) -> float:
        before[0] = sum(fake.reads.values())
        return scale(run, step, factor)

    def ended(history: History, **step: float) -> None:
        found.append(sum(fake.reads.values()) - before[0])
        append(history, **step)

    monkeypatch.setattr(Run, "scale_rates", started)
    monkeypatch.setattr(History, "append", ended)
    return found


def run(name: str, variant: str, device: torch.device, folder: Path) -> None:
    experiment = registry.experiment(name)
    trial = Trial(0, device, folder / "run.pt")
    experiment.measure(experiment.preset("tiny"), variant, trial)


def test_every_experiment_is_tried_or_left_out_for_a_reason():
    assert sorted([*TRAINED, *ANALYSES, *LEFT_OUT]) == sorted(registry.NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAINED)
def test_an_experiment_trains_on_the_device(
    name: str, gpu: torch.device, reads: list[int], tmp_path: Path
):
    run(name, TRAINED[name], gpu, tmp_path)
    assert sum(fake.operations.values()) > 100
    assert len(reads) > 0
    assert max(reads) <= READS_A_STEP, reads


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault, path",
    [
        ("a mask made without device", "bottomup.masks.causal_mask"),
        ("a batch left behind", "bottomup.data.batching.TensorBatch.to"),
    ],
)
def test_a_planted_fault_is_caught(
    fault: str, path: str, gpu: torch.device, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    left_behind: dict[str, Callable[..., object]] = {
        "a mask made without device": lambda n, device=None: torch.ones(n, n).tril().bool(),
        "a batch left behind": lambda batch, device: batch,
    }
    monkeypatch.setattr(path, left_behind[fault])
    with pytest.raises((RuntimeError, ValueError), match="fake:0"):
        run("circuits", "one_layer", gpu, tmp_path)
