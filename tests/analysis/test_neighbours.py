"""Neighbours, their types and their positions: by hand, brute force, invariances, bad input."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.analysis import (
    NeighbourShare,
    nearest_types,
    neighbour_position_distance,
    neighbours,
    same_token_neighbours,
)
from tests.analysis.representations import draw, turn
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


def test_opposite_vectors_are_the_farthest():
    found = same_token_neighbours(at(0, 180, 80), torch.tensor([5, 5, 7]), k=1, generator=seeded())
    assert found == pytest.approx(NeighbourShare(0, 2 / 3, 1 / 3))


def test_the_ceiling_is_reached_where_vectors_are_those_of_the_types(generator):
    tokens = torch.tensor([0] * 23 + [1] * 17 + [2] * 11 + [3] * 5 + [4] * 2 + [5])
    states = torch.eye(6)[tokens] + 0.01 * torch.randn(59, 6, generator=generator)
    found = same_token_neighbours(states, tokens, k=7, generator=generator)
    assert found.share == pytest.approx(found.ceiling)
    assert found.ceiling == pytest.approx((51 + 5 * 4 / 7 + 2 * 1 / 7) / 59)
    assert found.chance == pytest.approx((23 * 22 + 17 * 16 + 11 * 10 + 5 * 4 + 2) / (59 * 58))


def test_unrelated_vectors_give_chance(generator):
    tokens = torch.randint(5, (1009,), generator=generator)
    found = same_token_neighbours(draw(generator, 1009, 11), tokens, generator=generator)
    assert found.share == pytest.approx(found.chance, abs=0.02)
    assert found.chance == pytest.approx(0.2, abs=0.01)
    assert found.ceiling == 1


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


def slow_distance(states, tokens, positions, k, types):
    ratios = []
    for token in types:
        own = [n for n in range(len(tokens)) if tokens[n] == token]
        near, pairs = [], []
        for n in own:
            others = [m for m in own if m != n]
            gaps = {m: abs(int(positions[n]) - int(positions[m])) for m in others}
            near += [gaps[m] for m in neighbours_of(states, n, others)[:k]]
            pairs += gaps.values()
        ratios.append(sum(near) / len(near) / (sum(pairs) / len(pairs)))
    return sum(ratios) / len(ratios)


def test_the_distance_equals_that_of_a_slow_way(generator):
    states, tokens, positions = example(generator)
    wanted = slow_distance(states, tokens, positions, 3, range(13))
    found = neighbour_position_distance(states, tokens, positions, k=3, generator=seeded())
    assert found == pytest.approx(wanted)
    assert found < 0.9  # the case says something


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


def test_a_query_among_the_states_finds_itself():
    states = at(*ANGLES)
    assert nearest_types(states[2:3], states, torch.tensor([5, 7, 11, 13, 17]), k=1) == [[(11, 1)]]


def test_the_nearest_types_equal_those_of_a_slow_way(generator):
    states, tokens, _ = example(generator, count=83)
    found = nearest_types(states[:17], states[17:], tokens[17:], k=7)
    for query, types in enumerate(found):
        near = [int(tokens[m]) for m in neighbours_of(states, query, range(17, 83))[:7]]
        wanted = {name: near.count(name) / 7 for name in near}
        assert dict(types) == wanted
        assert [share for _, share in types] == sorted(wanted.values(), reverse=True)
    assert max(len(types) for types in found) > 3  # the case says something


def test_ten_neighbours_are_the_default(generator):
    states, tokens, _ = example(generator)
    assert nearest_types(states[:5], states, tokens) == nearest_types(
        states[:5], states, tokens, k=10
    )


def test_with_itself_left_out_a_query_s_own_type_has_the_share_of_the_other_measure(generator):
    states, tokens, _ = example(generator, count=83)
    own = []
    for query in range(83):
        others = torch.arange(83) != query
        (types,) = nearest_types(states[query : query + 1], states[others], tokens[others], k=5)
        own.append(dict(types).get(int(tokens[query]), 0))
    found = same_token_neighbours(states, tokens, k=5, generator=seeded())
    assert sum(own) / 83 == pytest.approx(found.share)


def test_the_nearest_types_in_any_precision_and_with_gradients(generator):
    states, tokens, _ = example(generator)
    wanted = nearest_types(states[:17], states, tokens, k=3)
    assert nearest_types(states[:17].float(), states, tokens, k=3) == wanted
    assert nearest_types(states[:17], states.float(), tokens, k=3) == wanted
    assert nearest_types(states[:17] * 1e-30, 1e30 * states.float(), tokens, k=3) == wanted
    assert nearest_types(states[:17], states.requires_grad_(), tokens, k=3) == wanted


def test_every_device_gives_the_same_types(generator, device):
    states, tokens, _ = example(generator)
    wanted = nearest_types(states[:17], states, tokens, k=3)
    assert nearest_types(states[:17], states.to(device), tokens, k=3) == wanted
    assert nearest_types(states[:17].to(device), states, tokens.to(device), k=3) == wanted


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


def test_neighbours_at_the_same_place_give_zero():
    states, positions = at(0, 1, 40, 41, 90, 91), torch.tensor([2, 2, 5, 5, 11, 11])
    found = neighbour_position_distance(
        states, torch.full((6,), 3), positions, k=1, generator=seeded()
    )
    assert found == 0


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


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_vectors_without_position_and_context_give_1(generator, dtype):
    tokens = torch.randint(5, (307,), generator=generator)
    positions = torch.randint(19, (307,), generator=generator)
    states = draw(generator, 5, 7).to(dtype)[tokens]
    found = neighbour_position_distance(states, tokens, positions, generator=generator)
    assert found == pytest.approx(1, abs=1e-12)


def test_unrelated_vectors_give_nearly_1(generator):
    tokens = torch.randint(5, (1009,), generator=generator)
    positions = torch.randint(19, (1009,), generator=generator)
    states = draw(generator, 1009, 7)
    found = neighbour_position_distance(states, tokens, positions, generator=generator)
    assert found == pytest.approx(1, abs=0.05)


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


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), power=st.integers(-12, 12))
def test_a_rotation_and_a_length_for_each_vector_leave_both(seed, power):
    generator = seeded(seed)
    states, tokens, positions = example(generator)
    lengths = 0.1 + torch.rand(211, 1, generator=generator, dtype=torch.float64)
    moved = 10.0**power * lengths * (states @ turn(generator, 7))
    assert both(moved, tokens, positions) == pytest.approx(both(states, tokens, positions))


@pytest.mark.parametrize("factor", [1e-30, 1e30])
def test_tiny_and_huge_numbers_of_float32_leave_both(generator, factor):
    states, tokens, positions = example(generator)
    states = states.float()
    wanted = both(states, tokens, positions)
    assert both(factor * states, tokens, positions) == pytest.approx(wanted, abs=1e-6)


def test_another_order_or_other_names_leave_both(generator):
    states, tokens, positions = example(generator)
    order = torch.randperm(211, generator=generator)
    wanted = both(states, tokens, positions)
    assert both(states[order], 7 * tokens[order] + 3, positions[order]) == pytest.approx(wanted)


def test_a_shift_does_not_leave_them(generator):
    states, tokens, positions = example(generator)
    shifted = both(states + 5, tokens, positions)
    wanted = both(states, tokens, positions)
    assert abs(shifted[0] - wanted[0]) > 0.005
    assert abs(shifted[3] - wanted[3]) > 0.005


def test_every_device_gives_the_same(generator, device):
    states, tokens, positions = example(generator)
    wanted = both(states, tokens, positions)
    assert both(states.to(device), tokens, positions) == pytest.approx(wanted)
    assert both(states.to(device), tokens.to(device), positions.to(device)) == pytest.approx(wanted)


def test_it_takes_gradients_along_and_changes_nothing(generator):
    states, tokens, positions = example(generator)
    before = states.clone()
    wanted = both(states, tokens, positions)
    assert both(states.requires_grad_(), tokens, positions) == wanted
    assert torch.equal(states, before)


# refusals

SHARE, DISTANCE = same_token_neighbours, neighbour_position_distance


@pytest.mark.parametrize("function", [SHARE, DISTANCE])
@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        ({"states": HAND.long()}, TypeError, "states: expected a floating-point tensor"),
        ({"states": HAND / 0}, ValueError, "states: expected finite numbers"),
        ({"states": HAND[:5]}, ValueError, r"tokens: expected axes \[token=5\], got shape \(6,\)"),
        ({"states": HAND * (HAND_TOKENS == 3)[:, None]}, ValueError, "got 3 of 6 that are zero"),
        ({"tokens": HAND_TOKENS.int()}, TypeError, "tokens: expected dtype torch.int64"),
        ({"tokens": HAND_TOKENS - 5}, ValueError, "tokens: expected numbers of at least 0, got -2"),
        ({"k": 0}, ValueError, "k: expected an integer of at least 1, got 0"),
        ({"k": 1.5}, TypeError, "k: expected an integer, got 1.5"),
        ({"generator": 7}, TypeError, "generator: expected a torch.Generator, got int"),
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
    with pytest.raises(ValueError, match="queries: expected an integer of at least 1, got 0"):
        SHARE(HAND, HAND_TOKENS, k=1, queries=0, generator=seeded())


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (
            {"positions": HAND_POSITIONS[:5]},
            ValueError,
            r"positions: expected axes \[token=6\], got",
        ),
        (
            {"positions": HAND_POSITIONS - 3},
            ValueError,
            "positions: expected numbers of at least 0",
        ),
        ({"positions": HAND_POSITIONS.float()}, TypeError, "positions: expected dtype torch.int64"),
        ({"types": 0}, ValueError, "types: expected an integer of at least 1"),
        ({"per_type": 2}, ValueError, "per_type: expected an integer of at least 3, got 2"),
        (
            {"k": 3},
            ValueError,
            "tokens: expected at least one of the 30 .* to occur 4 times or more",
        ),
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
        ({"queries": HAND[0]}, ValueError, r"queries: expected axes \[query, d_model=2\]"),
        ({"queries": HAND[:, :1]}, ValueError, r"d_model=2\], got shape \(6, 1\)"),
        ({"queries": HAND.long()}, TypeError, "queries: expected a floating-point tensor"),
        ({"queries": HAND / 0}, ValueError, "queries: expected finite numbers, got -?inf"),
        ({"queries": 0 * HAND[:5]}, ValueError, "queries: expected .* got 5 of 5 that are zero"),
        ({"states": 0 * HAND}, ValueError, "states: expected .* got 6 of 6 that are zero"),
        ({"states": HAND / 0}, ValueError, "states: expected finite numbers"),
        ({"tokens": HAND_TOKENS[:5]}, ValueError, r"tokens: expected axes \[token=6\], got shape"),
        ({"tokens": HAND_TOKENS.int()}, TypeError, "tokens: expected dtype torch.int64"),
        ({"k": 7}, ValueError, "k: expected at most the 6 states, got 7"),
        ({"k": 0}, ValueError, "k: expected an integer of at least 1, got 0"),
        ({"k": 1.5}, TypeError, "k: expected an integer, got 1.5"),
    ],
)
def test_the_nearest_types_refuse_bad_input(change, error, text):
    given = {"queries": HAND[:2], "states": HAND, "tokens": HAND_TOKENS, "k": 1} | change
    with pytest.raises(error, match=text):
        nearest_types(given.pop("queries"), given.pop("states"), given.pop("tokens"), **given)
