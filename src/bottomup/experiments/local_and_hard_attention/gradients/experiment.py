"""Chapter 01b: gradient estimators against the exact gradient, and models trained with them.

The variant `estimators` measures squared bias and variance on random decoder steps that can be
enumerated. Each of the others trains one translator on the reversal of digits, Luong's order with
the general score, all with the same parameters, batches and steps under one seed:

- ``soft``: the weighted mean, as in chapter 01
- ``exact``: hard attention, its objective enumerated
- ``gumbel``: hard attention, Gumbel straight-through at temperature 1
- ``reinforce``, ``reinforce_baseline``: hard attention, one draw a token, without and with the
  moving baseline
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bottomup.data import Batch, SequenceTask, make_batch
from bottomup.experiments.attention.reversal import experiment as reversal
from bottomup.experiments.attention.reversal.experiment import EVALUATION_SEED, digit_accuracy
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.local_and_hard_attention.gradients import estimators
from bottomup.experiments.shared.recurrent import Variant, cross_entropy
from bottomup.experiments.shared.training import fit_adam, seeded
from bottomup.models import (
    HardSeq2Seq,
    RNNSeq2Seq,
    baseline_reinforce_loss,
    exact_loss,
    plain_reinforce_loss,
)
from bottomup.training import evaluating

ESTIMATORS = "estimators"
STEP_SEEDS = 1000  # so do the random decoder steps, and the draws made on them

Loss = Callable[[nn.Module, Batch], Tensor]
TRAININGS: dict[str, tuple[type[RNNSeq2Seq], Loss]] = {
    "soft": (RNNSeq2Seq, cross_entropy),
    "exact": (HardSeq2Seq, exact_loss),
    "gumbel": (HardSeq2Seq, cross_entropy),
    "reinforce": (HardSeq2Seq, plain_reinforce_loss),
    "reinforce_baseline": (HardSeq2Seq, baseline_reinforce_loss),
}


@dataclass(frozen=True, kw_only=True)
class Config(reversal.Config):
    """The choices of the experiment; of its trainings those of `attention_reversal`.

    Attributes:
        variants: trainings with their steps, ``gumbel_800``.
        models: number of random decoder steps for the estimators.
        draws: number of estimates on each of them.
        positions, d_query, d_key, words: sizes of a decoder step.
        temperatures: of Gumbel straight-through.
        decay: of the moving baseline.
    """

    models: int = 100
    draws: int = 20_000
    positions: int = 5
    d_query: int = 3
    d_key: int = 4
    words: int = 7
    temperatures: tuple[float, ...] = (0.3, 1.0, 3.0)
    decay: float = 0.9
    lengths: tuple[int, ...] = (6, 12, 24)


PRESETS = {
    "tiny": Config(
        variants=tuple(f"{kind}_12" for kind in TRAININGS),
        models=2,
        draws=300,
        max_length=5,
        lengths=(3, 5, 7),
        sequences=20,
        batch_size=8,
        warmup=5,
        d_embedding=5,
        d_state=8,
    ),
    "laptop": Config(variants=("soft_800", "gumbel_800"), models=5, draws=5_000, sequences=200),
    "recorded": Config(variants=tuple(f"{kind}_800" for kind in TRAININGS)),
    "full": Config(
        variants=(
            *(f"{kind}_800" for kind in TRAININGS),
            *(f"{kind}_3200" for kind in TRAININGS),
        ),
        models=400,
    ),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Measure the estimators, or train one variant and measure it, under one seed."""
    if variant == ESTIMATORS:
        return Outcome(measure_estimators(config, trial.seed))
    kind = Variant.parse(variant)
    task = reversal.task_of(config, trial.seed)
    model = train(config, kind, task, trial)
    accuracy = {n: digit_accuracy(model, task, n, config.sequences) for n in config.lengths}
    return Outcome({"accuracy": accuracy} | _reading(config, model, task))


def measure_estimators(config: Config, seed: int) -> dict[str, dict[str, float]]:
    """Return squared bias and variance of each estimator, over random decoder steps.

    Always computed on the CPU in float64.
    """
    found: dict[str, list[estimators.Errors]] = {}
    for number in range(config.models):
        generator = torch.Generator().manual_seed(STEP_SEEDS * (seed + 1) + number)
        step = estimators.make_step(
            positions=config.positions,
            d_query=config.d_query,
            d_key=config.d_key,
            words=config.words,
            generator=generator,
        )
        exact = estimators.exact_gradient(step)
        for name, estimates in _estimates(config, step, generator).items():
            found.setdefault(name, []).append(estimators.errors(estimates, exact))
    return {name: estimators.summarize(each) for name, each in found.items()}


def _estimates(
    config: Config, step: estimators.Step, generator: torch.Generator
) -> dict[str, Tensor]:
    """Return the estimates by name; the three of REINFORCE share their draws."""
    positions = estimators.draw(step, config.draws, generator=generator)
    met = estimators.moving_baselines(estimators.rewards(step)[positions[:, 0]], decay=config.decay)
    estimates = {
        "reinforce": estimators.reinforce(step, positions),
        "reinforce_best": estimators.reinforce(step, positions, estimators.best_baseline(step)),
        "reinforce_moving": estimators.reinforce(step, positions, met),
    }
    for temperature in config.temperatures:
        estimates[_gumbel(temperature)] = estimators.straight_through(
            step, config.draws, temperature=temperature, generator=generator
        )
    return estimates


def _gumbel(temperature: float) -> str:
    return f"gumbel_{temperature:g}".replace(".", "_")  # a dot separates names in a record's paths


def train(config: Config, kind: Variant, task: SequenceTask, trial: Trial) -> RNNSeq2Seq:
    """Make a translator and train it with the loss that `kind` names."""
    make, loss = TRAININGS[kind.attention]
    with seeded(trial.seed):
        model = make(reversal.model_config(config, "general", len(task.vocabulary)))
    model.to(trial.device)
    fit_adam(model, task, loss, config, trial, steps=kind.steps)
    return model


def _reading(config: Config, model: RNNSeq2Seq, task: SequenceTask) -> dict[str, float]:
    """Measure, at the longest trained length and with the reference given, how the model reads.

    - ``loss``: minus the objective it was trained for, in nats a token.
    - ``aligned``: share of digits whose strongest weight lies on the source digit.
    - ``strongest``: mean of the strongest weight.
    """
    device = next(model.parameters()).device
    pairs = task.pairs(config.max_length, config.sequences, seed=EVALUATION_SEED)
    batch = make_batch(pairs).to(device)
    gold = torch.tensor(task.alignment(config.max_length), device=device)
    with torch.no_grad(), evaluating(model):
        if isinstance(model, HardSeq2Seq):
            weights, _log_likelihood = model.enumerate_positions(batch)
            loss = exact_loss(model, batch)
        else:
            weights, loss = model(batch).weights, cross_entropy(model, batch)
    strongest, position = weights[:, : len(gold)].max(dim=-1)  # the end token is left out
    return {
        "loss": float(loss),
        "aligned": float((position == gold).cpu().double().mean()),
        "strongest": float(strongest.mean()),
    }


def variants(config: Config) -> Sequence[str]:
    """Return what the configuration compares: the estimators, and each training."""
    return (ESTIMATORS, *config.variants)
