"""Chapter 01: the main record's fixed vector and additive attention, trained for longer.

All is as there but the number of steps: two budgets, 1,200 and 2,400, twice and four times those of
the main record. Each is a training of its own, whose rate falls to 0 at its end, so that what the
second half brings is the difference between two finished trainings. A model counts as converged
where twice the steps bring less than 1 BLEU over all test sentences.

No pilot: the main record has both kinds after 600 steps.
"""

from collections.abc import Sequence
from dataclasses import replace

from bottomup.experiments.attention.experiment import PRESETS as MAIN
from bottomup.experiments.attention.experiment import Config, measure
from bottomup.experiments.engine.runner import Experiment

NAME = "attention_converged"


def budgets(*steps: int) -> tuple[str, ...]:
    """Return the fixed vector and additive attention with each number of steps."""
    return tuple(f"{kind}_{count}" for kind in ("none", "bahdanau") for count in steps)


PRESETS = {
    "tiny": replace(MAIN["tiny"], variants=budgets(6, 12), examples=()),
    "laptop": replace(MAIN["laptop"], variants=budgets(300, 600), examples=()),
    "recorded": replace(MAIN["recorded"], variants=budgets(1200, 2400), examples=()),
    "full": replace(MAIN["full"], variants=budgets(4800, 9600), examples=()),
}


def variants(config: Config) -> Sequence[str]:
    """Return what the configuration compares: each kind with each budget."""
    return config.variants


EXPERIMENT = Experiment(NAME, PRESETS, variants, measure)
run = EXPERIMENT.run
