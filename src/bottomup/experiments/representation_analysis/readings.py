"""Chapter 08: what one network's states say, station by station."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from bottomup.analysis import (
    TokenStates,
    accessible_information,
    centred_by_type,
    change_by_group,
    frequency_groups,
    gather_states,
    influence_by_group,
    linear_probe,
    most_frequent,
    neighbour_position_distance,
    pwcca_distance,
    same_token_neighbours,
)
from bottomup.data import SPECIAL_TOKENS, Corrupted, corrupt, exchange
from bottomup.experiments.representation_analysis.config import Config
from bottomup.experiments.representation_analysis.networks import Network, layers_of, states_of
from bottomup.masks import causal_mask

SPECIAL = range(len(SPECIAL_TOKENS))
# Seeds of what is drawn to measure, one for each use. They are the same for all networks, which so
# differ by their states alone.
INFORMATION, VIEWS, PROBE, NEIGHBOURS, POSITIONS, GROUPS, INFLUENCE, HIDDEN, EXCHANGED, SHUFFLED = (
    range(400_000, 1_400_000, 100_000)
)

Table = dict[str, Any]
Views = dict[str, list[Tensor]]  # by name: a tensor [row, d_model] for each station


def generator(consumer: int, seed: int) -> torch.Generator:
    """Return the random numbers of one consumer."""
    return torch.Generator().manual_seed(consumer + seed)


def layer(number: int) -> str:
    """Name a station in a record."""
    return f"layer_{number}"


def by_layer(values: Sequence[Any], first: int = 0) -> Table:
    """Name one value a station, counted from `first`."""
    return {layer(number): value for number, value in enumerate(values, first)}


def gather(model: nn.Module, batches: Sequence[Tensor]) -> TokenStates:
    """Return the states of all ordinary tokens."""
    return gather_states(model, batches, read=states_of, special=SPECIAL)


def views(found: TokenStates, config: Config, seed: int) -> Views:
    """Return the rows of which distances are computed, the same rows for every network.

    ``all``: of the most frequent types; ``frequent``: of so few types that their embeddings do not
    fill all directions; ``within``: less the mean of the type, hence what context adds.
    """
    draw = generator(VIEWS, seed)

    def rows(types: int, centre: bool = False) -> list[Tensor]:
        kept = found.select(most_frequent(found.tokens, types))
        order = torch.randperm(len(kept.tokens), generator=draw)[: config.rows]
        states = (centred_by_type(h, kept.tokens) if centre else h for h in kept.states)
        return [h[order] for h in states]

    return {
        "all": rows(config.types),
        "frequent": rows(config.frequent),
        "within": rows(config.within, centre=True),
    }


def information(found: TokenStates, labels: Tensor, config: Config, seed: int) -> Table:
    """Return what clusters of the states say about labels, by station."""
    return by_layer(
        [
            accessible_information(
                states,
                labels,
                found.sentences,
                clusters=config.clusters,
                types=config.types,
                seed=INFORMATION + seed,
            )._asdict()
            for states in found.states
        ]
    )


def probed(found: TokenStates, config: Config, seed: int) -> Table:
    """Return how often a linear probe names the token, at the first, middle and last station.

    It is fitted to tokens drawn from two thirds of the sentences and scored on tokens of the rest.
    Types that come too rarely among the former are left out.
    """
    draw = generator(PROBE, seed)
    frequent = found.select(most_frequent(found.tokens, config.probed))
    order = torch.randperm(int(frequent.sentences.max()) + 1, generator=draw)
    fitted = order.to(frequent.sentences.device)[frequent.sentences] < 2 * len(order) // 3
    train = _drawn(frequent.select(fitted), config.probe_tokens, draw)
    types = (torch.bincount(train.tokens) >= 2).nonzero().flatten()
    test = _drawn(frequent.select(~fitted), config.probe_tokens // 2, draw)
    train, test = (part.select(torch.isin(part.tokens, types)) for part in (train, test))
    stations = sorted({0, config.num_layers // 2, config.num_layers})
    return {layer(station): _probe(train, test, station, types, seed) for station in stations}


def _drawn(of: TokenStates, count: int, draw: torch.Generator) -> TokenStates:
    """Return so many tokens, drawn without replacement, in the order in which they stood."""
    return of.select(torch.randperm(len(of.tokens), generator=draw) < count)


def _probe(train: TokenStates, test: TokenStates, station: int, types: Tensor, seed: int) -> Table:
    # The seed itself: it moves a stream of NumPy's, of which nothing else here draws, and with
    # another the recorded values of `control` would be others.
    result = linear_probe(
        train.states[station],
        torch.searchsorted(types, train.tokens),
        test_features=test.states[station],
        test_labels=torch.searchsorted(types, test.tokens),
        classes=len(types),
        shuffles=1,
        seed=seed,
    )
    return {"accuracy": result.accuracy, "chance": result.chance, "control": result.control}


def neighbours(found: TokenStates, seed: int) -> Table:
    """Return the share of same-token neighbours and how far away in the sentence they stood."""
    table = {}
    for station, states in enumerate(found.states):
        shares = same_token_neighbours(
            states, found.tokens, generator=generator(NEIGHBOURS, seed)
        )._asdict()
        distance = neighbour_position_distance(
            states, found.tokens, found.positions, generator=generator(POSITIONS, seed)
        )
        table[layer(station)] = {**shares, "position": distance}
    return table


def change(seen: Views) -> Table:
    """Return the distance of each station from the one before it."""
    return {
        name: by_layer([distance(*pair) for pair in pairwise(stations)], first=1)
        for name, stations in seen.items()
    }


def distance(x: Tensor, y: Tensor) -> float:
    """Return the PWCCA distance, averaged over both directions."""
    return pwcca_distance(x, y, symmetric=True)


def change_and_influence(
    model: Network,
    batches: Sequence[Tensor],
    found: TokenStates,
    counts: Tensor,
    config: Config,
    seed: int,
    *,
    causal: bool,
) -> tuple[Table, Table]:
    """Return how much tokens of each frequency change in each layer, and how much they influence.

    Influence is that on other tokens of the groups, not on those of other types.
    Every group is measured on as many tokens. They are often fewer than 100 for each feature, so
    distances come out low, alike for all groups.

    Args:
        counts: how often each type comes in training.
        causal: whether a position reads only what is before it.
    """
    groups = groups_of(found.tokens, config, counts)
    changed = [
        change_by_group(
            *pair,
            groups,
            rows=config.rows,
            generator=generator(GROUPS, seed),
            few_samples="allow",
        )
        for pair in pairwise(found.states)
    ]
    own = [groups_of(tokens, config, counts) for tokens in batches]
    streams = [_streams(model, tokens) for tokens in batches]
    masks = [
        causal_mask(tokens.shape[1], device=tokens.device) if causal else None for tokens in batches
    ]
    influenced = []
    for number, module in enumerate(layers_of(model)):
        read = [(stream[number], mask) for stream, mask in zip(streams, masks, strict=True)]
        found_here = influence_by_group(
            module,
            read,
            own,
            rows=config.rows,
            generator=generator(INFLUENCE, seed),
            few_samples="allow",
        )
        influenced.append(found_here)
    return _by_layer_and_group(changed), _by_layer_and_group(influenced)


def _by_layer_and_group(values: list[dict[int, float]]) -> Table:
    named = [{f"group_{number}": one for number, one in of.items()} for of in values]
    return by_layer(named, first=1)


def groups_of(tokens: Tensor, config: Config, counts: Tensor) -> Tensor:
    """Return the group of each token by the frequency rank of its type, -1 outside all groups.

    Each group has `config.group_types` types, from the rank on that `config.groups` names.
    """
    ranks = frequency_groups(tokens, range(1, len(counts)), counts)
    groups = torch.full_like(tokens, -1)
    for number, first in enumerate(config.groups):
        groups[(ranks >= first) & (ranks < first + config.group_types)] = number
    return groups.masked_fill(tokens < len(SPECIAL_TOKENS), -1)


@torch.no_grad()
def _streams(model: nn.Module, tokens: Tensor) -> list[Tensor]:
    return list(states_of(model, tokens))


def next_tokens(batches: Sequence[Tensor]) -> Tensor:
    """Return what follows each token that `gather` keeps."""
    ordinary = len(SPECIAL_TOKENS)
    return torch.cat([tokens.roll(-1, dims=1)[tokens >= ordinary] for tokens in batches])


def exchanged(
    model: nn.Module, batches: Sequence[Tensor], config: Config, seed: int
) -> tuple[TokenStates, Tensor]:
    """Return the states of exchanged tokens, whose type is the wrong one, and the original types.

    Exchanged are 12 % of the tokens of the most frequent types.
    """
    types = torch.arange(len(SPECIAL_TOKENS), len(SPECIAL_TOKENS) + config.exchanged)
    return _corrupted(
        model,
        batches,
        lambda tokens, draw: exchange(tokens, among=types, generator=draw, chosen=0.12),
        config.passes,
        generator(EXCHANGED, seed),
    )


def masked(
    model: nn.Module, batches: Sequence[Tensor], mask_id: int, config: Config, seed: int
) -> tuple[TokenStates, Tensor]:
    """Return the states of hidden tokens and their original types."""

    def hide(tokens: Tensor, draw: torch.Generator) -> Corrupted:
        read, _ = corrupt(tokens, mask_id=mask_id, vocabulary=mask_id, generator=draw)
        return Corrupted(read, read == mask_id)

    return _corrupted(model, batches, hide, config.passes, generator(HIDDEN, seed))


def _corrupted(
    model: nn.Module,
    batches: Sequence[Tensor],
    make: Callable[[Tensor, torch.Generator], Corrupted],
    passes: int,
    draw: torch.Generator,
) -> tuple[TokenStates, Tensor]:
    """Corrupt the sentences several times; return states and originals at the chosen places."""
    found, originals = [], []
    for _pass in range(passes):
        made = [make(tokens, draw) for tokens in batches]
        chosen = torch.cat([one.chosen.flatten() for one in made])
        every = gather_states(model, [one.tokens for one in made], read=states_of)
        found.append(every.select(chosen))
        originals.append(torch.cat([tokens.flatten() for tokens in batches])[chosen])
    states = tuple(torch.cat(stations) for stations in zip(*(f.states for f in found), strict=True))
    tokens, sentences, positions = (
        torch.cat([getattr(one, name) for one in found])
        for name in ("tokens", "sentences", "positions")
    )
    return TokenStates(states, tokens, sentences, positions), torch.cat(originals)
