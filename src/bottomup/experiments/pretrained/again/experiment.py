"""Chapter 12: what the first record left open, asked again of other people.

On its lists the model named the profession of 36 % of the people, and of 74 to 76 % in a trial on
better-known ones. So a third hand lists people whom most readers know, of eight other professions.
And a mean over all positions takes the place of an MLP's update, where the first record had put a
mean over words.
"""

from dataclasses import dataclass

from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.pretrained.lists import OF_FAMOUS, drawn_prose, famous, rows
from bottomup.experiments.pretrained.names import known, measure_names
from bottomup.experiments.pretrained.opened import opened
from bottomup.experiments.pretrained.traps import mean_ablated, mean_updates

VARIANTS = ("names", "marks")


@dataclass(frozen=True)
class Config:
    """The sizes of the measurement.

    Attributes:
        trained: whether the published weights are read, or a small untrained encoder.
        people: of each of the eight professions, at most 12.
        mixed: names of two people, whose mean weights a frozen head reads with.
        sentences: of this book's prose, for the mean updates.
    """

    trained: bool = True
    people: int = 12
    mixed: int = 1_000
    sentences: int = 1_000


PRESETS = {
    "tiny": Config(False, 3, 20, 30),
    "laptop": Config(people=8, sentences=300),
    "recorded": Config(),
    "full": Config(),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure one part under one seed, on the CPU."""
    model = opened(trained=config.trained)
    if variant == "names":
        everyone = known(famous(), config.people)
        metrics, arrays = measure_names(
            model, everyone, OF_FAMOUS, mixed=config.mixed, seed=trial.seed
        )
    else:
        texts, triplets = drawn_prose(config.sentences, trial.seed), rows("triplets")
        metrics = {}
        arrays = {
            f"mean_over_{over}": mean_ablated(model, mean_updates(model, texts, over), triplets)
            for over in ("words", "all")
        }
    return Outcome(metrics, {name: value.numpy() for name, value in arrays.items()})
