"""Mutual information: known values, null and bound, the split, bad input."""

import math
from collections import Counter

import pytest
import torch

from bottomup.analysis import (
    AccessibleInformation,
    HeldOutInformation,
    accessible_information,
    entropy,
    held_out_information,
    information_spread,
    kmeans,
    most_frequent,
    plug_in_information,
    shuffled_information,
    split_by_sentence,
)
from tests.drawn import randn, seeded

LOG2 = math.log(2)
ZEROS = torch.zeros(10).long()


def randint(high, count, *, seed):
    return torch.randint(high, (count,), generator=seeded(seed))


def numbers(*values):
    return torch.tensor(values)


# The table: values by hand.


def test_entropy_by_hand():
    assert str(entropy(numbers(4, 4, 4, 4))) == "0.0"  # and not "-0.0"
    assert entropy(numbers(9, 0, 9, 0)) == pytest.approx(LOG2, abs=1e-15)
    assert entropy(numbers(1, 1, 1, 8)) == pytest.approx(math.log(4) - 0.75 * math.log(3))
    assert entropy(torch.arange(7)) == pytest.approx(math.log(7))


def test_information_of_two_by_two_by_hand():
    # counts [[3, 1], [1, 3]]: p(t, c) = 3/8 or 1/8 against 1/4
    t, c = numbers(0, 0, 0, 0, 1, 1, 1, 1), numbers(0, 0, 0, 1, 0, 1, 1, 1)
    expected = 6 / 8 * math.log(3 / 2) + 2 / 8 * math.log(1 / 2)
    assert plug_in_information(t, c) == pytest.approx(expected, abs=1e-15)


def test_a_product_table_gives_nothing():
    t, c = torch.cartesian_prod(torch.arange(5), torch.arange(7)).T
    assert plug_in_information(t, c) == pytest.approx(0, abs=1e-15)
    assert plug_in_information(t, torch.full((35,), 4)) == pytest.approx(0, abs=1e-15)


def test_exclusive_or_is_in_both_inputs_and_in_neither():
    a, b = torch.cartesian_prod(torch.arange(2), torch.arange(2)).repeat(13, 1).T
    either = a ^ b
    assert plug_in_information(either, a) == pytest.approx(0, abs=1e-15)
    assert plug_in_information(either, b) == pytest.approx(0, abs=1e-15)
    assert plug_in_information(either, 2 * a + b) == pytest.approx(LOG2, abs=1e-15)


def test_large_numbers_need_no_large_table():
    labels = numbers(0, 2**61, 2**61, 5)
    assert plug_in_information(labels, labels) == pytest.approx(1.5 * LOG2)


# The null, and the bias that it shows.


def test_independent_data_give_the_bias_and_no_more():
    t, c = randint(7, 5000, seed=1), randint(11, 5000, seed=2)
    plug_in = plug_in_information(t, c)
    degrees = 6 * 10  # 2 N I is chi-squared with as many degrees of freedom
    assert plug_in > 0
    assert abs(plug_in - degrees / 10_000) < 4 * math.sqrt(2 * degrees) / 10_000
    null = shuffled_information(t, c, shuffles=50, generator=seeded())
    assert abs(null - degrees / 10_000) < 4 * math.sqrt(2 * degrees / 50) / 10_000


# The bootstrap.


def pairs(count, *, seed):
    t = randint(3, count, seed=seed)
    kept = torch.rand(count, generator=seeded(seed + 1)) < 0.7
    return t, torch.where(kept, t, randint(3, count, seed=seed + 2))


def test_equal_tokens_of_a_sentence_count_as_one():
    t, c = pairs(500, seed=1)
    once = information_spread(t, c, torch.arange(500), draws=200, generator=seeded())
    many = [x.repeat_interleave(5) for x in (t, c, torch.arange(500))]
    five = information_spread(*many, draws=200, generator=seeded())
    assert five == pytest.approx(once, rel=1e-9)
    alone = information_spread(*many[:2], torch.arange(2500), draws=200, generator=seeded())
    assert alone == pytest.approx(once / math.sqrt(5), rel=0.25)


def test_a_draw_holds_whole_sentences():
    # Two sentences with one type each. Half of the draws hold both, with I = log 2, half hold one
    # twice, with I = 0: the standard deviation is log 2 / 2.
    labels = numbers(0, 0, 0, 5, 5, 5)
    spread = information_spread(labels, labels, labels + 9, draws=2000, generator=seeded())
    assert spread == pytest.approx(LOG2 / 2, rel=0.02)


# The bound.


def sentences_of(count, words):
    return torch.arange(count) // words


def test_the_parts_are_half_and_two_quarters_of_the_sentences():
    sentences = randint(101, 2003, seed=1) * 17
    parts = split_by_sentence(sentences, generator=seeded())
    shares = [set(sentences[parts == part].tolist()) for part in range(3)]
    assert [len(share) for share in shares] == [50, 25, 26]
    assert not (shares[0] & shares[1] or shares[0] & shares[2] or shares[1] & shares[2])
    again = split_by_sentence(sentences, generator=seeded())
    assert torch.equal(parts, again)
    assert not torch.equal(parts, split_by_sentence(sentences, generator=seeded(1)))
    smallest = split_by_sentence(numbers(4, 4, 8, 2), generator=seeded())
    assert sorted(set(smallest.tolist())) == [0, 1, 2]


def test_the_bound_by_counting_in_loops():
    t, c = pairs(600, seed=1)
    t[::7], sentences = 3 + t[::7], sentences_of(600, 6)
    grid = (0.1, 0.3, 1.0, 3.0, 5.0, 7.0, 10.0, 20.0, 30.0, 50.0, 100.0)
    result = held_out_information(t, c, sentences, smoothings=grid, generator=seeded(5))
    parts = split_by_sentence(sentences, generator=seeded(5)).tolist()
    rows = list(zip(t.tolist(), c.tolist(), parts, strict=True))
    joint = Counter((a, b) for a, b, part in rows if part == 0)
    n_t, n_c = Counter(a for a, _, part in rows if part == 0), Counter()
    for (_, b), n in joint.items():
        n_c[b] += n

    def cross_entropy(part, s):
        def q(a, b):
            prior = (n_t[a] + 1) / (sum(n_t.values()) + 6)
            return (joint[a, b] + s * prior) / (n_c[b] + s)

        losses = [-math.log(q(a, b)) for a, b, own in rows if own == part]
        return sum(losses) / len(losses)

    best, of_the_test = (min(grid, key=lambda s: cross_entropy(part, s)) for part in (1, 2))
    assert best != of_the_test  # or the test could not tell them apart
    assert isinstance(result, HeldOutInformation)
    assert result.smoothing == best
    assert result.entropy == pytest.approx(entropy(t), abs=1e-12)
    assert result.nats == pytest.approx(entropy(t) - cross_entropy(2, best), abs=1e-12)


def test_the_true_entropy_can_be_given():
    t, c = pairs(600, seed=1)
    split = sentences_of(600, 6)
    own = held_out_information(t, c, split, generator=seeded())
    known = held_out_information(t, c, split, generator=seeded(), true_entropy=math.log(3))
    assert known.entropy == math.log(3) > own.entropy
    assert known.nats - own.nats == pytest.approx(math.log(3) - own.entropy, abs=1e-12)


# The most frequent types, and all of it together.


def test_the_most_frequent_types_by_hand():
    labels = numbers(5, 2, 5, 9, 2, 5, 7, 9)
    assert most_frequent(labels, 1).int().tolist() == [1, 0, 1, 0, 0, 1, 0, 0]
    assert labels[most_frequent(labels, 2)].tolist() == [5, 2, 5, 2, 5]  # 2 and 9: 2 goes first
    assert labels[~most_frequent(labels, 3)].tolist() == [7]
    assert most_frequent(labels, 4).all() and most_frequent(labels, 101).all()


def network(count=3000, *, noise=0.3, seed=1):
    tokens = randint(50, count, seed=seed) * randint(2, count, seed=seed + 1)  # 0 is half of all
    states = randn(50, 11, seed=seed + 2)[tokens] + noise * randn(count, 11, seed=seed + 3)
    return states, tokens, sentences_of(count, 10)


def test_everything_at_once(device):
    states, tokens, sentences = network()
    result = accessible_information(
        states.to(device), tokens.to(device), sentences.to(device), clusters=61, types=29, seed=3
    )
    kept = most_frequent(tokens, 29)
    labels, split = tokens[kept], sentences[kept]
    one = seeded(3)
    c = kmeans(states[kept], 61, generator=one).assigned
    bound = held_out_information(labels, c, split, generator=one)
    assert isinstance(result, AccessibleInformation)
    assert result.tokens == len(labels) < 3000
    expected = AccessibleInformation(
        plug_in=plug_in_information(labels, c),
        held_out=bound.nats,
        shuffled=shuffled_information(labels, c, generator=one),
        spread=information_spread(labels, c, split, generator=one),
        entropy=entropy(labels),
        smoothing=bound.smoothing,
        tokens=len(labels),
    )
    assert tuple(result) == pytest.approx(tuple(expected), abs=1e-9)
    assert 0 < result.held_out < result.plug_in < result.entropy
    assert 0 < result.spread < result.shuffled < result.plug_in


# Bad input.


@pytest.mark.parametrize(
    "call",
    [
        plug_in_information,
        lambda t, c: shuffled_information(t, c, generator=seeded()),
        lambda t, c: information_spread(t, c, torch.arange(10), generator=seeded()),
        lambda t, c: held_out_information(t, c, torch.arange(10), generator=seeded()),
    ],
)
def test_bad_labels_are_refused(call):
    with pytest.raises(ValueError, match="labels: expected numbers of at least 0, got -3"):
        call(ZEROS - 3, ZEROS)
    with pytest.raises(ValueError, match="clusters: expected numbers of at least 0, got -1"):
        call(ZEROS, ZEROS - 1)


def test_bad_labels_are_refused_by_the_functions_of_one_labelling():
    for call in (entropy, lambda labels: most_frequent(labels, 2)):
        with pytest.raises(ValueError, match="labels: expected numbers of at least 0, got -3"):
            call(ZEROS - 3)


TWO = torch.arange(10) % 2


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"sentences": TWO}, ValueError, "sentences: expected at least 3 different .* got 2"),
        ({"sentences": TWO - 1}, ValueError, "sentences: expected numbers of at least 0, got -1"),
        ({"smoothings": ()}, ValueError, "smoothings: expected at least one value, got none"),
        ({"smoothings": (1.0, 0)}, ValueError, "smoothings: expected a number > 0 .* got 0"),
    ],
)
def test_bad_options_of_the_bound_are_refused(change, error, message):
    inputs = {"sentences": torch.arange(10), "generator": seeded(), **change}
    with pytest.raises(error, match=message):
        held_out_information(ZEROS, ZEROS, inputs.pop("sentences"), **inputs)


def test_bad_options_of_null_and_spread_are_refused():
    with pytest.raises(ValueError, match="sentences: expected at least 2 different .* got 1"):
        information_spread(ZEROS, ZEROS, ZEROS, generator=seeded())


STATES = torch.arange(30.0).reshape(10, 3)
BROKEN = STATES.clone()
BROKEN[4, 1] = math.nan


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"states": BROKEN}, ValueError, "points: expected finite numbers, got nan"),
        ({"states": STATES[:7]}, ValueError, r"tokens: .* \[example=7\], got shape \(10,\)"),
        ({"tokens": TWO - 1}, ValueError, "tokens: expected numbers of at least 0, got -1"),
        ({"sentences": TWO}, ValueError, "sentences: expected at least 3 different .* got 2"),
        # five tokens are of the most frequent type
        ({"types": 1, "clusters": 7}, ValueError, "points: expected at least 7 points for 7 clus"),
    ],
)
def test_bad_states_are_refused(change, error, message):
    inputs = {"states": STATES, "tokens": TWO, "sentences": torch.arange(10), **change}
    options = {"clusters": 3, "types": 5, "seed": 0}
    options.update({name: inputs.pop(name) for name in options if name in inputs})
    with pytest.raises(error, match=message):
        accessible_information(**inputs, **options)
