"""Chapter 08: a language model and a masked one on the sentences of Python's documentation."""

from dataclasses import replace

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.representation_analysis.config import Config
from bottomup.experiments.representation_analysis.experiment import TINY as TINY_NETWORKS
from bottomup.experiments.representation_analysis.experiment import VARIANTS as VARIANTS
from bottomup.experiments.representation_analysis.measure import Networks, measure_networks
from bottomup.experiments.representation_analysis.text import load_text

RECORDED = Config(
    corpus="docstrings",
    objectives=("lm", "mlm"),
    starts=1,
    steps=8_000,
    warmup=400,
    sentences=2_000,
    rows=8_000,
    probe_tokens=3_000,
)
PRESETS = {
    "tiny": replace(
        TINY_NETWORKS, corpus="docstrings", objectives=("lm", "mlm"), starts=1, sentences=60
    ),
    "laptop": replace(RECORDED, num_layers=4, steps=1_500),
    "recorded": RECORDED,
    "full": replace(RECORDED, d_model=128, d_ff=512, steps=20_000, learning_rate=1e-3,
                    tokens_per_batch=8_192, sentences=10_000, rows=12_800),
}  # fmt: skip


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train both objectives from one start and measure what the networks hold."""
    networks = Networks(config, trial)
    found = measure_networks(networks)
    networks.forget()
    return Outcome({**found, "frequency_loss": load_text(config).frequency_loss()})
