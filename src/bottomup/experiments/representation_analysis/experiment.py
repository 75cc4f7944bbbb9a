"""Chapter 08: what the layers of three networks hold, which differ by their objective alone."""

import numpy as np
from torch import nn

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.representation_analysis.config import Config
from bottomup.experiments.representation_analysis.measure import Networks, measure_networks
from bottomup.experiments.representation_analysis.text import load_text

NETWORKS = "networks"  # the one variant: all networks of a seed
VARIANTS = (NETWORKS,)  # distances need all networks of a seed together
KEPT_SEED = 0

TINY = Config(
    corpus_size=2_000, d_model=4, num_layers=3, num_heads=2, d_ff=7, decoder_layers=1, steps=3,
    warmup=2, tokens_per_batch=128, sentences=200, clusters=5, types=200, rows=500, frequent=9,
    within=40, groups=(0, 9), group_types=7, exchanged=20, passes=2, probed=7, probe_tokens=90,
)  # fmt: skip
PRESETS = {
    "tiny": TINY,
    "laptop": Config(num_layers=4, steps=700, sentences=2_000),
    "recorded": Config(),
    # for a GPU, of the size of the paper's networks
    "full": Config(corpus="multi30k", d_model=512, d_ff=2_048, num_heads=8, steps=12_000,
                   warmup=1_000, learning_rate=5e-4, tokens_per_batch=8_192, rows=51_200,
                   sentences=7_000, clusters=1_000, types=1_000, groups=(0, 20),
                   probe_tokens=20_000),
}  # fmt: skip


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train every objective from two starts and measure what the networks hold."""
    networks = Networks(config, trial)
    found = measure_networks(networks)
    arrays: dict[str, np.ndarray] = {}
    if trial.seed == KEPT_SEED:
        arrays["words"] = np.array(load_text(config).words.tokens, dtype=np.str_)
        for objective, model in networks.trained(0):
            arrays |= kept(objective, model)
    networks.forget()
    return Outcome(found, arrays)


def kept(objective: str, model: nn.Module) -> dict[str, np.ndarray]:
    """Return an encoder as arrays in 16 bits, ``<objective>.<parameter>``.

    The parameters bear the names that they have in a language model.
    """
    names = {
        "source_embedding": "embedding",
        "encoder_layers": "layers",
        "encoder_norm": "final_norm",
    }
    arrays = {}
    for name, parameter in model.named_parameters():
        head, _, rest = name.partition(".")
        if objective == "mt" and head not in names:
            continue
        array = parameter.detach().cpu().numpy().astype(np.float16)
        arrays[f"{objective}.{names.get(head, head)}.{rest}"] = array
    return arrays
