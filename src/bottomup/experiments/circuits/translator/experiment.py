"""Chapter 09: which heads of the translator carry what, by patching and by ablation."""

from typing import Any, cast

import numpy as np
import torch

from bottomup.experiments.circuits.translator.config import PRESETS as PRESETS
from bottomup.experiments.circuits.translator.config import Config
from bottomup.experiments.circuits.translator.effects import (
    Runs,
    ablations,
    agreement,
    attribution,
    both_right,
    crossing_heads,
    damage_on_test,
    label,
    largest_weights,
    means,
    memory_effects,
    part_effects,
)
from bottomup.experiments.circuits.translator.pairs import draw
from bottomup.experiments.encoder_decoder.training import adam, batches, build
from bottomup.experiments.engine.units import Outcome, Trial
from bottomup.experiments.shared.recurrent import cross_entropy, last_loss
from bottomup.experiments.shared.translation import load_data
from bottomup.models import Transformer
from bottomup.training import fit, warmup_then_decay

VARIANTS = ("patching",)


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train chapter 05's translator from a seed of its own and take it apart.

    - ``loss``: mean of the last steps, in nats; ``translated``: pairs whose two sentences both get
      their answers, by kind, as a share.
    - ``memory``, ``weights``, ``attribution``: see `memory_effects`, `largest_weights`,
      `attribution`.
    - ``effect``: mean effect of patching a part, by part and kind; ``damage``, ``right``,
      ``one_off``, ``two_off``: see `ablations`.
    - ``agreement``: of effect and damage over the crossing heads, by kind, see `agreement`;
      ``agreement_mean`` over the kinds; ``agreement_test``: of the effect, mean over the kinds,
      with the rise of the loss on test sentences, ``test_damage``.
    """
    data = load_data(config.corpus_size, 0)
    training = config.training
    model = cast(Transformer, build(training, "transformer", data, trial.seed)).to(trial.device)
    history = fit(
        model,
        batches(training, data, trial.seed),
        steps=config.steps,
        loss=cross_entropy,
        optimizer=adam(model, "transformer", config.rate),
        schedule=warmup_then_decay(warmup=config.warmup, steps=config.steps),
        seed=trial.seed,
        checkpoint=trial.checkpoint,
    )
    model.eval()
    pairs = draw(config.corpus_size, config.pairs_seed, config.pairs)
    everything = Runs.of(pairs, data, trial.device)
    right = both_right(model, everything)
    runs = everything
    if config.only_right:
        chosen = [pair for pair, kept in zip(pairs, right.tolist(), strict=True) if kept]
        runs = Runs.of(chosen, data, trial.device)
    metrics: dict[str, Any] = {
        "loss": last_loss(history),
        "translated": everything.by_kind(right),
        "memory": memory_effects(model, runs),
        **head_measures(config, model, runs, trial.device),
        "attribution": attribution(model, runs, trial.device),
    }
    return Outcome(metrics, {"pairs": _pairs_as_text(runs)})


def head_measures(
    config: Config, model: Transformer, runs: Runs, device: torch.device
) -> dict[str, Any]:
    """Return what is measured of the crossing heads, and of the other parts' patching effects."""
    heads = crossing_heads(model)
    others = [
        f"decoder_layers.{n}.{sublayer}"
        for n in range(len(model.decoder_layers))
        for sublayer in ("attention", "feed_forward")
    ]
    effects = part_effects(model, runs, [*heads, *others])
    effect = {part: runs.by_kind(values) for part, values in effects.items()}
    order = {kind: sorted(heads, key=lambda head: -effect[head][kind]) for kind in runs.kinds}
    mean = means(model, runs, heads)
    ablated = ablations(model, runs, mean, order)
    damage = {head: runs.by_kind(ablated["damage"][head]) for head in heads}
    same = {
        kind: agreement([effect[h][kind] for h in heads], [damage[h][kind] for h in heads])
        for kind in runs.kinds
    }
    data = load_data(config.corpus_size, 0)
    on_test = damage_on_test(model, data, mean, config.test_sentences, device)
    overall = [sum(effect[head].values()) / len(runs.kinds) for head in heads]
    return {
        "effect": {label(part): table for part, table in effect.items()},
        "damage": {label(head): table for head, table in damage.items()},
        **{name: ablated[name] for name in ("right", "one_off", "two_off")},
        "agreement": same,
        "agreement_mean": {
            name: sum(same[kind][name] for kind in runs.kinds) / len(runs.kinds)
            for name in ("rank", "linear", "top")
        },
        "agreement_test": agreement(overall, [on_test[head] for head in heads]),
        "test_damage": {label(head): rise for head, rise in on_test.items()},
        "weights": largest_weights(model, runs, {kind: order[kind][0] for kind in runs.kinds}),
    }


def _pairs_as_text(runs: Runs) -> np.ndarray[Any, Any]:
    """Return kind, both sources and both targets of each pair, and the two positions."""
    return np.array(
        [
            (
                pair.kind,
                " ".join(pair.clean.source),
                " ".join(pair.corrupted.source),
                " ".join(pair.clean.target),
                " ".join(pair.corrupted.target),
                str(pair.word),
                str(pair.token),
            )
            for pair in runs.pairs
        ]
    )
