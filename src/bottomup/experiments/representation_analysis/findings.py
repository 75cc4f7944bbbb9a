"""Chapter 08: one run's numbers by name, as the claims read them."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

OBJECTIVES = ("lm", "mlm", "mt")


@dataclass(frozen=True)
class Findings:
    """The metrics of one seed: all that was measured on its networks.

    Attributes:
        metrics: as the experiment stores them.
    """

    metrics: Mapping[str, Any]

    def series(self, *path: str, name: str = "plug_in") -> list[float]:
        """Return a number at each station, such as ``series("lm", "next")``."""
        return [one[name] for one in self._table(*path).values()]

    def information(self, network: str) -> list[float]:
        """Return the plug-in information about the token read, at each station."""
        return self.series(network, "information")

    def bound(self, network: str) -> list[float]:
        """Return its held-out lower bound, at each station."""
        return self.series(network, "information", name="held_out")

    def top(self, network: str) -> float:
        """Return the plug-in information at the last station."""
        return self.information(network)[-1]

    def fall(self, network: str) -> float:
        """Return by how much it falls from the embedding to the last layer."""
        return self.information(network)[0] - self.top(network)

    def middle(self, network: str) -> float:
        """Return it after the layer in the middle, of an odd number of layers the one below."""
        information = self.information(network)
        return information[(len(information) - 1) // 2]

    def recovery(self) -> float:
        """Return how far MLM ends above its middle layer."""
        return self.top("mlm") - self.middle("mlm")

    def gain(self, *path: str, name: str = "plug_in") -> float:
        """Return how far a series ends above its beginning."""
        series = self.series(*path, name=name)
        return series[-1] - series[0]

    def learned(self, network: str, control: str, *path: str) -> float:
        """Return the gain of a network less that of its control, both in the held-out bound."""
        gains = (self.gain(name, *path, name="held_out") for name in (network, control))
        return next(gains) - next(gains)

    def crossed(self) -> float:
        """Return how far the original ends above the token read, where it was exchanged."""
        read, original = (self.series("mlm", "exchanged", of)[-1] for of in ("read", "original"))
        return original - read

    def probe(self, network: str) -> list[float]:
        """Return the linear probe's accuracy at the stations where it was fitted."""
        return self.series(network, "probe", name="accuracy")

    def same(self, network: str) -> float:
        """Return the share of same-token neighbours at the last station."""
        return self.series(network, "neighbours", name="share")[-1]

    def position(self, network: str) -> float:
        """Return the relative distance in position of neighbours at the last station."""
        return self.series(network, "neighbours", name="position")[-1]

    def change(self, network: str, view: str = "all") -> list[float]:
        """Return the distance of each layer's output from its input."""
        return list(self._table(network, "change", view).values())

    def changed(self, network: str, view: str = "all") -> float:
        """Return the mean of `change` over layers."""
        return fmean(self.change(network, view))

    def ends(self, network: str) -> float:
        """Return the change of the first or last layer, the smaller, less the mean between them.

        Raises:
            StatisticsError: fewer than three layers.
        """
        first, *between, last = self.change(network)
        return min(first, last) - fmean(between)

    def groups(self, network: str, what: str) -> list[float]:
        """Return the rarest group's value less the most frequent group's, at each layer."""
        return [
            list(one.values())[-1] - one["group_0"] for one in self._table(network, what).values()
        ]

    def rare_less_frequent(self, network: str, what: str) -> float:
        """Return the mean of `groups` over layers."""
        return fmean(self.groups(network, what))

    def across(self, view: str, pair: str) -> list[float]:
        """Return the distance of two networks from different starts, at each station."""
        return list(self._table("distances", "across", view, pair).values())

    def starts(self, view: str) -> list[float]:
        """Return the distance between starts at each station, its mean over objectives."""
        return _mean([self.across(view, f"{name}_{name}") for name in OBJECTIVES])

    def objectives(self, view: str, kind: str = "across") -> list[float]:
        """Return the distance between objectives at each station, its mean over pairs."""
        table = self._table("distances", kind, view)
        return _mean([list(table[f"{a}_{b}"].values()) for a, b in combinations(OBJECTIVES, 2)])

    def apart(self, view: str) -> float:
        """Return the distance between objectives less that between starts, at its least layer."""
        pairs = zip(self.objectives(view)[1:], self.starts(view)[1:], strict=True)
        return min(between - within for between, within in pairs)

    def shared_less_starts(self, view: str) -> list[float]:
        """Return the distance of objectives with one start less that of starts, by station."""
        pairs = zip(self.objectives(view, "shared"), self.starts(view), strict=True)
        return [between - within for between, within in pairs]

    def nearest(self, view: str, kind: str = "across") -> float:
        """Return by how much MT and MLM are nearer than LM to its nearer one, from layer 2 on."""
        table = self._table("distances", kind, view)
        lm_mlm, lm_mt, mlm_mt = (
            list(table[f"{a}_{b}"].values())[2:] for a, b in combinations(OBJECTIVES, 2)
        )
        return fmean(min(x, y) - z for x, y, z in zip(lm_mlm, lm_mt, mlm_mt, strict=True))

    def farthest(self, view: str) -> float:
        """Return by how much LM and MT are farther apart than any other pair at the top."""
        others = max(self.across(view, "lm_mlm")[-1], self.across(view, "mlm_mt")[-1])
        return self.across(view, "lm_mt")[-1] - others

    def _table(self, *path: str) -> Mapping[str, Any]:
        table: Mapping[str, Any] = self.metrics
        for name in path:
            table = table[name]
        return table


def _mean(series: list[list[float]]) -> list[float]:
    return [fmean(values) for values in zip(*series, strict=True)]
