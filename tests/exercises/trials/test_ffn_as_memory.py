"""The feed-forward network as a memory: the library's, and the words of a report."""

import pytest
import torch

from bottomup.blocks import FeedForward
from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import is_plain

FFN_AS_MEMORY = catalog()["ffn-as-memory"]


@pytest.mark.parametrize("case", FFN_AS_MEMORY.cases, ids=lambda case: case.name)
def test_the_stream_is_x_plus_the_library_s_feed_forward_network(case):
    x, *maps = case.fresh().inputs.values()
    names = ("W_in.weight", "W_in.bias", "W_out.weight", "W_out.bias")
    network = FeedForward(x.shape[-1], len(maps[0])).to(x)
    network.load_state_dict(dict(zip(names, maps, strict=True)))
    _, stream = FFN_AS_MEMORY.solution(x, *maps)
    torch.testing.assert_close(stream, x + network(x))


def test_a_report_says_in_which_tensor_the_difference_is():
    def answer(*inputs):
        added, stream = FFN_AS_MEMORY.solution(*inputs)
        return added.sum(1), stream

    sentence = "In added: The result has shape (2, 2), expected (2, 3, 2)."
    assert is_plain(FFN_AS_MEMORY, answer, sentence)
