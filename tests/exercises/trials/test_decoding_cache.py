"""One more token with a cache, of chapter 06: in one go, words of a report."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from tests.exercises.trials.verdicts import expected_of, is_plain

KV_CACHE_APPEND = catalog()["kv-cache-append"]


@pytest.mark.parametrize("case", [2, 5, 7])
def test_the_outputs_are_those_of_causal_attention_over_all_tokens(case: int):
    inputs = KV_CACHE_APPEND.cases[case].inputs.values()
    tokens, positions, W_Q, W_K, W_V, keys, values, length = inputs
    x = tokens + positions[length : length + tokens.shape[1]]
    query = x @ W_Q.T
    keys = torch.cat([keys[:, :length], x @ W_K.T], 1)
    values = torch.cat([values[:, :length], x @ W_V.T], 1)
    allowed = torch.ones(query.shape[1], keys.shape[1], dtype=torch.bool).tril(length)
    whole = F.scaled_dot_product_attention(query, keys, values, allowed)
    torch.testing.assert_close(torch.stack(expected_of(KV_CACHE_APPEND, case)["output"], 1), whole)


@pytest.mark.parametrize(
    "change, sentence",
    [
        (lambda output, length: output, "It returned a tensor, expected a tensor and a number"),
        (lambda output, length: (length, output), "It returned a number, a tensor, expected"),
        (
            lambda output, length: (output[:, None], length),
            "In the output of token 1: The result has shape",
        ),
        (lambda output, length: (output, length + 0.5), "It returned a tensor, a number, expected"),
    ],
)
def test_what_is_no_output_with_a_length_is_told_so(change: Callable[..., Any], sentence: str):
    def answer(*inputs: Any) -> Any:
        return change(*KV_CACHE_APPEND.solution(*inputs))

    assert is_plain(KV_CACHE_APPEND, answer, sentence)


def test_a_position_added_in_place_changes_the_word():
    def in_place(x, positions, W_Q, W_K, W_V, keys, values, length):
        x += positions[length]
        zero = torch.zeros_like(positions)
        return KV_CACHE_APPEND.solution(x, zero, W_Q, W_K, W_V, keys, values, length)

    report = examine(KV_CACHE_APPEND, in_place)
    assert "changes its input x (token after token) in place" in report.message
