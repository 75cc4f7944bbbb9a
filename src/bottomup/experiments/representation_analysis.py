"""Chapter 08: what the layers of three networks hold, which differ by their objective alone.

A run trains every objective from two starts. What one network holds is measured on the first
start; distances between networks are those between starts, so that networks of one objective and of
two are compared alike.
"""

from collections.abc import Sequence
from itertools import combinations_with_replacement
from pathlib import Path
from statistics import fmean

import numpy as np
import torch
from torch import Tensor, nn

from bottomup.analysis import TokenStates, shuffled_pwcca
from bottomup.experiments.representation_analysis_claims import claims
from bottomup.experiments.representation_analysis_config import Config
from bottomup.experiments.representation_analysis_networks import (
    STARTS,
    Network,
    Start,
    held_out_loss,
    test_batches,
    train,
    untrained,
)
from bottomup.experiments.representation_analysis_readings import (
    SHUFFLED,
    Table,
    Views,
    by_layer,
    change,
    change_and_influence,
    distance,
    exchanged,
    gather,
    generator,
    information,
    masked,
    neighbours,
    next_tokens,
    probed,
    views,
)
from bottomup.experiments.representation_analysis_text import Text, load_text
from bottomup.experiments.runner import Experiment
from bottomup.experiments.units import Outcome

NAME = "representation_analysis"
NETWORKS = "networks"  # the one variant: all networks of a seed
UNTRAINED = "untrained"
KEPT_SEED = 0

TINY = Config(
    corpus_size=2_000, d_model=4, num_layers=2, num_heads=2, d_ff=7, decoder_layers=1, steps=3,
    warmup=2, tokens_per_batch=128, sentences=200, clusters=5, types=200, rows=500, frequent=9,
    within=40, groups=(9,), exchanged=20, passes=2, probed=7, probe_tokens=90,
)  # fmt: skip
PRESETS = {
    "tiny": TINY,
    "laptop": Config(num_layers=4, steps=700, sentences=2_000),
    "recorded": Config(),
    "full": Config(corpus_size=200_000, d_model=256, d_ff=1_024, num_heads=8, steps=20_000,
                   warmup=1_000, learning_rate=5e-4, tokens_per_batch=8_192, rows=40_000,
                   sentences=20_000, clusters=1_000),
}  # fmt: skip


def variants(config: Config) -> Sequence[str]:
    """Return the one variant, all networks of a seed: distances need them together."""
    return [NETWORKS]


def measure(
    config: Config, variant: str, seed: int, device: torch.device, checkpoint: Path
) -> Outcome:
    """Train every objective from two starts and measure what the networks hold."""
    text = load_text(config)
    batches = test_batches(text, device)
    paths = [
        checkpoint.with_name(f"{checkpoint.stem}-{objective}-{number}.pt")
        for number in range(len(STARTS))
        for objective in config.objectives
    ]
    waiting = iter(paths)
    found: Table = {}
    arrays: dict[str, np.ndarray] = {}
    seen: list[dict[str, Views]] = []
    for number in range(len(STARTS)):
        start, of_start = Start.of(seed, number), dict[str, Views]()
        for objective in config.objectives:
            model = train(config, text, objective, start, device, next(waiting))
            states = gather(model, batches)
            of_start[objective] = views(states, config, seed)
            if number == 0:
                found[objective] = {
                    **read(config, text, objective, model, states, batches, seed),
                    "change": change(of_start[objective]),
                }
                if seed == KEPT_SEED:
                    arrays |= kept(objective, model)
        control = untrained(config, text, "mlm", start).to(device).eval()
        of_start[UNTRAINED] = views(gather(control, batches), config, seed)
        seen.append(of_start)
    found |= controls(config, text, batches, seed, device)
    found["distances"] = {**distances(config, seen), "shuffled": null(config, seen, seed)}
    found["tokens"] = sum(int((tokens >= 4).sum()) for tokens in batches)
    if seed == KEPT_SEED:
        arrays["words"] = np.array(text.words.tokens, dtype=np.str_)
    for path in paths:
        path.unlink(missing_ok=True)
    return Outcome(found, arrays)


def one_start(config: Config, seed: int, device: torch.device, checkpoint: Path) -> Table:
    """Train every objective from one start; return what each network holds, and the controls."""
    text, start = load_text(config), Start.of(seed, 0)
    batches = test_batches(text, device)
    paths = [checkpoint.with_name(f"{checkpoint.stem}-{name}.pt") for name in config.objectives]
    found: Table = {}
    for objective, path in zip(config.objectives, paths, strict=True):
        model = train(config, text, objective, start, device, path)
        states = gather(model, batches)
        found[objective] = {
            **read(config, text, objective, model, states, batches, seed),
            "change": change(views(states, config, seed)),
        }
    found |= controls(config, text, batches, seed, device)
    for path in paths:
        path.unlink(missing_ok=True)
    return found


def read(
    config: Config,
    text: Text,
    objective: str,
    model: Network,
    found: TokenStates,
    batches: Sequence[Tensor],
    seed: int,
) -> Table:
    """Return what is measured on one trained network."""
    counts = text.counts()
    changed, influence = change_and_influence(
        model, batches, found, counts, config, seed, causal=objective == "lm"
    )
    table = {
        "loss": held_out_loss(text, objective, model, seed),
        "information": information(found, found.tokens, config, seed),
        "probe": probed(found, config, seed),
        "neighbours": neighbours(found, seed),
        "change_by_group": changed,
        "influence_by_group": influence,
    }
    if objective == "lm":
        table["next"] = information(found, next_tokens(batches), config, seed)
    if objective == "mlm":
        hidden, originals = masked(model, batches, text.mask_id, config, seed)
        table["masked"] = {"original": information(hidden, originals, config, seed)}
        wrong, originals = exchanged(model, batches, config, seed)
        table["exchanged"] = {
            "read": information(wrong, wrong.tokens, config, seed),
            "original": information(wrong, originals, config, seed),
        }
    return table


def controls(
    config: Config, text: Text, batches: Sequence[Tensor], seed: int, device: torch.device
) -> Table:
    """Return the same readings of the networks as they start, with both masks."""
    table: Table = {}
    for name, objective in ((UNTRAINED, "mlm"), ("untrained_causal", "lm")):
        model = untrained(config, text, objective, Start.of(seed, 0)).to(device).eval()
        found = gather(model, batches)
        table[name] = {
            "information": information(found, found.tokens, config, seed),
            "probe": probed(found, config, seed),
            "neighbours": neighbours(found, seed),
            "change": change(views(found, config, seed)),
        }
    return table


def distances(config: Config, seen: Sequence[dict[str, Views]]) -> Table:
    """Return the distances between networks at each station.

    ``across``: between the two starts, the mean of both ways to take one network from each;
    ``shared``: between two objectives from one start, the mean over starts.
    """
    first, second = seen
    names = [*config.objectives, UNTRAINED]
    table: Table = {"across": {}, "shared": {}}
    for view in first[UNTRAINED]:
        for a, b in combinations_with_replacement(names, 2):
            ways = [(first[a], second[b]), (first[b], second[a])][: 1 if a == b else 2]
            _put(table["across"], view, f"{a}_{b}", [(x[view], y[view]) for x, y in ways])
            if a != b:
                same = [(start[a][view], start[b][view]) for start in seen]
                _put(table["shared"], view, f"{a}_{b}", same)
    return table


def null(config: Config, seen: Sequence[dict[str, Views]], seed: int) -> Table:
    """Return the distance of states that have nothing in common: one side's rows are shuffled."""
    first, second = (start[config.objectives[0]] for start in seen)
    return {
        view: shuffled_pwcca(
            first[view][-1],
            second[view][-1],
            generator=generator(SHUFFLED, seed),
            draws=3,
            symmetric=True,
        )
        .mean()
        .item()
        for view in first
    }


def _put(
    table: Table, view: str, pair: str, ways: Sequence[tuple[list[Tensor], list[Tensor]]]
) -> None:
    stations = range(len(ways[0][0]))
    values = [fmean(distance(x[station], y[station]) for x, y in ways) for station in stations]
    table.setdefault(view, {})[pair] = by_layer(values)


def kept(objective: str, model: nn.Module) -> dict[str, np.ndarray]:
    """Return an encoder as arrays in 16 bits, ``<objective>.<parameter>``.

    The parameters bear the names that they have in a language model.
    """
    names = {"source_embedding": "embedding", "encoder_layers": "layers"}
    arrays = {}
    for name, parameter in model.named_parameters():
        head, _, rest = name.partition(".")
        if objective == "mt" and head not in names:
            continue
        array = parameter.detach().cpu().numpy().astype(np.float16)
        arrays[f"{objective}.{names.get(head, head)}.{rest}"] = array
    return arrays


EXPERIMENT = Experiment(NAME, PRESETS, variants, measure, claims)
run = EXPERIMENT.run
