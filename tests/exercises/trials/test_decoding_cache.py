"""One more token with a cache, of chapter 06: by hand, in one go, typical slips."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from bottomup.exercises import catalog
from bottomup.exercises.decoding.kv_cache_append import TOKENS
from tests.exercises.trials.verdicts import expected_of, is_plain, named, report_on, wrong_answers

KV_CACHE_APPEND = catalog()["kv-cache-append"]


def test_the_mean_of_the_values_so_far():
    result = expected_of(KV_CACHE_APPEND, 0)
    assert [output.item() for output in result["output"]] == [11.0, 16.5, 22.0]
    assert result["length"] == 3
    assert result["values"].flatten().tolist() == [11.0, 22.0, 33.0, 100.0]
    assert result["keys"].flatten().tolist() == [2.75, 5.5, 8.25, 100.0]


def test_the_query_weighs_two_keys():
    # words with positions 2 and 4; keys 4 x (1/2, 1), query 4 x 2: scores 2 and 4 after the root
    weight = torch.sigmoid(torch.tensor(2.0)).item()
    result = expected_of(KV_CACHE_APPEND, 1)
    assert result["output"][0].item() == 2.0
    assert result["output"][1].item() == pytest.approx(2 * (1 - weight) + 4 * weight)


@pytest.mark.parametrize("case", [2, 5, 7])
def test_the_outputs_are_those_of_causal_attention_over_all_tokens(case: int):
    given = KV_CACHE_APPEND.cases[case].inputs
    tokens, length = given[TOKENS], given["length"]
    x = tokens + given["positions"][length : length + tokens.shape[1]]
    query = x @ given["W_Q"].T
    keys = torch.cat([given["keys"][:, :length], x @ given["W_K"].T], 1)
    values = torch.cat([given["values"][:, :length], x @ given["W_V"].T], 1)
    allowed = torch.ones(query.shape[1], keys.shape[1], dtype=torch.bool).tril(length)
    whole = F.scaled_dot_product_attention(query, keys, values, allowed)
    torch.testing.assert_close(torch.stack(expected_of(KV_CACHE_APPEND, case)["output"], 1), whole)


def raised_first(x, positions, W_Q, W_K, W_V, keys, values, length):
    length += 1
    x = x + positions[length]
    keys[:, length], values[:, length] = x @ W_K.T, x @ W_V.T
    scores = (x @ W_Q.T)[:, None] @ keys[:, : length + 1].mT / keys.shape[-1] ** 0.5
    return (scores.softmax(-1) @ values[:, : length + 1])[:, 0], length


def raised_first_with_the_right_position(x, positions, W_Q, W_K, W_V, keys, values, length):
    x = x + positions[length]
    length += 1
    keys[:, length], values[:, length] = x @ W_K.T, x @ W_V.T
    scores = (x @ W_Q.T)[:, None] @ keys[:, :length].mT / keys.shape[-1] ** 0.5
    return (scores.softmax(-1) @ values[:, :length])[:, 0], length


def grown_by_cat(x, positions, W_Q, W_K, W_V, keys, values, length):
    x = x + positions[length]
    keys = torch.cat([keys[:, :length], (x @ W_K.T)[:, None]], dim=1)
    values = torch.cat([values[:, :length], (x @ W_V.T)[:, None]], dim=1)
    return F.scaled_dot_product_attention((x @ W_Q.T)[:, None], keys, values)[:, 0], length + 1


def written_to_a_copy(x, positions, W_Q, W_K, W_V, keys, values, length):
    return KV_CACHE_APPEND.solution(
        x, positions, W_Q, W_K, W_V, keys.clone(), values.clone(), length
    )


def with_torch(**flags: Any) -> Callable[..., Any]:
    def answer(x, positions, W_Q, W_K, W_V, keys, values, length):
        x = x + positions[length]
        keys[:, length], values[:, length] = x @ W_K.T, x @ W_V.T
        return F.scaled_dot_product_attention((x @ W_Q.T)[:, None], keys, values, **flags)[
            :, 0
        ], length + 1

    return answer


def softmax_then_cut(x, positions, W_Q, W_K, W_V, keys, values, length):
    x = x + positions[length]
    keys[:, length], values[:, length] = x @ W_K.T, x @ W_V.T
    weights = torch.softmax((x @ W_Q.T)[:, None] @ keys.mT / keys.shape[-1] ** 0.5, dim=-1)
    length += 1
    return (weights[..., :length] @ values[:, :length]).squeeze(1), length


def first_positions(x, positions, *rest):
    """As a module that adds positions[:x.shape[1]] to a sequence of one token."""
    return KV_CACHE_APPEND.solution(x, positions[:1].expand_as(positions), *rest)


def attends_before_writing(x, positions, W_Q, W_K, W_V, keys, values, length):
    x = x + positions[length]
    output = F.scaled_dot_product_attention(
        (x @ W_Q.T)[:, None], keys[:, :length], values[:, :length]
    )
    keys[:, length], values[:, length] = x @ W_K.T, x @ W_V.T
    return output[:, 0], length + 1


def appended_at_the_end(x, positions, W_Q, W_K, W_V, keys, values, length):
    x = x + positions[length]
    keys[:, -1], values[:, -1] = x @ W_K.T, x @ W_V.T
    return with_torch()(x, torch.zeros_like(positions), W_Q, W_K, W_V, keys, values, length)


def without_returning_length(*inputs):
    return KV_CACHE_APPEND.solution(*inputs)[0], inputs[-1]


def placed(parts: str) -> Callable[..., Any]:
    """The position is added for these of query, key and value."""

    def answer(x, positions, W_Q, W_K, W_V, keys, values, length):
        with_position = x + positions[length]
        q, k, v = (with_position if part in parts else x for part in "qkv")
        keys[:, length], values[:, length] = k @ W_K.T, v @ W_V.T
        length += 1
        scores = (q @ W_Q.T)[:, None] @ keys[:, :length].mT / keys.shape[-1] ** 0.5
        return (scores.softmax(-1) @ values[:, :length])[:, 0], length

    return answer


CACHE_SLIPS = {
    "position-not-in-all-three": [placed("qk"), placed("kv"), placed("k")],
    "every-token-at-position-zero": [placed(""), first_positions],
    "written-one-row-late": [raised_first, raised_first_with_the_right_position],
    "new-row-not-kept": [grown_by_cat, written_to_a_copy],
    "unfilled-rows-read": [with_torch(), softmax_then_cut],
    "is-causal-with-one-query": with_torch(is_causal=True),
    "own-key-missing": attends_before_writing,
    "cache-not-advanced": without_returning_length,
}


@wrong_answers(CACHE_SLIPS)
def test_a_slip_with_the_cache_is_named(wrong, mistake: str):
    assert named(KV_CACHE_APPEND, wrong) == mistake


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (appended_at_the_end, "In the output of token 1: "),
        (with_torch(scale=1.0), "In the output of token 1: The value differs"),
        (
            lambda *inputs: KV_CACHE_APPEND.solution(*inputs)[0],
            "It returned a tensor, expected a tensor and a number",
        ),
        (
            lambda *inputs: KV_CACHE_APPEND.solution(*inputs)[::-1],
            "It returned a number, a tensor, expected",
        ),
        (
            lambda *inputs: (
                KV_CACHE_APPEND.solution(*inputs)[0][:, None],
                inputs[-1] + 1,
            ),
            "In the output of token 1: The result has shape",
        ),
    ],
)
def test_another_cache_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(KV_CACHE_APPEND, answer, sentence)


def test_a_position_added_in_place_changes_the_word():
    def in_place(x, positions, W_Q, W_K, W_V, keys, values, length):
        x += positions[length]
        zero = torch.zeros_like(positions)
        return KV_CACHE_APPEND.solution(x, zero, W_Q, W_K, W_V, keys, values, length)

    report = report_on(KV_CACHE_APPEND, in_place)
    assert "changes its input x (token after token) in place" in report.message


def test_a_length_may_be_a_tensor():
    def counted(*inputs):
        output, length = KV_CACHE_APPEND.solution(*inputs)
        return output, torch.as_tensor(length)

    assert report_on(KV_CACHE_APPEND, counted).passed
