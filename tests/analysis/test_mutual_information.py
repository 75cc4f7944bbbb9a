"""Mutual information: known values, the stretch, null and bound, the split, bad input."""

import math
from collections import Counter

import numpy as np
import pytest
import torch
from scipy.integrate import quad
from scipy.stats import norm

from bottomup.analysis import (
    AccessibleInformation,
    HeldOutInformation,
    accessible_information,
    entropy,
    held_out_information,
    information_spread,
    kmeans,
    linear_probe,
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


def test_the_same_labelling_twice_gives_the_entropy():
    labels = randint(11, 503, seed=1)
    assert plug_in_information(labels, labels) == pytest.approx(entropy(labels), abs=1e-12)
    renamed = 1000 - 3 * labels
    assert plug_in_information(labels, renamed) == pytest.approx(entropy(labels), abs=1e-12)


def test_a_function_of_the_label_gives_the_function_s_entropy():
    labels = randint(11, 503, seed=1)
    assert plug_in_information(labels, labels % 3) == pytest.approx(entropy(labels % 3), abs=1e-12)


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


def test_a_noisy_channel_has_its_capacity():
    t = randint(2, 20_000, seed=1)
    flipped = (torch.rand(20_000, generator=seeded(2)) < 0.11).long()
    h = -0.11 * math.log(0.11) - 0.89 * math.log(0.89)
    # delta method: sd of log p(t, c) / (p(t) p(c)), over sqrt N
    sd = math.sqrt(0.11 * 0.89) * math.log(0.89 / 0.11) / math.sqrt(20_000)
    assert abs(plug_in_information(t, t ^ flipped) - (LOG2 - h)) < 4 * sd


def test_it_equals_a_sum_over_a_dense_table():
    t, c = randint(13, 701, seed=1), randint(7, 701, seed=2) // 2
    table = np.zeros((13, 4))
    np.add.at(table, (t.numpy(), c.numpy()), 1 / 701)
    product = table.sum(1, keepdims=True) * table.sum(0, keepdims=True)
    seen = table > 0
    expected = (table[seen] * np.log(table[seen] / product[seen])).sum()
    assert plug_in_information(t, c) == pytest.approx(expected, abs=1e-13)


def test_large_numbers_need_no_large_table():
    labels = numbers(0, 2**61, 2**61, 5)
    assert plug_in_information(labels, labels) == pytest.approx(1.5 * LOG2)


# Clusters of vectors: two Gaussians on a line.


def two_gaussians(count, mean, *, seed):
    labels = torch.arange(count) % 2
    return mean * (2.0 * labels[:, None] - 1) + randn(count, 1, seed=seed), labels


def true_information(mean):
    """I(T; x) of ``x = ±mean + noise`` in nats, by numerical integration."""

    def density(x):
        one, other = norm.pdf(x, mean), norm.pdf(x, -mean)
        both = (one + other) / 2
        return (one * np.log(one / both) + other * np.log(other / both)) / 2

    return quad(density, -mean - 9, mean + 9)[0]


@pytest.mark.parametrize("mean", [0.5, 1.0, 2.0])
def test_two_clusters_of_two_gaussians_are_a_binary_channel(mean):
    x, labels = two_gaussians(20_000, mean, seed=1)
    c = kmeans(x, 2, iterations=50, sample=20_000, generator=seeded()).assigned
    wrong = norm.cdf(-mean)  # the boundary is 0, by symmetry
    expected = LOG2 + wrong * math.log(wrong) + (1 - wrong) * math.log(1 - wrong)
    sd = math.sqrt(wrong * (1 - wrong)) * math.log(1 / wrong - 1) / math.sqrt(20_000)
    assert abs(plug_in_information(labels, c) - expected) < 5 * sd
    assert expected < true_information(mean) - 0.005  # a clustering loses something


def test_many_clusters_come_near_the_integral():
    x, labels = two_gaussians(20_000, 1.0, seed=1)
    c = kmeans(x, 47, iterations=20, sample=20_000, generator=seeded()).assigned
    true = true_information(1.0)
    assert true == pytest.approx(0.3368, abs=5e-4)  # in bits .486, as tables of BPSK have it
    bias = 46 / (2 * 20_000)
    assert plug_in_information(labels, c) == pytest.approx(true + bias, abs=0.015)
    sentences = torch.arange(20_000)
    bound = held_out_information(labels, c, sentences, generator=seeded(), true_entropy=LOG2)
    assert bound.nats == pytest.approx(true, abs=0.03)


# The stretch: the true information stays, the clusters lose it.


def stretched(factor):
    """41 types at random places, with one more axis that says nothing."""
    labels = torch.arange(8200) % 41
    places = randn(41, 13, seed=1)[labels] + 0.1 * randn(8200, 13, seed=2)
    noise = randn(8200, 1, seed=3)
    return torch.cat([places, factor * noise], 1), labels


def test_an_invertible_stretch_takes_the_clusters_information_and_nothing_else():
    values = {}
    for factor in (0.1, 1000.0):
        x, labels = stretched(factor)
        c = kmeans(x, 101, generator=seeded()).assigned
        null = shuffled_information(labels, c, generator=seeded(1))
        values[factor] = plug_in_information(labels, c), null
    full = math.log(41)  # 3.71
    assert values[0.1][0] > 0.95 * full
    plug_in, null = values[1000.0]
    assert plug_in < 0.12 * full
    assert abs(plug_in - null) < 0.1 * null  # what is left is bias
    # undo the stretch by its inverse: nothing was lost
    x, labels = stretched(1000.0)
    x[:, -1] /= 10_000
    back = kmeans(x, 101, generator=seeded()).assigned
    assert plug_in_information(labels, back) == pytest.approx(values[0.1][0], abs=1e-9)


def test_a_linear_probe_does_not_mind_the_stretch():
    x, labels = stretched(1000.0)
    train, test = slice(0, 1230), slice(1230, 2460)
    result = linear_probe(
        x[train], labels[train],
        test_features=x[test], test_labels=labels[test], classes=41, shuffles=1,
    )  # fmt: skip
    assert result.accuracy > 0.99


# The null, and the bias that it shows.


def test_independent_data_give_the_bias_and_no_more():
    t, c = randint(7, 5000, seed=1), randint(11, 5000, seed=2)
    plug_in = plug_in_information(t, c)
    degrees = 6 * 10  # 2 N I is chi-squared with as many degrees of freedom
    assert plug_in > 0
    assert abs(plug_in - degrees / 10_000) < 4 * math.sqrt(2 * degrees) / 10_000
    null = shuffled_information(t, c, shuffles=50, generator=seeded())
    assert abs(null - degrees / 10_000) < 4 * math.sqrt(2 * degrees / 50) / 10_000


def test_the_null_of_a_perfect_code_is_far_from_its_entropy():
    t = randint(7, 5000, seed=1)
    null = shuffled_information(t, t, shuffles=50, generator=seeded())
    assert abs(null - 36 / 10_000) < 4 * math.sqrt(72 / 50) / 10_000
    assert plug_in_information(t, t) > 1.9


def test_with_a_cluster_for_every_example_even_the_null_is_the_entropy():
    t = randint(7, 211, seed=1)
    null = shuffled_information(t, torch.arange(211), generator=seeded())
    assert null == pytest.approx(entropy(t), abs=1e-12)


# The bootstrap.


def pairs(count, *, seed):
    t = randint(3, count, seed=seed)
    kept = torch.rand(count, generator=seeded(seed + 1)) < 0.7
    return t, torch.where(kept, t, randint(3, count, seed=seed + 2))


def test_the_spread_is_that_of_fresh_samples():
    t, c = pairs(2000, seed=1)
    spread = information_spread(t, c, torch.arange(2000), draws=1000, generator=seeded())
    fresh = [plug_in_information(*pairs(2000, seed=10 * seed)) for seed in range(1, 1001)]
    assert spread == pytest.approx(np.std(fresh, ddof=1), rel=0.1)  # each side is good to 2 %


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


def test_a_perfect_code_is_bound_by_its_entropy_from_below():
    t = randint(11, 5000, seed=1)
    result = held_out_information(t, t, sentences_of(5000, 10), generator=seeded())
    assert result.entropy - 0.01 < result.nats < result.entropy
    assert result.smoothing < 0.1


def test_independent_clusters_are_smoothed_away():
    t, c = randint(7, 3000, seed=1), randint(101, 3000, seed=2)
    assert plug_in_information(t, c) > 0.09  # nothing but bias
    result = held_out_information(t, c, sentences_of(3000, 10), generator=seeded())
    assert result.smoothing > 100
    assert abs(result.nats) < 0.02


@pytest.mark.slow
def test_the_bound_lies_below_the_truth_and_the_plug_in_value_above_it_on_average():
    # q agrees with p = .8 or is drawn evenly: I in closed form
    same, other = (0.7 + 0.3 / 3) / 3, 0.3 / 9
    truth = 3 * same * math.log(9 * same) + 6 * other * math.log(9 * other)
    bounds, plug_ins = [], []
    for seed in range(1, 401):
        t, c = pairs(100, seed=10 * seed)
        plug_ins.append(plug_in_information(t, c))
        bound = held_out_information(t, c, sentences_of(100, 2), generator=seeded(seed))
        bounds.append(bound.nats)
    errors = [np.std(values, ddof=1) / math.sqrt(400) for values in (bounds, plug_ins)]
    assert truth - 0.15 < np.mean(bounds) < truth - 3 * errors[0]
    bias = 2 * 2 / (2 * 100)
    assert truth < np.mean(plug_ins)
    assert abs(np.mean(plug_ins) - truth - bias) < 3 * errors[1]


def test_many_clusters_inflate_the_plug_in_value_and_not_the_bound():
    t, c = pairs(2000, seed=1)
    fine = 211 * c + randint(211, 2000, seed=9)  # each cluster cut up at random
    split = sentences_of(2000, 10)
    assert plug_in_information(t, fine) > plug_in_information(t, c) + 0.2
    bounds = [held_out_information(t, x, split, generator=seeded()).nats for x in (c, fine)]
    assert bounds[1] < bounds[0]


def test_the_true_entropy_can_be_given():
    t, c = pairs(600, seed=1)
    split = sentences_of(600, 6)
    own = held_out_information(t, c, split, generator=seeded())
    known = held_out_information(t, c, split, generator=seeded(), true_entropy=math.log(3))
    assert known.entropy == math.log(3) > own.entropy
    assert known.nats - own.nats == pytest.approx(math.log(3) - own.entropy, abs=1e-12)


def test_sentences_in_two_parts_would_give_the_answer_away():
    # each sentence has a cluster and a token of its own, ten times over
    sentences = sentences_of(2000, 10)
    t = randint(7, 200, seed=1)[sentences]
    honest = held_out_information(t, sentences, sentences, generator=seeded())
    leaking = held_out_information(t, sentences, torch.arange(2000), generator=seeded())
    assert abs(honest.nats) < 0.1
    assert leaking.nats > 0.9 * entropy(t)


# The most frequent types, and all of it together.


def test_the_most_frequent_types_by_hand():
    labels = numbers(5, 2, 5, 9, 2, 5, 7, 9)
    assert most_frequent(labels, 1).tolist() == [
        True,
        False,
        True,
        False,
        False,
        True,
        False,
        False,
    ]
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


def test_chunks_and_the_names_of_types_and_sentences_change_nothing():
    states, tokens, sentences = network()
    options = {"clusters": 61, "types": 101, "seed": 3}
    before = torch.get_rng_state()
    result = accessible_information(states, tokens, sentences, **options)
    chunked = accessible_information(states, tokens, sentences, chunk=97, **options)
    renamed = accessible_information(states, 7 * tokens + 5, 3 * sentences + 1, **options)
    assert tuple(chunked) == pytest.approx(tuple(result), abs=1e-9)
    assert tuple(renamed) == pytest.approx(tuple(result), abs=1e-9)
    other = accessible_information(states, tokens, sentences, **{**options, "seed": 4})
    assert other.plug_in != result.plug_in
    assert torch.equal(torch.get_rng_state(), before)


def test_options_reach_the_clustering(monkeypatch):
    given = []

    def watched(points, clusters, **options):
        given.append((len(points), clusters, options["iterations"], options["chunk"]))
        return kmeans(points, clusters, **options)

    monkeypatch.setattr("bottomup.analysis.information_in_states.kmeans", watched)
    options = {"clusters": 61, "types": 101, "seed": 3}
    accessible_information(*network(), **options, iterations=2, chunk=97)
    accessible_information(*network(), **options)
    assert given == [(3000, 61, 2, 97), (3000, 61, 5, 4096)]


def test_more_noise_makes_less_accessible():
    options = {"clusters": 61, "types": 50, "seed": 3}
    results = [
        accessible_information(*network(noise=noise), **options) for noise in (0.1, 1.0, 9.0)
    ]
    assert results[0].held_out > results[1].held_out + 0.5 > results[2].held_out + 1
    assert abs(results[2].held_out) < 0.05 < results[2].plug_in  # noise: all of it is bias


# Bad input.


@pytest.mark.parametrize(
    "labels, clusters, error, message",
    [
        ([0], ZEROS, TypeError, "labels: expected a torch.Tensor, got list"),
        (ZEROS.double(), ZEROS, TypeError, "labels: expected dtype torch.int64, got torch.float64"),
        (ZEROS[:0], ZEROS[:0], ValueError, r"labels: expected non-empty axes \[example\], got"),
        (ZEROS[None], ZEROS, ValueError, r"labels: expected axes \[example\], got shape \(1, 10"),
        (ZEROS - 3, ZEROS, ValueError, "labels: expected numbers of at least 0, got -3"),
        (ZEROS, ZEROS.int(), TypeError, "clusters: expected dtype torch.int64, got torch.int32"),
        (ZEROS, ZEROS - 1, ValueError, "clusters: expected numbers of at least 0, got -1"),
        (ZEROS, ZEROS[:7], ValueError, r"clusters: expected axes \[example=10\], got shape \(7"),
    ],
)
@pytest.mark.parametrize("function", ["plug in", "shuffled", "spread", "held out"])
def test_bad_labels_are_refused(function, labels, clusters, error, message):
    call = {
        "plug in": lambda t, c: plug_in_information(t, c),
        "shuffled": lambda t, c: shuffled_information(t, c, generator=seeded()),
        "spread": lambda t, c: information_spread(t, c, torch.arange(10), generator=seeded()),
        "held out": lambda t, c: held_out_information(t, c, torch.arange(10), generator=seeded()),
    }[function]
    with pytest.raises(error, match=message):
        call(labels, clusters)


def test_bad_labels_are_refused_by_the_functions_of_one_labelling():
    for call in (entropy, lambda labels: most_frequent(labels, 2)):
        with pytest.raises(ValueError, match="labels: expected numbers of at least 0, got -3"):
            call(ZEROS - 3)
        with pytest.raises(ValueError, match="labels: expected non-empty axes"):
            call(ZEROS[:0])
        with pytest.raises(TypeError, match="labels: expected dtype torch.int64"):
            call(torch.full((3,), math.nan))
    with pytest.raises(ValueError, match="k: expected an integer of at least 1, got 0"):
        most_frequent(ZEROS, 0)


TWO = torch.arange(10) % 2


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"sentences": TWO}, ValueError, "sentences: expected at least 3 different .* got 2"),
        (
            {"sentences": ZEROS[:7] + torch.arange(7)},
            ValueError,
            r"sentences: .* \[example=10\], got shape",
        ),
        ({"sentences": TWO.double()}, TypeError, "sentences: expected dtype torch.int64"),
        ({"sentences": TWO - 1}, ValueError, "sentences: expected numbers of at least 0, got -1"),
        ({"generator": 5}, TypeError, "generator: expected a torch.Generator, got int"),
        ({"smoothings": ()}, ValueError, "smoothings: expected at least one value, got none"),
        ({"smoothings": (1.0, 0)}, ValueError, "smoothings: expected a number > 0 .* got 0"),
        ({"true_entropy": -0.1}, ValueError, "true_entropy: expected a number >= 0 .* got -0.1"),
        ({"true_entropy": math.nan}, ValueError, "true_entropy: expected a number .* got nan"),
    ],
)
def test_bad_options_of_the_bound_are_refused(change, error, message):
    inputs = {"sentences": torch.arange(10), "generator": seeded(), **change}
    with pytest.raises(error, match=message):
        held_out_information(ZEROS, ZEROS, inputs.pop("sentences"), **inputs)


def test_bad_options_of_null_and_spread_are_refused():
    with pytest.raises(ValueError, match="shuffles: expected an integer of at least 1, got 0"):
        shuffled_information(ZEROS, ZEROS, shuffles=0, generator=seeded())
    with pytest.raises(TypeError, match="generator: expected a torch.Generator, got None"):
        shuffled_information(ZEROS, ZEROS, generator=None)
    with pytest.raises(ValueError, match="draws: expected an integer of at least 2, got 1"):
        information_spread(ZEROS, ZEROS, TWO, draws=1, generator=seeded())
    with pytest.raises(ValueError, match="sentences: expected at least 2 different .* got 1"):
        information_spread(ZEROS, ZEROS, ZEROS, generator=seeded())


STATES = torch.arange(30.0).reshape(10, 3)
BROKEN = STATES.clone()
BROKEN[4, 1] = math.nan


@pytest.mark.parametrize(
    "change, error, message",
    [
        ({"states": BROKEN}, ValueError, "points: expected finite numbers, got nan"),
        ({"states": torch.ones(10, 3)}, ValueError, "points: .* every feature is constant"),
        ({"states": STATES[0]}, ValueError, r"states: expected axes \[example, d_model\]"),
        ({"states": STATES[:7]}, ValueError, r"tokens: .* \[example=7\], got shape \(10,\)"),
        ({"tokens": TWO[:7]}, ValueError, r"tokens: expected axes \[example=10\], got"),
        ({"tokens": TWO - 1}, ValueError, "tokens: expected numbers of at least 0, got -1"),
        ({"sentences": TWO[:7]}, ValueError, r"sentences: expected axes \[example=10\], got"),
        ({"sentences": TWO}, ValueError, "sentences: expected at least 3 different .* got 2"),
        # five tokens are of the most frequent type
        ({"types": 1, "clusters": 7}, ValueError, "points: expected at least 7 points for 7 clus"),
        ({"types": 0}, ValueError, "types: expected an integer of at least 1, got 0"),
        ({"seed": -1}, ValueError, "seed: expected an integer of at least 0, got -1"),
    ],
)
def test_bad_states_are_refused(change, error, message):
    inputs = {"states": STATES, "tokens": TWO, "sentences": torch.arange(10), **change}
    options = {"clusters": 3, "types": 5, "seed": 0}
    options.update({name: inputs.pop(name) for name in options if name in inputs})
    with pytest.raises(error, match=message):
        accessible_information(**inputs, **options)
