"""Chapter 01: the main record's fixed vector and additive attention, trained for longer.

All is as there but the number of steps: two budgets, 1,200 and 2,400, twice and four times those of
the main record. Each is a training of its own, whose rate falls to 0 at its end, so that what the
second half brings is the difference between two finished trainings. A model counts as converged
where twice the steps bring less than 1 BLEU over all test sentences.

No pilot: the main record has both kinds after 600 steps.
"""

from dataclasses import replace

from bottomup.experiments.attention import experiment as main


def budgets(*steps: int) -> tuple[str, ...]:
    """Return the fixed vector and additive attention with each number of steps."""
    return tuple(f"{kind}_{count}" for kind in ("none", "bahdanau") for count in steps)


PRESETS = {
    "tiny": replace(main.PRESETS["tiny"], variants=budgets(6, 12), examples=()),
    "laptop": replace(main.PRESETS["laptop"], variants=budgets(300, 600), examples=()),
    "recorded": replace(main.PRESETS["recorded"], variants=budgets(1200, 2400), examples=()),
    "full": replace(main.PRESETS["full"], variants=budgets(4800, 9600), examples=()),
}
measure = main.measure
