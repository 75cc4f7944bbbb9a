"""Chapter 08: train every objective and measure what the networks hold.

What one network holds is measured on the first start of a seed. Distances between networks are
those between starts, so that networks of one objective and of two are compared alike.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from statistics import fmean

from torch import Tensor

from bottomup.analysis import shuffled_pwcca
from bottomup.experiments.engine.units import Trial
from bottomup.experiments.representation_analysis.config import Config
from bottomup.experiments.representation_analysis.networks import (
    Network,
    Start,
    held_out_loss,
    test_batches,
    train,
    untrained,
)
from bottomup.experiments.representation_analysis.readings import (
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
from bottomup.experiments.representation_analysis.text import load_text

UNTRAINED = "untrained"  # MLM's and MT's network as it starts
UNTRAINED_CAUSAL = "untrained_causal"  # the same parameters with LM's mask


@dataclass(frozen=True)
class Networks:
    """The networks of one seed; what is trained is kept in files and not trained again.

    Attributes:
        config, trial: of the experiment's unit; a network's file is named after the checkpoint.
    """

    config: Config
    trial: Trial

    def trained(self, number: int) -> Iterator[tuple[str, Network]]:
        """Train every objective from a start: the first one is number 0."""
        text, start = load_text(self.config), Start.of(self.trial.seed, number)
        for objective in self.config.objectives:
            path = self.trial.checkpoint.with_name(
                f"{self.trial.checkpoint.stem}-{objective}-{number}.pt"
            )
            yield objective, train(self.config, text, objective, start, self.trial.device, path)

    def untrained(self, objective: str, number: int) -> Network:
        """Return the network of an objective as it starts."""
        text, start = load_text(self.config), Start.of(self.trial.seed, number)
        return untrained(self.config, text, objective, start).to(self.trial.device).eval()

    def test_batches(self) -> list[Tensor]:
        """Return the sentences that are measured."""
        return test_batches(load_text(self.config), self.trial.device)

    def forget(self) -> None:
        """Delete the files."""
        for path in self.trial.checkpoint.parent.glob(f"{self.trial.checkpoint.stem}-*.pt"):
            path.unlink()


def measure_networks(networks: Networks) -> Table:
    """Return what each network of a seed holds, trained or not, and the distances between them."""
    config, seed = networks.config, networks.trial.seed
    batches = networks.test_batches()
    found = measure_trained(networks)
    for name, objective in ((UNTRAINED, "mlm"), (UNTRAINED_CAUSAL, "lm")):
        found[name] = read(config, objective, networks.untrained(objective, 0), batches, seed)
    if config.starts > 1:
        seen = [_views_of(networks, number, batches) for number in range(config.starts)]
        found["distances"] = {**distances(config, seen), "shuffled": null(config, seen, seed)}
    found["tokens"] = sum(int((tokens >= 4).sum()) for tokens in batches)
    return found


def measure_trained(networks: Networks) -> Table:
    """Return what each trained network of a seed holds."""
    config, batches = networks.config, networks.test_batches()
    return {
        objective: read(config, objective, model, batches, networks.trial.seed)
        for objective, model in networks.trained(0)
    }


def read(
    config: Config, objective: str, model: Network, batches: Sequence[Tensor], seed: int
) -> Table:
    """Return what is measured on one network, with the questions of its objective."""
    text, found = load_text(config), gather(model, batches)
    changed, influence = change_and_influence(
        model, batches, found, text.counts(), config, seed, causal=objective == "lm"
    )
    table = {
        "loss": held_out_loss(text, objective, model, seed),
        "information": information(found, found.tokens, config, seed),
        "probe": probed(found, config, seed),
        "neighbours": neighbours(found, seed),
        "change": change(views(found, config, seed)),
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


def _views_of(networks: Networks, number: int, batches: Sequence[Tensor]) -> dict[str, Views]:
    models = [*networks.trained(number), (UNTRAINED, networks.untrained("mlm", number))]
    return {
        name: views(gather(model, batches), networks.config, networks.trial.seed)
        for name, model in models
    }


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
