"""What the layers of a model hold, station by station: one report for any model."""

import warnings
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bottomup.analysis.canonical_correlation import (
    ENOUGH,
    LEAST,
    FewSamplesWarning,
)
from bottomup.analysis.centring import centred_by_type
from bottomup.analysis.hidden_states import (
    Batch,
    Read,
    TokenStates,
    gather_states,
)
from bottomup.analysis.mutual_information import (
    AccessibleInformation,
    accessible_information,
)
from bottomup.analysis.neighbours import (
    NeighbourShare,
    neighbour_position_distance,
    same_token_neighbours,
)
from bottomup.analysis.pwcca import pwcca_distance
from bottomup.checks import check_integer
from bottomup.i18n import _

_Pair = tuple[
    Tensor, Tensor | None
]  # states as they are, and without the mean of their type
SAME = 1e-6  # share of its length below which a feature counts as the same within each type


@dataclass(frozen=True)
class LayerReport:
    """What the states of one station say, measured on the same tokens as at every other station.

    Attributes:
        station: number of the station, from 0.
        name: the name of the submodule that was read, or the number.
        information: what clusters of the states tell of the token, in nats.
        change: symmetric PWCCA distance from the station before, from 0 to 1; None at the first.
        change_within_type: the same for what is left of the states without the mean of their type;
            None at the first, and where one of the two stations gives each type a single vector.
        neighbours: share of nearest neighbours of the same type, with its ceiling and chance.
        position_distance: how far apart nearest neighbours of one type stand, over how far apart
            its pairs stand.
    """

    station: int
    name: str
    information: AccessibleInformation
    change: float | None
    change_within_type: float | None
    neighbours: NeighbourShare
    position_distance: float


@dataclass(frozen=True)
class _Sizes:
    clusters: int
    types: int
    k: int
    rows: int
    seed: int

    def __post_init__(self) -> None:
        for name in ("clusters", "types", "k"):
            check_integer(name, getattr(self, name), at_least=1)
        check_integer("rows", self.rows, at_least=self.k + 1)
        check_integer("seed", self.seed, at_least=0)

    def generator(self) -> torch.Generator:
        """Return a new stream, the same each time, so that all stations share their draws."""
        return torch.Generator().manual_seed(self.seed)


def what_layers_hold(
    model: nn.Module,
    batches: Iterable[Batch],
    *,
    layers: Sequence[str] | None = None,
    read: Read | None = None,
    special: Collection[int] = (),
    clusters: int = 300,
    types: int = 300,
    k: int = 10,
    rows: int = 10_000,
    seed: int = 0,
) -> list[LayerReport]:
    """Run a model on batches of tokens and report on each station what its states hold.

    ::

        reports = what_layers_hold(model, batches, special=(0, 1, 2))
        print(report_table(reports))

    It reads any module: one whose output has `states`, one whose submodules are named in `layers`,
    or one that `read` knows how to read; `gather_states` says how. `report_on_states` says what is
    measured, on how many tokens, and how far the numbers may be trusted.

    Args:
        model: any module that takes token numbers [batch, position].
        batches: token numbers, or pairs of them and a mask that is True at real tokens.
        layers, read, special: as for `gather_states`.
        clusters, types, k, rows, seed: as for `report_on_states`.

    Warns:
        FewSamplesWarning: fewer than 100 tokens for each feature of a state.

    Chapter 08 uses it.
    """
    sizes = _Sizes(clusters, types, k, rows, seed)  # before the model runs
    found = gather_states(
        model, batches, layers=layers, read=read, special=special
    )
    return _report(found, layers, sizes)


def report_on_states(
    found: TokenStates,
    *,
    names: Sequence[str] | None = None,
    clusters: int = 300,
    types: int = 300,
    k: int = 10,
    rows: int = 10_000,
    seed: int = 0,
) -> list[LayerReport]:
    """Report on each station what its states hold, from states that are there already.

    Four things, each on the same tokens at every station:

    - `accessible_information` of the token, from all tokens of the most frequent types;
    - the symmetric `pwcca_distance` from the station before, of the states as they are and of the
      states without the mean of their type;
    - `same_token_neighbours`;
    - `neighbour_position_distance`, with the 5 neighbours and 30 types it has by default.

    The last three are measured on at most `rows` tokens, drawn at random, since both distances
    and neighbours depend on how many there are. The means of the types are taken over all tokens,
    and types that occur once are left out where a mean is taken off.

    No number here says by itself that training brought it about: hold each against the same model
    with its parameters drawn anew.

    Args:
        found: states by station, as `gather_states` gives them.
        names: a name for each station; the numbers by default.
        clusters: number of clusters for the information.
        types: how many of the most frequent types the information counts.
        k: number of neighbours for the share of the same type.
        rows: the most tokens for distances and neighbours.
        seed: seed of every draw.

    Warns:
        FewSamplesWarning: fewer than 100 tokens for each feature of a state.

    Source: Voita et al. (2019), "The Bottom-up Evolution of Representations in the Transformer",
    for the four questions; the docstring of each measure says what is ours. Chapter 08 uses it.
    """
    return _report(found, names, _Sizes(clusters, types, k, rows, seed))


def report_table(reports: Sequence[LayerReport]) -> str:
    """Return a table as text, a line for each station.

    The information is in nats, under I(T; C) as it is in the sample; all else are shares and
    ratios. A bar stands where there is no number.

    Chapter 08 uses it.
    """
    if not len(reports):
        raise ValueError("reports: expected at least one, got none")
    head = [
        _("station"), _("I(T; C)"), _("held-out"), _("shuffled"), _("H(T)"), _("change"),
        _("in type"), _("neighbours"), _("ceiling"), _("position"),
    ]  # fmt: skip
    lines = [
        head,
        *([report.name, *map(_number, _numbers(report))] for report in reports),
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([name.ljust(widths[0]), *map(str.rjust, cells, widths[1:])])
        for name, *cells in lines
    )


def _numbers(report: LayerReport) -> tuple[float | None, ...]:
    information, neighbours = report.information, report.neighbours
    return (
        information.plug_in,
        information.held_out,
        information.shuffled,
        information.entropy,
        report.change,
        report.change_within_type,
        neighbours.share,
        neighbours.ceiling,
        report.position_distance,
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _report(
    found: TokenStates, names: Sequence[str] | None, sizes: _Sizes
) -> list[LayerReport]:
    count = len(found.states)
    names = (
        [str(station) for station in range(count)]
        if names is None
        else list(names)
    )
    if len(names) != count:
        raise ValueError(
            f"names: expected one for each of {count} stations, got {len(names)}"
        )
    order = torch.randperm(len(found.tokens), generator=sizes.generator())[
        : sizes.rows
    ]
    drawn = order.sort().values.to(found.tokens.device)
    repeated = drawn[_occurs_again(found.tokens)[drawn]]
    if count > 1:
        _check_rows(found, len(drawn), len(repeated))
    reports: list[LayerReport] = []
    before: _Pair | None = None
    for name, h in zip(names, found.states, strict=True):
        here = h[drawn], _within_types(h, found.tokens, repeated)
        reports.append(
            _one(len(reports), name, found, drawn, before, here, sizes)
        )
        before = here
    return reports


def _one(
    station: int,
    name: str,
    found: TokenStates,
    drawn: Tensor,
    before: _Pair | None,
    here: _Pair,
    sizes: _Sizes,
) -> LayerReport:
    h, tokens = here[0], found.tokens[drawn]
    return LayerReport(
        station=station,
        name=name,
        information=accessible_information(
            found.states[station],
            found.tokens,
            found.sentences,
            clusters=sizes.clusters,
            types=sizes.types,
            seed=sizes.seed,
        ),
        change=None if before is None else _distance(before[0], h),
        change_within_type=None
        if before is None
        else _distance(before[1], here[1]),
        neighbours=same_token_neighbours(
            h, tokens, k=sizes.k, generator=sizes.generator()
        ),
        position_distance=neighbour_position_distance(
            h, tokens, found.positions[drawn], generator=sizes.generator()
        ),
    )


def _distance(before: Tensor | None, here: Tensor | None) -> float | None:
    if before is None or here is None:
        return None
    # whether there are enough rows was checked once, and not for each pair of stations
    return pwcca_distance(before, here, symmetric=True, few_samples="allow")


def _occurs_again(tokens: Tensor) -> Tensor:
    _names, numbers, counts = tokens.unique(
        return_inverse=True, return_counts=True
    )
    return (counts > 1)[numbers]


def _within_types(h: Tensor, tokens: Tensor, rows: Tensor) -> Tensor | None:
    """Return some rows without the mean of their type, or None if nothing is left of them."""
    centred = centred_by_type(h, tokens)[rows]
    left = centred.norm(dim=0) > SAME * h[rows].norm(dim=0)
    return centred if left.any() else None


def _check_rows(found: TokenStates, rows: int, repeated: int) -> None:
    """Refuse too few tokens for the distances, and warn where there are not many."""
    features = max(h.shape[1] for h in found.states)
    name = "rows" if rows < len(found.tokens) else "batches"
    text = (
        f"{name}: expected at least {{}} tokens for each of {features} features of a state, {{}} "
        f"in all, got {repeated} of types that occur more than once; with fewer, distances of "
        "unrelated states come out low as well"
    )
    if repeated < LEAST * features:
        raise ValueError(text.format(LEAST, LEAST * features))
    if repeated < ENOUGH * features:
        message = text.format(ENOUGH, ENOUGH * features)
        warnings.warn(message, FewSamplesWarning, stacklevel=4)
