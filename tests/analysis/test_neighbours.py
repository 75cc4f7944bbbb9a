"""Neighbours, their types and their positions: by hand, brute force, bad input."""

import math

import pytest
import torch

from bottomup.analysis import (
    NeighbourShare,
    nearest_types,
    neighbour_position_distance,
    neighbours,
    same_token_neighbours,
)
from tests.analysis.representations import draw
from tests.drawn import seeded


def at(*degrees, lengths=(1.0,)):
    """Vectors in a plane at these angles; lengths in turn, which must not matter."""
    angles = torch.tensor(degrees, dtype=torch.float64) * math.pi / 180
    factors = torch.tensor([lengths[n % len(lengths)] for n in range(len(degrees))])
    return torch.stack([angles.cos(), angles.sin()], dim=1) * factors[:, None]


def example(generator, count=211, width=7, types=13, places=17):
    """States that lean towards their type and their position, with noise."""
    tokens = torch.randint(types, (count,), generator=generator)
    positions = torch.randint(places, (count,), generator=generator)
    leaning = 2 * draw(generator, types, width)[tokens]
    leaning = leaning + 0.2 * (positions - 8)[:, None] * draw(generator, 1, width)
    return leaning + draw(generator, count, width), tokens, positions


# share of the same type, by hand

ANGLES = (0, 10, 30, 62, 100)
TYPES = torch.tensor([2, 2, 3, 3, 2])


@pytest.mark.parametrize("lengths", [(1.0,), (3.0, 0.01, 500.0)])
@pytest.mark.parametrize(
    ("k", "wanted"),
    [
        # nearest: 10, 0, 10, 30, 62 degrees; of the same type three times
        (1, NeighbourShare(3 / 5, 1, 0.4)),
        # {10 30} {0 30} {10 0} {30 100} {62 30}: one of the type each, but none of 30's or 100's
        (2, NeighbourShare(3 / 10, (3 * 1 + 2 * 1 / 2) / 5, 0.4)),
        # all the others: chance
        (4, NeighbourShare(0.4, 0.4, (3 * 2 / 4 + 2 * 1 / 4) / 5)),
    ],
)
def test_the_share_by_hand(k, wanted, lengths):
    states = at(*ANGLES, lengths=lengths)
    found = same_token_neighbours(states, TYPES, k=k, generator=seeded())
    assert found == pytest.approx(wanted)


# against a slow way


def neighbours_of(states, query, among):
    near = [torch.cosine_similarity(states[query], states[m], dim=0).item() for m in among]
    return [m for _near, m in sorted(zip(near, among, strict=True), reverse=True)]


def slow_share(states, tokens, k, queries):
    hits, most, chance = 0, 0, 0.0
    for query in queries:
        others = [m for m in range(len(tokens)) if m != query]
        same = [m for m in others if tokens[m] == tokens[query]]
        hits += len(set(neighbours_of(states, query, others)[:k]) & set(same))
        most += min(k, len(same))
        chance += len(same) / len(others)
    n = len(queries)
    return NeighbourShare(hits / (n * k), most / (n * k), chance / n)


@pytest.mark.parametrize("queries", [17, 83, 1000])
def test_the_share_of_some_queries_equals_that_of_a_slow_way(generator, queries):
    states, tokens, _ = example(generator, count=83)
    asked = torch.randperm(83, generator=seeded(3))[:queries].tolist()
    wanted = slow_share(states, tokens, 5, asked)
    found = same_token_neighbours(states, tokens, k=5, queries=queries, generator=seeded(3))
    assert found == pytest.approx(wanted)
    assert wanted.chance < 0.2 < wanted.share < wanted.ceiling  # the case says something


def test_chunks_change_nothing(generator, monkeypatch):
    states, tokens, _ = example(generator)
    wanted = same_token_neighbours(states, tokens, queries=101, generator=seeded())
    for held in (1, 3 * 211, 7 * 211 + 1):
        monkeypatch.setattr(neighbours, "SIMILARITIES", held)
        assert same_token_neighbours(states, tokens, queries=101, generator=seeded()) == wanted


# types of the nearest


@pytest.mark.parametrize("lengths", [(1.0,), (3.0, 0.01, 500.0)])
@pytest.mark.parametrize(
    ("k", "wanted"),
    [
        # of 80 degrees, nearest first: 62, 100, 30, 10, 0; of 8 degrees: 10, 0, 30, 62, 100
        (1, [[(3, 1)], [(2, 1)]]),
        (2, [[(2, 1 / 2), (3, 1 / 2)], [(2, 1)]]),  # equal shares: the smaller number first
        (3, [[(3, 2 / 3), (2, 1 / 3)], [(2, 2 / 3), (3, 1 / 3)]]),
        (5, [[(2, 3 / 5), (3, 2 / 5)], [(2, 3 / 5), (3, 2 / 5)]]),
    ],
)
def test_the_nearest_types_by_hand(k, wanted, lengths):
    states, queries = at(*ANGLES, lengths=lengths), at(80, 8, lengths=lengths)
    assert nearest_types(queries, states, TYPES, k=k) == wanted


# positions, by hand

# of type 3: 0 -> 10, 10 -> 0, 25 -> 10 degrees, gaps 2, 2, 6; pairs 2, 6, 8. Of type 7: gaps
# 5, 5, 0; pairs 5, 5, 0
THREE, SEVEN = ((0, 10, 25), (3, 5, 11)), ((200, 203, 213), (7, 2, 2))
HAND = at(*THREE[0], *SEVEN[0])
HAND_TOKENS, HAND_POSITIONS = torch.tensor([3] * 3 + [7] * 3), torch.tensor(THREE[1] + SEVEN[1])


def test_the_distance_by_hand():
    found = neighbour_position_distance(HAND, HAND_TOKENS, HAND_POSITIONS, k=1, generator=seeded())
    assert found == pytest.approx((10 / 16 + 1) / 2)


@pytest.mark.parametrize(("first", "wanted"), [(3, 10 / 16), (11, 1)])
def test_of_equally_frequent_types_the_smaller_number_goes_first(first, wanted):
    tokens = torch.where(HAND_TOKENS == 3, first, HAND_TOKENS)
    found = neighbour_position_distance(
        HAND, tokens, HAND_POSITIONS, k=1, types=1, generator=seeded()
    )
    assert found == pytest.approx(wanted)


def test_rare_types_and_types_at_one_position_are_left_out():
    states = torch.cat([HAND, at(50, 60, 70, 80, 90, 100)])
    tokens = torch.cat([HAND_TOKENS, torch.tensor([1, 1, 1, 1, 13, 17])])
    positions = torch.cat([HAND_POSITIONS, torch.tensor([4, 4, 4, 4, 6, 8])])
    found = neighbour_position_distance(states, tokens, positions, k=1, generator=seeded())
    assert found == pytest.approx((10 / 16 + 1) / 2)
    # 1 is the most frequent type; it takes its place among them all the same
    found = neighbour_position_distance(states, tokens, positions, k=1, types=2, generator=seeded())
    assert found == pytest.approx(10 / 16)


def test_equally_near_neighbours_share_the_places():
    # 0 lies between 10 and -10: (3 + 11) / 2, and their nearest is 0: 3, 11; pairs 3, 11, 8
    found = neighbour_position_distance(
        at(0, 10, -10), torch.full((3,), 5), torch.tensor([2, 5, 13]), k=1, generator=seeded()
    )
    assert found == pytest.approx(7 / (22 / 3))
    # 90 is nearest to 80; the second place falls to 100 and 101, which are one vector
    states, positions = at(90, 80, 101, 101), torch.tensor([0, 3, 7, 19])
    near = [3 + (7 + 19) / 2, 3 + (4 + 16) / 2, 12 + 7, 12 + 19]
    pairs = [3, 7, 19, 4, 16, 12]
    found = neighbour_position_distance(
        states, torch.full((4,), 5), positions, k=2, generator=seeded()
    )
    assert found == pytest.approx(sum(near) / 8 / (sum(pairs) / 6))


def test_a_part_of_the_occurrences_is_drawn(generator):
    states, _, positions = example(generator, count=101)
    tokens = torch.full((101,), 3)
    some = torch.randperm(101, generator=seeded(5))[:29]
    options = {"k": 3, "generator": seeded(5)}
    found = neighbour_position_distance(states, tokens, positions, per_type=29, **options)
    wanted = neighbour_position_distance(states[some], tokens[some], positions[some], **options)
    whole = neighbour_position_distance(states, tokens, positions, **options)
    assert found == pytest.approx(wanted, abs=1e-12)
    assert abs(found - whole) > 1e-3


# what leaves both measures


def both(states, tokens, positions):
    share = same_token_neighbours(states, tokens, k=5, generator=seeded())
    distance = neighbour_position_distance(states, tokens, positions, k=3, generator=seeded())
    return (*share, distance)


# refusals

SHARE, DISTANCE = same_token_neighbours, neighbour_position_distance


@pytest.mark.parametrize("function", [SHARE, DISTANCE])
@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"states": HAND / 0}, ValueError, "states: expected finite numbers"),
        ({"states": HAND * (HAND_TOKENS == 3)[:, None]}, ValueError, "got 3 of 6 that are zero"),
        ({"tokens": HAND_TOKENS - 5}, ValueError, "tokens: expected numbers of at least 0, got -2"),
    ],
)
def test_both_refuse_bad_input(function, change, error, text):
    given = {"states": HAND, "tokens": HAND_TOKENS, "k": 1, "generator": seeded()} | change
    if function is DISTANCE:
        given["positions"] = HAND_POSITIONS
    with pytest.raises(error, match=text):
        function(given.pop("states"), given.pop("tokens"), **given)


def test_the_share_refuses_too_few_tokens():
    with pytest.raises(ValueError, match="states: expected more than k=6 tokens .* got 6"):
        SHARE(HAND, HAND_TOKENS, k=6, generator=seeded())


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"positions": HAND_POSITIONS - 3}, ValueError, "positions: expected numbers of at least"),
        ({"k": 3}, ValueError, "tokens: expected at least one of the 30 .* to occur 4 times or"),
        ({"positions": torch.full((6,), 5)}, ValueError, "at different positions, got none"),
    ],
)
def test_the_distance_refuses_bad_input(change, error, text):
    given = {"positions": HAND_POSITIONS, "k": 2, "generator": seeded()} | change
    with pytest.raises(error, match=text):
        DISTANCE(HAND, HAND_TOKENS, **given)


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"queries": HAND / 0}, ValueError, "queries: expected finite numbers, got -?inf"),
        ({"queries": 0 * HAND[:5]}, ValueError, "queries: expected .* got 5 of 5 that are zero"),
        ({"states": 0 * HAND}, ValueError, "states: expected .* got 6 of 6 that are zero"),
        ({"states": HAND / 0}, ValueError, "states: expected finite numbers"),
        ({"k": 7}, ValueError, "k: expected at most the 6 states, got 7"),
    ],
)
def test_the_nearest_types_refuse_bad_input(change, error, text):
    given = {"queries": HAND[:2], "states": HAND, "tokens": HAND_TOKENS, "k": 1} | change
    with pytest.raises(error, match=text):
        nearest_types(given.pop("queries"), given.pop("states"), given.pop("tokens"), **given)
