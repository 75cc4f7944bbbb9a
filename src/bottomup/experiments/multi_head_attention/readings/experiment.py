"""Chapter 03: do more hops name more words, and does Lin's penalty help or hurt?

The networks are those of the chapter's experiment, with its settings: ``hops_1`` has one hop,
``hops_3`` one for each word that is asked for, ``hops_6`` two, ``hops_6_penalty`` the same with the
penalty.
"""

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.multi_head_attention.config import Config
from bottomup.experiments.multi_head_attention.hops import measure_hops

VARIANTS = {
    "hops_1": (1, False),
    "hops_3": (3, False),
    "hops_6": (6, False),
    "hops_6_penalty": (6, True),
}  # number of hops, and whether there is a penalty

PRESETS = {
    "tiny": Config(
        corpus_size=1_500, d_model=8, batch_size=5, d_attention=5, hop_steps=3, warmup=2
    ),
    "laptop": Config(hop_steps=400),
    "recorded": Config(),
    "full": Config(hop_steps=6_000),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one network under one seed; measure what it names."""
    hops, has_penalty = VARIANTS[variant]
    penalty = config.penalty if has_penalty else 0.0
    return Outcome(measure_hops(config, hops, penalty, trial))
