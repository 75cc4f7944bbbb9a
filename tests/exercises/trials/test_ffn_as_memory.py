"""The feed-forward network as a memory: values by hand, the library's, typical slips."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.blocks import FeedForward
from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import expected_of, is_plain, named, report_on, wrong_answers

FFN_AS_MEMORY = catalog()["ffn-as-memory"]


def test_what_three_neurons_add_at_two_positions():
    added, stream = expected_of(FFN_AS_MEMORY, 0)
    # activations: 2 + 1, 0 and 2 + 1 - 1 at position 1; 0 + 1, 1 and 0 at position 2
    assert added.tolist() == [[[3, 0], [0, 0], [6, 20]], [[1, 0], [0, 2], [0, 0]]]
    # x + the sum + (0, 100)
    assert stream.tolist() == [[2 + 9, -1 + 20 + 100], [0 + 1, 1 + 2 + 100]]


def test_where_no_neuron_answers_the_second_bias_is_added():
    added, stream = expected_of(FFN_AS_MEMORY, 1)
    assert added.count_nonzero() == 0
    assert stream.tolist() == [[11, 20], [10, 21]]


@pytest.mark.parametrize("case", FFN_AS_MEMORY.cases, ids=lambda case: case.name)
def test_the_stream_is_x_plus_the_library_s_feed_forward_network(case):
    x, *maps = case.fresh().inputs.values()
    names = ("W_in.weight", "W_in.bias", "W_out.weight", "W_out.bias")
    network = FeedForward(x.shape[-1], len(maps[0])).to(x)
    network.load_state_dict(dict(zip(names, maps, strict=True)))
    _, stream = FFN_AS_MEMORY.solution(x, *maps)
    torch.testing.assert_close(stream, x + network(x))


def memory(
    *,
    answers: Callable[[Tensor, Tensor, Tensor], Tensor] = lambda x, W, b: F.relu(F.linear(x, W, b)),
    values: Callable[[Tensor, Tensor], Tensor] = lambda W_in, W_out: W_out.t(),
    total: Callable[[Tensor, Tensor, Tensor], Tensor] = lambda x, added, b: x + added.sum(-2) + b,
) -> Callable[..., tuple[Tensor, Tensor]]:
    """An answer as a reader may write it, with one thing to change."""

    def answer(x, W_in, b_in, W_out, b_out):
        added = answers(x, W_in, b_in).unsqueeze(2) * values(W_in, W_out).unsqueeze(0)
        return added, total(x, added, b_out)

    return answer


def test_the_reader_s_memory_passes_unchanged():
    assert report_on(FFN_AS_MEMORY, memory()).passed


def neurons_before_positions(x, W_in, b_in, W_out, b_out):
    activations = F.relu(F.linear(x, W_in, b_in))
    added = torch.stack([torch.outer(a, v) for a, v in zip(activations.T, W_out.T)])  # noqa: B905
    return added, x + added.sum(0) + b_out


MEMORY_SLIPS = {
    "non-linearity-omitted": memory(answers=lambda x, W, b: F.linear(x, W, b)),
    "softmax-over-the-neurons": [
        memory(answers=lambda x, W, b: F.softmax(x @ W.T / x.shape[1] ** 0.5, dim=-1)),
        memory(answers=lambda x, W, b: F.softmax(F.linear(x, W, b), dim=-1)),
    ],
    "first-bias-missing": memory(answers=lambda x, W, b: F.relu(F.linear(x, W))),
    "first-bias-after-the-relu": memory(answers=lambda x, W, b: F.relu(F.linear(x, W)) + b),
    "non-linearity-before-the-keys": memory(answers=lambda x, W, b: F.linear(F.relu(x), W, b)),
    "another-non-linearity": [
        memory(answers=lambda x, W, b: F.gelu(F.linear(x, W, b))),
        memory(answers=lambda x, W, b: F.linear(x, W, b).sigmoid()),
    ],
    "scaled-like-attention": memory(
        answers=lambda x, W, b: F.relu(F.linear(x, W) / x.shape[1] ** 0.5 + b)
    ),
    "open-or-shut": memory(answers=lambda x, W, b: (F.linear(x, W, b) > 0).to(x.dtype)),
    "keys-matched-over-the-sequence": [
        memory(answers=lambda x, W, b: F.relu(F.linear(x.mean(0, True), W, b)).repeat(len(x), 1)),
        memory(answers=lambda x, W, b: F.relu(x.t() @ W.t() + b)),
    ],
    "columns-of-the-first-map": memory(answers=lambda x, W, b: F.relu(x @ W + b)),
    "rows-of-the-second-map": [
        memory(values=lambda W_in, W_out: W_out),
        memory(values=lambda W_in, W_out: W_out.view(W_in.shape)),
    ],
    "keys-as-values": memory(values=lambda W_in, W_out: W_in),
    "skip-omitted": [
        memory(total=lambda x, added, b: added.sum(1) + b),
        memory(total=lambda x, added, b: added.sum(1)),
    ],
    "second-bias-missing": memory(total=lambda x, added, b: x + added.sum(1)),
    "second-bias-for-every-neuron": [
        memory(total=lambda x, added, b: x + (added + b).sum(1)),
        memory(total=lambda x, added, b: x + (added + b).sum(1) + b),
    ],
    "skip-for-every-neuron": memory(total=lambda x, added, b: (x[:, None] + added).sum(1) + b),
    "averaged-over-the-neurons": memory(total=lambda x, added, b: x + added.mean(1) + b),
    "summed-over-the-positions": memory(total=lambda x, added, b: x + added.sum(0) + b),
    "second-non-linearity": memory(total=lambda x, added, b: F.relu(x + added.sum(1) + b)),
    "results-exchanged": lambda *inputs: memory()(*inputs)[::-1],
    "neurons-before-positions": neurons_before_positions,
}


@wrong_answers(MEMORY_SLIPS)
def test_a_slip_of_the_memory_is_named(wrong, mistake: str):
    assert named(FFN_AS_MEMORY, wrong) == mistake


@wrong_answers(
    {
        "values-as-keys": lambda x, W_in, b_in, W_out, b_out: (x, W_out.T, b_in, W_out, b_out),
        "keys-as-values": lambda x, W_in, b_in, W_out, b_out: (x, W_in, b_in, W_in.T, b_out),
        "both-biases-missing": lambda x, W_in, b_in, W_out, b_out: (
            x,
            W_in,
            0 * b_in,
            W_out,
            0 * b_out,
        ),
    }
)
def test_a_wrong_map_in_the_right_formula_is_named(mistake: str, wrong):
    assert named(FFN_AS_MEMORY, lambda *inputs: memory()(*wrong(*inputs))) == mistake


@pytest.mark.parametrize("once_more", [True, False])
@pytest.mark.parametrize("shared", [True, False])
def test_a_second_bias_among_what_the_neurons_add_is_named(once_more: bool, shared: bool):
    def answer(x, W_in, b_in, W_out, b_out):
        answers = F.relu(x @ W_in.T + b_in)
        part = b_out / len(W_in) if shared else b_out
        added = torch.einsum("pk,dk->pkd", answers, W_out) + part
        stream = x + added.sum(1)
        return added, stream + b_out if once_more else stream

    assert named(FFN_AS_MEMORY, answer) == "second-bias-for-every-neuron"


@pytest.mark.parametrize("through_relu", [F.relu, lambda scores: scores.clamp(min=0)])
def test_activations_without_the_values_are_named(through_relu: Callable[[Tensor], Tensor]):
    def answer(x, W_in, b_in, W_out, b_out):
        activations = through_relu(F.linear(x, W_in, b_in))
        return activations, x + F.linear(activations, W_out, b_out)

    assert named(FFN_AS_MEMORY, answer) == "activations-alone"


def test_a_linear_memory_without_a_skip_is_named_for_neither():
    change = {
        "answers": lambda x, W, b: F.linear(x, W, b),
        "total": lambda x, added, b: added.sum(1) + b,
    }
    assert is_plain(FFN_AS_MEMORY, memory(**change), "In added: ")


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda *inputs: memory()(*inputs)[1], "It returned a tensor, expected 2 tensors"),
        (lambda *inputs: (memory()(*inputs)[0].sum(1), memory()(*inputs)[1]),
         "In added: The result has shape (2, 2), expected (2, 3, 2)."),
        (memory(answers=lambda x, W, b: F.linear(x, W, b).square()), "In added: "),
        (memory(total=lambda x, added, b: F.layer_norm(x + added.sum(1) + b, b.shape)),
         "In stream: "),
    ],
)  # fmt: skip
def test_another_memory_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(FFN_AS_MEMORY, answer, sentence)
