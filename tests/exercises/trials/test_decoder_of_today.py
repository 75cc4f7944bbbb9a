"""The exercises of chapter 10b: values by hand, what else they are equal to, typical slips."""

import math

import pytest
import torch
from torch import Tensor

from bottomup.attention import alibi_bias, grouped_attention, sliding_window_mask
from bottomup.blocks import layer_norm, rotate_positions
from bottomup.exercises import catalog
from tests.drawn import randn
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

ROTARY = catalog()["rotary-step"]
GROUPED = catalog()["grouped-queries"]
NORM = catalog()["rms-norm"]


# ---- One step with rotary positions


def test_a_step_with_one_pair_by_hand():
    output, keys, values = expected_of(ROTARY, 0)
    cos, sin = math.cos(1), math.sin(1)
    torch.testing.assert_close(keys, torch.tensor([[3, 0], [-2 * sin, 2 * cos]]))
    assert values.tolist() == [[0, 20], [10, 0]]
    # the turned query (cos, sin) scores 3 cos with the first key and 0 with its own
    first = math.exp(3 * cos / math.sqrt(2))
    expected = torch.tensor([10.0, 20 * first]) / (first + 1)
    torch.testing.assert_close(output, expected)


def test_steps_one_after_another_are_one_causal_pass():
    n, d_head, base = 7, 6, 50.0
    Q, K, V = (randn(n, d_head, seed=seed).float() for seed in range(3))
    keys, values, said = K[:0], V[:0], []
    for q, k, v in zip(Q, K, V, strict=True):
        output, keys, values = ROTARY.solution(q, k, v, keys, values, base)
        said.append(output)
    torch.testing.assert_close(keys, rotate_positions(K, base=base), rtol=1e-4, atol=1e-5)
    scores = rotate_positions(Q, base=base) @ rotate_positions(K, base=base).T / d_head**0.5
    ahead = torch.ones(n, n, dtype=torch.bool).triu(1)
    expected = scores.masked_fill(ahead, -torch.inf).softmax(dim=-1) @ V
    torch.testing.assert_close(torch.stack(said), expected, rtol=1e-4, atol=1e-5)


def loops(query, key, value, keys, values, base, *, n=0, turns=("query", "key"), sign=1):
    """The step with loops over pairs, as someone would write it who avoids slices."""
    d_head = len(query)
    given = {"query": query.clone(), "key": key.clone(), "value": value.clone()}
    for name in turns:
        x = given[name]
        for i in range(0, len(x), 2):
            angle = sign * (len(keys) + n) / base ** (i / len(x))
            a, b = float(x[i]), float(x[i + 1])
            x[i] = a * math.cos(angle) - b * math.sin(angle)
            x[i + 1] = a * math.sin(angle) + b * math.cos(angle)
    keys, values = torch.vstack([keys, given["key"]]), torch.vstack([values, given["value"]])
    weights = torch.softmax(keys @ given["query"] / math.sqrt(d_head), 0)
    return weights @ values, keys, values


def test_loops_over_pairs_are_right():
    assert report_on(ROTARY, loops).passed


@wrong_answers(
    {
        "values-turned": {"turns": ("query", "key", "value")},
        "queries-not-turned": {"turns": ("key",)},
        "keys-not-turned": {"turns": ("query",)},
        "nothing-turned": {"turns": ()},
        "one-position-off": [{"n": 1}, {"n": -1}],
        "turned-backwards": {"sign": -1},
    }
)
def test_slips_of_a_step_are_named(wrong, mistake):
    assert named(ROTARY, lambda *given: loops(*given, **wrong)) == mistake


def test_a_reader_who_follows_half_of_the_world_is_told_so():
    def as_in_llama(query, key, value, keys, values, base):
        d_head = len(query)
        angles = len(keys) * base ** (-torch.arange(0, d_head, 2) / d_head)
        cos, sin = torch.cat([angles, angles]).cos(), torch.cat([angles, angles]).sin()

        def half(x: Tensor) -> Tensor:
            return torch.cat([-x[d_head // 2 :], x[: d_head // 2]])

        query, key = query * cos + half(query) * sin, key * cos + half(key) * sin
        keys, values = torch.cat([keys, key[None]]), torch.cat([values, value[None]])
        return (keys @ query / d_head**0.5).softmax(0) @ values, keys, values

    assert named(ROTARY, as_in_llama) == "halves-for-neighbours"


# ---- Grouped queries


def test_grouped_means_by_hand():
    read = expected_of(GROUPED, 0)
    assert read[..., 0].tolist() == [[0, 1], [0, 1], [10, 20], [10, 20], [100, 300], [100, 300]]


@pytest.mark.parametrize("case", range(len(GROUPED.cases)))
def test_grouped_queries_are_the_package_s(case: int):
    query, key, value = GROUPED.cases[case].fresh().inputs.values()
    read, _ = grouped_attention(query, key, value, sliding_window_mask(query.shape[1]))
    torch.testing.assert_close(expected_of(GROUPED, case), read)


@wrong_answers(
    {
        "copies-in-turns": lambda K, each: K.repeat(each, 1, 1),
        "groups-taken-for-heads-per-group": lambda K, each: K[
            torch.arange(each * len(K)) // len(K) % len(K)
        ],
        "one-group-for-all": [
            lambda K, each: K[:1].expand(each * len(K), -1, -1),
            lambda K, each: K.mean(dim=0).expand(each * len(K), -1, -1),
        ],
    }
)
def test_copies_for_the_wrong_heads_are_named(wrong, mistake):
    def grouped(query, key, value):
        each = len(query) // len(key)
        return torch.nn.functional.scaled_dot_product_attention(
            query, wrong(key, each), wrong(value, each), is_causal=True
        )

    assert named(GROUPED, grouped) == mistake


@wrong_answers(
    {
        "one-mask-for-folded-heads": lambda x: x.masked_fill(
            torch.arange(x.shape[2]) > torch.arange(x.shape[1])[:, None], -torch.inf
        ),
        "zeros-for-minus-infinity": lambda x: (
            x * (torch.arange(x.shape[2]) <= torch.arange(x.shape[1])[:, None] % x.shape[2])
        ),
    }
)
def test_slips_of_the_mask_are_named(wrong, mistake):
    def folded(query, key, value):
        asked = query.reshape(len(key), -1, query.shape[2])
        scores = torch.einsum("gqd,gkd->gqk", asked, key) / math.sqrt(key.shape[2])
        return (wrong(scores).softmax(-1) @ value).reshape(*query.shape[:2], value.shape[2])

    assert named(GROUPED, folded) == mistake


# ---- RMSNorm


def test_the_norm_by_hand():
    first, second = expected_of(NORM, 0)[0]
    root_3, root_15 = math.sqrt(3), math.sqrt(15)
    torch.testing.assert_close(
        first, torch.tensor([1, 20, -2]).double() / root_3, rtol=1e-4, atol=0
    )
    torch.testing.assert_close(
        second, torch.tensor([0, 30, 6]).double() / root_15, rtol=1e-4, atol=0
    )


def test_layer_norm_in_its_place_is_named():
    assert named(NORM, lambda x, gain: layer_norm(x, gain, 0 * gain)) == "mean-subtracted"


@wrong_answers(
    {
        "sum-for-mean": lambda x: x.pow(2).sum(-1, keepdim=True).add(1e-5).sqrt(),
        "epsilon-outside-the-root": lambda x: x.pow(2).mean(-1, keepdim=True).sqrt() + 1e-5,
        "root-missing": lambda x: x.pow(2).mean(-1, keepdim=True) + 1e-5,
        "over-another-axis": lambda x: x.pow(2).mean(1, keepdim=True).add(1e-5).sqrt(),
        "epsilon-missing": lambda x: x.pow(2).mean(-1, keepdim=True).sqrt().clamp(min=1e-30),
    }
)
def test_slips_of_the_norm_are_named(wrong, mistake):
    assert named(NORM, lambda x, gain: gain * x / wrong(x)) == mistake


# ---- Linear biases and windows


def test_scores_with_linear_biases_are_the_library_s():
    query, key = randn(4, 5, 7), randn(4, 5, 7, seed=1)
    bias = alibi_bias(4, 5)
    expected = query @ key.mT / math.sqrt(7) + bias
    expected = expected.masked_fill(~sliding_window_mask(5), -math.inf)
    torch.testing.assert_close(catalog()["linear-biases"].solution(query, key), expected)


@pytest.mark.parametrize("n, width, sinks, first", [(7, 3, 2, 0), (11, 2, 0, 5), (5, 7, 1, 4)])
def test_a_window_is_the_library_s(n: int, width: int, sinks: int, first: int):
    found = catalog()["sliding-window"].solution(n, width, sinks, first)
    assert torch.equal(found, sliding_window_mask(n, width, sinks=sinks, first=first))
