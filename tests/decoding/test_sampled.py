"""Drawing from what top-k and top-p leave, and drawing whole sequences."""

import math

import pytest
import torch

from bottomup.data import BOS, EOS
from bottomup.decoding import greedy, sample, sampled
from tests.decoding.markov import Markov, random_table, source_of
from tests.decoding.test_greedy import Broken, Copier
from tests.drawn import seeded

A, B = 3, 4
LOGITS = torch.tensor([1 / 8, 1 / 2, 1 / 16, 1 / 4, 1 / 16]).double().log()
ONE = source_of([5])
LOW = -math.inf


def drawn(seed: int = 1, logits=LOGITS, draws: int = 5000, **options) -> torch.Tensor:
    rows, generator = logits.expand(draws, -1), seeded(seed)
    tokens = sample(rows, generator=generator, **options)
    return tokens.bincount(minlength=logits.shape[0]) / draws


def sequences(model, source=ONE, seed: int = 1, **options) -> list[list[int]]:
    return sampled(
        model, *source, **{"max_length": 5, "generator": seeded(seed), **options}
    ).to_lists()


# ---- One token


@pytest.mark.parametrize(
    "options, expected",
    [
        ({"top_k": 2}, [0, 2 / 3, 0, 1 / 3, 0]),
        ({"top_k": 1}, [0, 1, 0, 0, 0]),
        ({"top_p": 0.7}, [0, 2 / 3, 0, 1 / 3, 0]),
        ({"top_p": 0.8}, [1 / 7, 4 / 7, 0, 2 / 7, 0]),
        ({"top_k": 3, "top_p": 0.8}, [0, 2 / 3, 0, 1 / 3, 0]),  # 4/7 + 2/7 reach 0.8: k comes first
        ({"temperature": 0.5, "top_p": 0.8}, [0, 4 / 5, 0, 1 / 5, 0]),  # T comes before p
        ({"temperature": 0.5, "top_k": 2}, [0, 4 / 5, 0, 1 / 5, 0]),
        ({"top_k": 5, "top_p": 1}, [1 / 8, 1 / 2, 1 / 16, 1 / 4, 1 / 16]),
    ],
)
def test_draws_have_the_probabilities_of_what_is_left(options, expected):
    shares = drawn(**options)
    assert shares.tolist() == pytest.approx(expected, abs=0.03)  # over four standard deviations
    assert [share > 0 for share in shares] == [share > 0 for share in expected]


def test_options_that_cut_nothing_change_no_draw():
    rows = LOGITS.expand(101, -1)
    draws = [
        sample(rows, generator=seeded(3), **options)
        for options in ({}, {"top_k": 5}, {"top_p": None, "top_k": None})
    ]
    assert torch.equal(draws[0], draws[1])
    assert torch.equal(draws[0], draws[2])


# ---- Sequences


def test_sequences_come_with_their_probabilities():
    table = torch.full((5, 5), LOW, dtype=torch.float64)
    table[BOS, [A, EOS]] = torch.tensor([0.75, 0.25]).double().log()
    table[A, [A, EOS]] = torch.tensor([0.5, 0.5]).double().log()
    rows = sequences(Markov(table), source_of(*[[5]] * 4000), max_length=3)
    lengths = torch.tensor([len(row) for row in rows]).bincount() / 4000
    # the fourth was cut off: [A, A, A] goes on with anything
    assert lengths.tolist() == pytest.approx([0.25, 0.375, 0.1875, 0.1875], abs=0.035)


def test_a_tiny_temperature_and_a_k_of_one_are_greedy():
    source = source_of([5, 6], [4], [4, 4, 5], [6])
    for seed in range(5):
        model = Markov(random_table(7, seed), varied=True)
        expected = greedy(model, *source, max_length=5).to_lists()
        assert sequences(model, source, temperature=1e-6) == expected
        assert sequences(model, source, top_k=1) == expected
        assert sequences(model, source, top_p=1e-9) == expected


def test_the_tail_is_never_drawn():
    table = torch.tensor([[0.0, 0.0, 1.0, 5.0, 4.0]] * 5)
    rows = sequences(Markov(table), source_of(*[[5]] * 101), top_k=2, max_length=7)
    assert {token for row in rows for token in row} == {A, B}
    assert {len(row) for row in rows} == {7}


def test_the_generator_decides_and_goes_on():
    model = Markov(random_table(7, 3))
    first, again = sequences(model, seed=5), sequences(model, seed=5)
    assert first == again
    generator = seeded(5)
    runs = [sampled(model, *ONE, max_length=5, generator=generator).to_lists() for _ in range(5)]
    assert runs[0] == first
    assert len({str(run) for run in runs}) > 1


def test_the_weights_of_a_model_with_attention_are_given():
    decoded = sampled(
        Copier(), *source_of([5, 6, 7], [8]), max_length=9, temperature=1e-3, generator=seeded(1)
    )
    assert decoded.to_lists() == [[5, 6, 7], [8]]
    assert decoded.weights[1].tolist() == [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]


def test_a_model_that_gives_nan_is_refused():
    with pytest.raises(FloatingPointError, match=r"model: .* got NaN in sequences \[1\]"):
        sequences(Broken(), source_of([5, 6, 7], [8, 9]), temperature=1e-3)


def test_what_the_model_gives_behind_the_end_does_no_harm():
    for value in (math.nan, LOW, math.inf):
        table = torch.full((5, 5), value)
        table[BOS] = torch.tensor([LOW, LOW, 0.0, LOW, LOW])
        assert sequences(Markov(table), source_of([5], [6, 7])) == [[], []]


def test_infinite_logits_before_the_end_are_refused():
    with pytest.raises(ValueError, match="logits: expected numbers or -inf, .* maximum inf"):
        sequences(Markov(torch.full((5, 5), math.inf)))


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"top_k": 0}, ValueError, "top_k: expected an integer of at least 1, got 0"),
        ({"top_k": 2.0}, TypeError, "top_k: expected an integer, got 2.0"),
        ({"top_p": 0}, ValueError, "top_p: expected a number > 0 and <= 1, got 0"),
        ({"top_p": 1.01}, ValueError, "top_p: expected a number > 0 and <= 1, got 1.01"),
        ({"top_p": math.nan}, ValueError, "top_p: expected .* got nan"),
        ({"top_p": "0.9"}, TypeError, "top_p: expected a number, got '0.9'"),
        ({"temperature": 0}, ValueError, "temperature: expected a number > 0, got 0"),
        ({"generator": 7}, TypeError, "generator: expected a torch.Generator, got int"),
    ],
)
def test_bad_options_are_refused(options, error, message):
    everything = {"generator": torch.Generator(), **options}
    with pytest.raises(error, match=message):
        sample(LOGITS, **everything)
    with pytest.raises(error, match=message):
        sampled(Copier(), *ONE, max_length=5, **everything)


def test_a_length_below_one_is_refused():
    with pytest.raises(ValueError, match="max_length: expected an integer of at least 1, got 0"):
        sequences(Copier(), max_length=0)
