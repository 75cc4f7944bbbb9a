"""Shift and wiring, of chapter 05: values by hand, the library's own functions, typical slips."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from bottomup.attention.torch_weights import from_torch
from bottomup.data import BOS, EOS, PAD, make_batch
from bottomup.exercises import catalog
from tests.drawn import seeded
from tests.exercises.trials.verdicts import expected_of, is_plain, named, report_on, wrong_answers

CROSS_ATTENTION_WIRING = catalog()["cross-attention-wiring"]
SHIFT_RIGHT = catalog()["shift-right"]


# ---- Shift right


def test_two_sentences_are_shifted():
    read, answered = expected_of(SHIFT_RIGHT, 0)
    assert read.tolist() == [[1, 5, 6, 7], [1, 8, 0, 0]]
    assert answered.tolist() == [[5, 6, 7, 2], [8, 2, 0, 0]]


def test_zero_may_be_a_token():
    read, answered = expected_of(SHIFT_RIGHT, 3)
    assert read.tolist() == [[1, 4, 0, 3, 9, 9], [1, 0, 5, 9, 9, 9]]
    assert answered.tolist() == [[4, 0, 3, 2, 9, 9], [0, 5, 2, 9, 9, 9]]


@given(st.lists(st.lists(st.integers(4, 30), max_size=7), min_size=1, max_size=5))
def test_the_shift_is_that_of_the_library_s_batches(sentences: list[list[int]]):
    width = max(map(len, sentences))
    rows = [sentence + [PAD] * (width - len(sentence)) for sentence in sentences]
    target = torch.tensor(rows, dtype=torch.int64).reshape(len(rows), width)
    batch = make_batch([([5], sentence) for sentence in sentences])
    read, answered = SHIFT_RIGHT.solution(target, BOS, EOS, PAD)
    assert read.equal(batch.target_in)
    assert answered.equal(batch.target_out)


def columns(target: Tensor, *numbers: int) -> list[Tensor]:
    return [target.new_full((target.shape[0], 1), number) for number in numbers]


def with_specials_around(target: Tensor, bos: int, eos: int) -> Tensor:
    start, end = columns(target, bos, eos)
    return torch.hstack([start, target, end])


def one_mask_slot(target: Tensor, bos: int, eos: int, pad: int) -> tuple[Tensor, Tensor]:
    """As a model with a fixed width does it: T5's shift."""
    read = torch.zeros_like(target)
    read[:, 1:], read[:, 0] = target[:, :-1], bos
    return read, target


def rolled(target: Tensor, bos: int, eos: int, pad: int) -> tuple[Tensor, Tensor]:
    _read, answered = SHIFT_RIGHT.solution(target, bos, eos, pad)
    read = answered.roll(1, dims=1)
    read[:, 0] = bos
    return read, answered


def end_over_the_last_token(target: Tensor, bos: int, eos: int, pad: int) -> tuple[Tensor, Tensor]:
    start, filling = columns(target, bos, pad)
    answered = torch.hstack([target, filling])
    answered[torch.arange(len(target)), (target != pad).sum(1) - 1] = eos
    return torch.hstack([start, target]), answered


def rolled_left(
    target: Tensor, bos: int, eos: int, pad: int, *, ended: bool = False
) -> tuple[Tensor, Tensor]:
    read = torch.hstack([*columns(target, bos), target])
    answered = read.roll(-1)  # in the whole batch, a row's first goes behind the row before
    if ended:
        answered[torch.arange(len(target)), (target != pad).sum(1)] = eos
    return read, answered


def both_filled_with_eos(target: Tensor, bos: int, eos: int, pad: int) -> tuple[Tensor, Tensor]:
    start, end = columns(target, bos, eos)
    answered = torch.hstack([target, end])
    return torch.hstack([start, target]), torch.where(answered == pad, eos, answered)


def ended_at(
    target: Tensor, bos: int, eos: int, pad: int, *, rows: Any, lengths: Tensor
) -> tuple[Tensor, Tensor]:
    start, filling = columns(target, bos, pad)
    answered = torch.hstack([target, filling])
    answered[rows, lengths] = eos
    return torch.hstack([start, target]), answered


def nothing_cut(target: Tensor, bos: int, eos: int, pad: int) -> tuple[Tensor, Tensor]:
    _read, answered = SHIFT_RIGHT.solution(target, bos, eos, pad)
    start, filling = columns(target, bos, pad)
    return torch.hstack([start, answered]), torch.hstack([answered, filling])


SHIFT_SLIPS = {
    "eos-at-the-lengths-of-all": lambda t, b, e, p: ended_at(
        t, b, e, p, rows=slice(None), lengths=(t != p).sum(1)
    ),
    "full-row-without-padding": lambda t, b, e, p: ended_at(
        t, b, e, p, rows=torch.arange(len(t)), lengths=(t == p).int().argmax(1)
    ),
    "one-place-too-wide": [
        nothing_cut,
        lambda t, b, e, p: (nothing_cut(t, b, e, p)[0], SHIFT_RIGHT.solution(t, b, e, p)[1]),
    ],
    "eos-behind-the-padding": lambda t, b, e, p: (
        with_specials_around(t, b, e)[:, :-1],
        with_specials_around(t, b, e)[:, 1:],
    ),
    "dropped-from-the-wrong-side": lambda *inputs: SHIFT_RIGHT.solution(*inputs)[::-1],
    "unshifted": [
        lambda t, b, e, p: SHIFT_RIGHT.solution(t, b, e, p)[:1] * 2,
        lambda t, b, e, p: SHIFT_RIGHT.solution(t, b, e, p)[1:] * 2,
        lambda t, b, e, p: (t, t),
    ],
    "bos-and-eos-exchanged": lambda t, b, e, p: SHIFT_RIGHT.solution(t, e, b, p),
    "padding-as-bos": lambda t, b, e, p: SHIFT_RIGHT.solution(t, p, e, p),
    "eos-as-bos": lambda t, b, e, p: SHIFT_RIGHT.solution(t, e, e, p),
    "eos-missing": [lambda t, b, e, p: SHIFT_RIGHT.solution(t, b, p, p), one_mask_slot],
    "special-numbers-fixed": lambda t, b, e, p: SHIFT_RIGHT.solution(t, 1, 2, 0),
    "no-room-for-eos": lambda t, b, e, p: [x[:, :-1] for x in SHIFT_RIGHT.solution(t, b, e, p)],
    "bos-missing": [
        lambda t, b, e, p: (t, SHIFT_RIGHT.solution(t, b, e, p)[1][:, 1:]),
        lambda t, b, e, p: (t, t.roll(-1, 1)),
    ],
    "shifted-left": lambda t, b, e, p: (
        SHIFT_RIGHT.solution(t, b, e, p)[1].roll(-1, 1),
        SHIFT_RIGHT.solution(t, b, e, p)[1],
    ),
    "last-token-overwritten": end_over_the_last_token,
    "bos-rolled-round": [rolled_left, lambda t, b, e, p: rolled_left(t, b, e, p, ended=True)],
    "eos-in-the-input": rolled,
    "eos-as-padding": both_filled_with_eos,
}


@wrong_answers(SHIFT_SLIPS)
def test_a_slip_of_the_shift_is_named(wrong, mistake: str):
    assert named(SHIFT_RIGHT, wrong) == mistake


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda t, b, e, p: t, "It returned a tensor, expected 2 tensors"),
        (lambda *inputs: [x.float() for x in SHIFT_RIGHT.solution(*inputs)], "has dtype"),
        (lambda *inputs: [x.flip(0) for x in SHIFT_RIGHT.solution(*inputs)], "In target_in: "),
        (lambda t, b, e, p: SHIFT_RIGHT.solution(t + 1, b, e, p), "In target_in: "),
    ],
)
def test_another_shift_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(SHIFT_RIGHT, answer, sentence)


def test_the_first_padding_of_a_row_with_its_column_of_pad_is_its_end():
    def answer(target: Tensor, bos: int, eos: int, pad: int) -> tuple[Tensor, Tensor]:
        wide = torch.hstack([target, *columns(target, pad)])
        ends = (wide == pad).int().argmax(1)
        return ended_at(target, bos, eos, pad, rows=torch.arange(len(target)), lengths=ends)

    assert report_on(SHIFT_RIGHT, answer).passed


def test_the_unshifted_answer_is_told_what_generation_does():
    message = report_on(SHIFT_RIGHT, lambda t, b, e, p: (t, t)).message
    assert "answers with the token it reads, so it writes BOS for ever" in message


# ---- The wiring of a decoder layer


def test_two_positions_read_the_prefix_then_the_source():
    # own 1 2; 1 + 10 + 100 and 2 + 15 + 150 are added: 113 and 171, or 114 and 172 after norm_2;
    # the memory 3 5 has the mean 4
    expected = [[[113 + 114 + 440], [171 + 172 + 440]]]
    assert expected_of(CROSS_ATTENTION_WIRING, 0).tolist() == expected


def test_a_padded_source_position_is_not_read():
    expected = [[[113 + 114 + 330], [171 + 172 + 330]]]
    assert expected_of(CROSS_ATTENTION_WIRING, 1).tolist() == expected


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


def wired(second: str, first: str = "x + attend(own, own, own, target_mask)") -> Any:
    """An answer as a reader may write it; `own`, `asks` and `start` are streams in it."""
    namespace: dict[str, Any] = {}
    lines = (
        "def two_attentions(x, memory, target_mask, source_mask,",
        "                   attend, cross_attend, norm_1, norm_2):",
        "    start, own = x, norm_1(x)",
        f"    x = {first}",
        "    asks = norm_2(x)",
        f"    return {second}",
    )
    exec("\n".join(lines), namespace)
    return namespace["two_attentions"]


RIGHT = "x + cross_attend(asks, memory, memory, source_mask)"


def test_the_reader_s_wiring_passes_unchanged():
    assert report_on(CROSS_ATTENTION_WIRING, wired(RIGHT)).passed


def test_two_attentions_that_have_changed_places_are_told_so():
    def answer(*inputs: Any) -> Tensor:
        streams, (attend, cross_attend), norms = inputs[:4], inputs[4:6], inputs[6:]
        return CROSS_ATTENTION_WIRING.solution(*streams, cross_attend, attend, *norms)

    report = report_on(CROSS_ATTENTION_WIRING, answer)
    assert report.misconception == "one-attention-for-both"
    assert "or the two have changed places" in report.message


WIRING_SLIPS = {
    "mask-inverted": "x + cross_attend(asks, memory, memory, ~source_mask)",
    "keys-and-values-from-the-decoder": [
        "x + cross_attend(asks, asks, asks, source_mask)",
        "x + cross_attend(asks, asks, asks, target_mask)",
        "x + cross_attend(asks, asks, asks, None)",
        "x + cross_attend(asks, memory, asks, source_mask)",
    ],
    "query-from-the-encoder": [
        "x + cross_attend(memory, asks, asks, source_mask)",
        "x + cross_attend(memory, asks, asks, None)",
        "x + cross_attend(memory, memory, memory, source_mask)",
    ],
    "memory-normalised": "x + cross_attend(asks, norm_2(memory), norm_2(memory), source_mask)",
    "source-mask-missing": [
        "x + cross_attend(asks, memory, memory, None)",
        "x + cross_attend(asks, memory, memory)",
        "x + cross_attend(asks, memory, memory, source_mask | True)",
    ],
    "target-mask-in-cross-attention": [
        "x + cross_attend(asks, memory, memory, target_mask)",
        "x + cross_attend(asks, memory, memory, target_mask & source_mask)",
    ],
    "one-attention-for-both": "x + attend(asks, memory, memory, source_mask)",
    "query-not-normalised": "x + cross_attend(x, memory, memory, source_mask)",
    "norms-exchanged": "x + cross_attend(norm_1(x), memory, memory, source_mask)",
    "beside-each-other": [
        "x + cross_attend(own, memory, memory, source_mask)",
        "start + cross_attend(asks, memory, memory, source_mask)",
    ],
    "skip-from-the-normalised-stream": "asks + cross_attend(asks, memory, memory, source_mask)",
    "skip-omitted": "cross_attend(asks, memory, memory, source_mask)",
}


@wrong_answers(WIRING_SLIPS)
def test_a_slip_of_cross_attention_is_named(wrong, mistake: str):
    assert named(CROSS_ATTENTION_WIRING, wired(wrong)) == mistake


@wrong_answers(
    {
        "source-mask-in-self-attention": "x + attend(own, own, own, source_mask)",
        "target-mask-missing": "x + attend(own, own, own, None)",
        "skip-omitted": "attend(own, own, own, target_mask)",
        "query-not-normalised": [
            "x + attend(x, x, x, target_mask)",
            "x + attend(own, x, x, target_mask)",
            "x + attend(x, own, own, target_mask)",
        ],
        "value-not-normalised": "x + attend(own, own, x, target_mask)",
        "one-attention-for-both": "x + cross_attend(own, own, own, target_mask)",
        "beside-each-other": "x",
    }
)
def test_a_slip_of_self_attention_is_named(wrong, mistake: str):
    assert named(CROSS_ATTENTION_WIRING, wired(RIGHT, wrong)) == mistake


def test_the_attentions_in_the_other_order_are_named():
    first = "x + cross_attend(own, memory, memory, source_mask)"
    second = "x + attend(asks, asks, asks, target_mask)"
    assert named(CROSS_ATTENTION_WIRING, wired(second, first)) == "cross-attention-first"


@pytest.mark.parametrize(
    "second, sentence",
    [
        ("x", "values differ"),
        ("x + cross_attend(asks, memory, memory, source_mask).relu()", "values differ"),
        ("cross_attend(memory, asks)", "TypeError"),
    ],
)
def test_another_wiring_gets_a_plain_report(second: str, sentence: str):
    assert is_plain(CROSS_ATTENTION_WIRING, wired(second), sentence)
