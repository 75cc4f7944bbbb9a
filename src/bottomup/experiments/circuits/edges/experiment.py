"""Chapter 09: does greedy removal of edges find the circuit in a network that learned to repeat?"""

from dataclasses import dataclass, field
from typing import Any

from bottomup.experiments.circuits import config as induction_config
from bottomup.experiments.circuits.config import TRAININGS
from bottomup.experiments.circuits.edges.removal import circuit, edges, greedy, is_whole
from bottomup.experiments.circuits.induction import accuracy, build, evaluated, train
from bottomup.experiments.engine.units import Outcome, Trial

VARIANTS = ("removal",)
TRAINED = "two_layers"


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        induction: of the network that is trained, see `circuits.config.Config`.
        thresholds: costs in nats up to which an edge goes, as text without a full stop: ``1e-1``.
    """

    induction: induction_config.Config = field(
        default_factory=lambda: induction_config.PRESETS["recorded"]
    )
    thresholds: tuple[str, ...] = ("1e-2", "3e-2", "1e-1", "3e-1")


PRESETS = {
    "tiny": Config(induction=induction_config.PRESETS["tiny"], thresholds=("1e-2", "1e-1")),
    "laptop": Config(thresholds=("1e-1",)),
    "recorded": Config(),
    "full": Config(induction=induction_config.PRESETS["full"]),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one network under one seed and remove its edges, once for each threshold.

    ``accuracy``: of the whole network; ``chance``: share of all edges that the circuit by hand has.
    By threshold: ``kept``, the number of edges; ``precision`` and ``recall`` against the circuit by
    hand; ``whole``, 1 where a whole chain is left; ``divergence``, in nats; ``tokens_in_scores``,
    the share of the kept edges beside the circuit that bring tokens to queries and keys of layer 0.
    """
    trained = TRAININGS[TRAINED]
    model = build(config.induction, trained, trial.seed).to(trial.device)
    train(config.induction, trained, model, trial.seed, trial.checkpoint)
    batch = evaluated(config.induction, trained.start).to(trial.device)
    wanted, order = circuit(trained.heads), edges(trained.heads)
    measures: dict[str, Any] = {
        "accuracy": accuracy(model, batch),
        "chance": len(wanted) / len(order),
    }
    for threshold in config.thresholds:
        kept, cost = greedy(model, batch, float(threshold), order)
        beside = [reads for _writes, reads in kept - wanted]
        scores = [reads for reads in beside if reads[0] == "0" and not reads.endswith("values")]
        measures[f"at_{threshold}"] = {
            "kept": len(kept),
            "precision": len(kept & wanted) / max(1, len(kept)),
            "recall": len(kept & wanted) / len(wanted),
            "whole": float(is_whole(kept, trained.heads)),
            "divergence": cost,
            "tokens_in_scores": len(scores) / max(1, len(beside)),
        }
    return Outcome(measures)
