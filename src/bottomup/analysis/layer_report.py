"""What the layers of a model hold: one report, station by station."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bottomup.analysis.canonical_correlation import check_samples
from bottomup.analysis.centring import centred_by_type
from bottomup.analysis.hidden_states import (
    Batch,
    Read,
    TokenStates,
    gather_states,
)
from bottomup.analysis.information_in_states import (
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

SAME = 1e-6  # of its length: below, a feature is the same within each type


@dataclass(frozen=True)
class LayerReport:
    """What the states of one station say, on the tokens of all stations.

    Attributes:
        station: number of the station, from 0.
        name: the name of the submodule that was read, or the number.
        information: what clusters of the states tell of the token, in nats.
        change: symmetric PWCCA distance from the station before, from 0 to 1;
            None at the first.
        change_within_type: the same without the mean of each type; None at the
            first, and where a station gives each type a single vector.
        neighbours: share of nearest neighbours of the same type, with its
            ceiling and chance.
        position_distance: how far apart nearest neighbours of one type stand,
            over how far apart its pairs stand.
    """

    station: int
    name: str
    information: AccessibleInformation
    change: float | None
    change_within_type: float | None
    neighbours: NeighbourShare
    position_distance: float


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
    """Run a model on batches of tokens and report what its states hold.

    ::

        reports = what_layers_hold(model, batches, special=(0, 1, 2))
        print(report_table(reports))

    `gather_states` says how any module is read, `report_on_states` what is
    measured, on how many tokens, and how far the numbers may be trusted.

    Args:
        model: any module that takes token numbers [batch, position].
        batches: token numbers, or pairs of them and a mask that is True at real
            tokens.
        layers, read, special: as for `gather_states`.
        clusters, types, k, rows, seed: as for `report_on_states`.

    Chapter 08 uses it.

    Example:
        >>> from bottomup.models import LanguageModel, LanguageModelConfig
        >>> config = LanguageModelConfig(vocabulary=9, max_length=8, d_model=12)
        >>> batches = [torch.randint(4, 9, (40, 8)) for _ in range(5)]
        >>> model = LanguageModel(config)
        >>> reports = what_layers_hold(model, batches, clusters=4, types=4)
        >>> [report.name for report in reports]
        ['0', '1', '2']
    """
    sizes = {"clusters": clusters, "types": types, "k": k}
    sizes |= {"rows": rows, "seed": seed}
    _check_sizes(**sizes)  # before the model runs
    found = gather_states(
        model, batches, layers=layers, read=read, special=special
    )
    return report_on_states(found, names=layers, **sizes)


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
    """Report what the states of each station hold.

    Four things, each on the same tokens at every station:
    `accessible_information` from all tokens of the most frequent types, and on
    at most `rows` tokens, drawn at random, since they depend on how many there
    are: the symmetric `pwcca_distance` from the station before, of the states
    as they are and without the mean of their type; `same_token_neighbours`;
    `neighbour_position_distance`, with its 5 neighbours and 30 types. The means
    are taken over all tokens, and types that occur once are left out.

    No number here says by itself that training brought it about: hold each
    against the same model with its parameters drawn anew.

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

    Source: Voita et al. (2019), "The Bottom-up Evolution of Representations in
    the Transformer", for the four questions; the docstring of each measure says
    what is ours. Chapter 08 uses it.
    """
    _check_sizes(clusters, types, k, rows, seed)
    count = len(found.states)
    names = [str(i) for i in range(count)] if names is None else names
    if len(names) != count:
        wanted = f"one for each of {count} stations"
        raise ValueError(f"names: expected {wanted}, got {len(names)}")

    def generator() -> torch.Generator:
        """Return the same stream each time: all stations share their draws."""
        return torch.Generator().manual_seed(int(seed))

    everything = found.tokens
    order = torch.randperm(len(everything), generator=generator())[:rows]
    some = order.sort().values.to(everything.device)
    tokens, positions = everything[some], found.positions[some]
    _types, number_of, occurrences = everything.unique(
        return_inverse=True, return_counts=True
    )
    again = some[occurrences[number_of[some]] > 1]  # of repeated types
    if count > 1:
        name = "rows" if rows < len(everything) else "batches"
        widest = max(h.shape[1] for h in found.states)
        note = "only types that occur more than once count"
        check_samples(name, len(again), widest, note=note)
    reports = []
    before: Tensor | None = None
    within_before: Tensor | None = None
    for station, h in enumerate(found.states):
        here, within = h[some], _within_types(h, everything, again)
        information = accessible_information(
            h,
            everything,
            found.sentences,
            clusters=clusters,
            types=types,
            seed=seed,
        )
        reports.append(
            LayerReport(
                station=station,
                name=names[station],
                information=information,
                change=_distance(before, here),
                change_within_type=_distance(within_before, within),
                neighbours=same_token_neighbours(
                    here, tokens, k=k, generator=generator()
                ),
                position_distance=neighbour_position_distance(
                    here, tokens, positions, generator=generator()
                ),
            )
        )
        before, within_before = here, within
    return reports


def _distance(before: Tensor | None, here: Tensor | None) -> float | None:
    if before is None or here is None:
        return None
    # Whether there are enough rows was checked once for all stations.
    return pwcca_distance(before, here, symmetric=True, few_samples="allow")


def _within_types(h: Tensor, tokens: Tensor, rows: Tensor) -> Tensor | None:
    """Return some rows without their type's mean; None if nothing is left."""
    centred = centred_by_type(h, tokens)[rows]
    left = centred.norm(dim=0) > SAME * h[rows].norm(dim=0)
    return centred if left.any() else None


def _check_sizes(
    clusters: int, types: int, k: int, rows: int, seed: int
) -> None:
    check_integer("clusters", clusters, at_least=1)
    check_integer("types", types, at_least=1)
    check_integer("k", k, at_least=1)
    check_integer("rows", rows, at_least=k + 1)
    check_integer("seed", seed, at_least=0, below=2**63)


def report_table(reports: Sequence[LayerReport]) -> str:
    """Return a table as text, a line for each station.

    The information is in nats, under I(T; C) as it is in the sample; all else
    are shares and ratios. A bar stands where there is no number.

    Chapter 08 uses it.

    Example:
        >>> from bottomup.models import LanguageModel, LanguageModelConfig
        >>> config = LanguageModelConfig(vocabulary=9, max_length=8, d_model=12)
        >>> batches = [torch.randint(4, 9, (40, 8)) for _ in range(5)]
        >>> model = LanguageModel(config)
        >>> reports = what_layers_hold(model, batches, clusters=4, types=4)
        >>> print(report_table(reports))
        station  I(T; C)  held-out ...
        0 ...
        1 ...
        2 ...
    """
    if not len(reports):
        raise ValueError("reports: expected at least one, got none")
    columns: list[tuple[str, list[float | None]]] = [
        (_("I(T; C)"), [report.information.plug_in for report in reports]),
        (_("held-out"), [report.information.held_out for report in reports]),
        (_("shuffled"), [report.information.shuffled for report in reports]),
        (_("H(T)"), [report.information.entropy for report in reports]),
        (_("change"), [report.change for report in reports]),
        (_("in type"), [report.change_within_type for report in reports]),
        (_("neighbours"), [report.neighbours.share for report in reports]),
        (_("ceiling"), [report.neighbours.ceiling for report in reports]),
        (_("position"), [report.position_distance for report in reports]),
    ]
    names = [_("station"), *(report.name for report in reports)]
    width = max(map(len, names))
    cells = [[name.ljust(width) for name in names]]
    for head, values in columns:
        column = [head, *("–" if v is None else f"{v:.2f}" for v in values)]
        width = max(map(len, column))
        cells.append([cell.rjust(width) for cell in column])
    return "\n".join("  ".join(line) for line in zip(*cells, strict=True))
