"""Shift and wiring, of chapter 05: the library's own functions, words of a report."""

from collections.abc import Callable

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from bottomup.attention.torch_weights import from_torch
from bottomup.data import BOS, EOS, PAD, make_batch
from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from tests.drawn import seeded
from tests.exercises.trials.verdicts import is_plain

CROSS_ATTENTION_WIRING = catalog()["cross-attention-wiring"]
SHIFT_RIGHT = catalog()["shift-right"]


# ---- Shift right


@given(st.lists(st.lists(st.integers(4, 30), max_size=7), min_size=1, max_size=5))
def test_the_shift_is_that_of_the_library_s_batches(sentences: list[list[int]]):
    width = max(map(len, sentences))
    rows = [sentence + [PAD] * (width - len(sentence)) for sentence in sentences]
    target = torch.tensor(rows, dtype=torch.int64).reshape(len(rows), width)
    batch = make_batch([([5], sentence) for sentence in sentences])
    read, answered = SHIFT_RIGHT.solution(target, BOS, EOS, PAD)
    assert read.equal(batch.target_in)
    assert answered.equal(batch.target_out)


def test_the_rows_have_names_in_a_report():
    def without_target_out(*inputs):
        return SHIFT_RIGHT.solution(*inputs)[0]

    def in_another_order(*inputs):
        return [rows.flip(0) for rows in SHIFT_RIGHT.solution(*inputs)]

    expected = "It returned a tensor, expected 2 tensors: target_in, target_out."
    assert is_plain(SHIFT_RIGHT, without_target_out, expected)
    assert is_plain(SHIFT_RIGHT, in_another_order, "In target_in: ")


def test_the_unshifted_answer_is_told_what_generation_does():
    message = examine(SHIFT_RIGHT, SHIFT_RIGHT.mistakes[0].answers[0]).message
    assert "answers with the token it reads, so it writes BOS for ever" in message


# ---- The wiring of a decoder layer


def test_the_wiring_is_that_of_torch_s_decoder_layer():
    theirs = torch.nn.TransformerDecoderLayer(
        6, 2, 11, dropout=0.0, batch_first=True, norm_first=True, dtype=torch.float64
    )
    torch.nn.init.zeros_(theirs.linear2.weight)  # its feed-forward network adds nothing
    torch.nn.init.zeros_(theirs.linear2.bias)
    generator = seeded(5)
    x, memory = (torch.randn(2, n, 6, generator=generator, dtype=torch.float64) for n in (3, 5))
    target_mask = torch.ones(3, 3, dtype=torch.bool).tril().expand(2, 3, 3)
    source_mask = torch.tensor([[[True] * 5], [[True, True, False, False, False]]])

    def as_function(attention: torch.nn.MultiheadAttention) -> Callable[..., Tensor]:
        ours = from_torch(attention)
        return lambda query, key, value, mask: ours(query, key, value, mask)[0]

    stream = CROSS_ATTENTION_WIRING.solution(
        x, memory, target_mask, source_mask,
        as_function(theirs.self_attn), as_function(theirs.multihead_attn),
        theirs.norm1, theirs.norm2,
    )  # fmt: skip
    expected = theirs(
        x, memory, tgt_mask=~target_mask[0], memory_key_padding_mask=~source_mask[:, 0]
    )
    torch.testing.assert_close(stream, expected, rtol=0, atol=1e-12)


def test_two_attentions_that_have_changed_places_are_told_so():
    def answer(*inputs):
        streams, (attend, cross_attend), norms = inputs[:4], inputs[4:6], inputs[6:]
        return CROSS_ATTENTION_WIRING.solution(*streams, cross_attend, attend, *norms)

    message = examine(CROSS_ATTENTION_WIRING, answer).message
    assert "or the two have changed places" in message
