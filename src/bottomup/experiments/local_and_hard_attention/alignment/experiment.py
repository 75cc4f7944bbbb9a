"""Chapter 01b: alignment error by score and span, without input feeding.

Four of the translators of the chapter's main record, trained anew under other seeds: a location
score and a general one over the whole sentence, and a general one in both windows.
"""

from dataclasses import replace

from bottomup.experiments.local_and_hard_attention import experiment as main

VARIANTS = tuple(
    f"translate-{name}" for name in ("location", "general", "general-local_m", "general-local_p")
)
PRESETS = {name: replace(preset, variants=VARIANTS) for name, preset in main.PRESETS.items()}
PRESETS["laptop"] = replace(PRESETS["laptop"], steps=200)
measure = main.measure
