"""Chapter 08: three objectives on the captions of Multi30k, the translator's into German."""

from dataclasses import replace

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.representation_analysis.config import Config
from bottomup.experiments.representation_analysis.experiment import PRESETS as MAIN
from bottomup.experiments.representation_analysis.experiment import VARIANTS as VARIANTS
from bottomup.experiments.representation_analysis.measure import Networks, measure_networks
from bottomup.experiments.representation_analysis.text import load_text

RECORDED = Config(corpus="multi30k", starts=1, steps=2_400, warmup=300)
PRESETS = {
    "tiny": replace(MAIN["tiny"], starts=1),  # the mini-language, which needs no file
    "laptop": replace(RECORDED, num_layers=4, steps=1_500, sentences=2_000),
    "recorded": RECORDED,
    "full": replace(MAIN["full"], starts=1),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train the objectives from one start and measure what the networks hold."""
    networks = Networks(config, trial)
    found = measure_networks(networks)
    networks.forget()
    text = load_text(config)
    target = text.frequency_loss(translation=True)
    source = text.frequency_loss()
    return Outcome({**found, "frequency_loss": {"lm": source, "mlm": source, "mt": target}})
