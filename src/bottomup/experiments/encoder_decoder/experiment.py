"""Chapter 05: the encoder–decoder, its wiring and its training, against chapter 01's translator.

Its variants: ``exact`` (equality with torch's module, padding, the future, the cache, parameters),
``positions`` (a probe for the position in untrained encoders), ``unshifted`` (a decoder that reads
what it should say), and one for each training, such as ``gru_3e-3_600`` and
``transformer_3e-3_600``: kind, learning rate, steps. Both kinds see the same batches under one
seed. Each kind's learning rate is swept at one budget; the other budgets use its best one.
"""

from collections.abc import Sequence

from bottomup.experiments.encoder_decoder.config import Config, trained_variants
from bottomup.experiments.encoder_decoder.exact import measure_exact
from bottomup.experiments.encoder_decoder.positions import measure_positions
from bottomup.experiments.encoder_decoder.training import measure_training
from bottomup.experiments.encoder_decoder.unshifted import measure_unshifted
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.training.device import for_float64

PRESETS = {
    "tiny": Config(
        rates=("3e-3", "6e-3"),
        sweep_steps=3,
        gru_rate="6e-3",
        transformer_rate="3e-3",
        budgets=(4,),
        corpus_size=400,
        bins=((4, 9), (10, 20)),
        tokens_per_batch=32,
        warmup=2,
        gru_embedding=5,
        gru_state=8,
        d_model=8,
        layers=1,
        num_heads=2,
        d_ff=12,
        unshifted_steps=3,
        probe_layers=2,
        probe_width=8,
        probe_heads=2,
        probe_length=5,
        probe_types=3,
        probe_train=11,
        probe_test=3,
    ),
    "laptop": Config(rates=(), budgets=(), probe_train=48),
    "recorded": Config(),
    "full": Config(
        sweep_steps=2_400,
        budgets=(600, 1_200, 4_800, 9_600),
        gru_embedding=256,
        gru_state=512,
        d_model=256,
        layers=4,
        d_ff=1_024,
        rates=("3e-4", "75e-5", "15e-4", "3e-3", "6e-3"),
        gru_rate="15e-4",
        transformer_rate="15e-4",
        unshifted_steps=1_200,
    ),
}


def variants(config: Config) -> Sequence[str]:
    """Return the parts of the experiment, then its trainings."""
    trained = [each.name for each in trained_variants(config)]
    return ("exact", "positions", "unshifted", *trained)


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure one part under one seed; of a training, ``cpu_seconds`` alone differs between runs.

    A training that is timed keeps no checkpoint.
    """
    if variant == "exact":
        return Outcome(measure_exact(trial.seed, for_float64(trial.device)))
    if variant == "positions":
        return Outcome(measure_positions(config, trial.seed, trial.device))
    if variant == "unshifted":
        return Outcome(measure_unshifted(config, trial))
    return measure_training(config, variant, trial.seed, trial.device)
