"""The wiring of a block: values by hand, the library's layer and torch's, typical slips."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from bottomup.blocks.encoder_layer import EncoderLayer
from bottomup.exercises import catalog
from tests.drawn import global_seed
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

RESIDUAL_WIRING = catalog()["residual-wiring"]


def test_the_stream_in_both_wirings_of_four_functions():
    # pre: 4 + 3 (4 / 2) = 10, then 10 + (10 / 5 + 1)
    assert expected_of(RESIDUAL_WIRING, 0).item() == 13
    # post: (4 + 12) / 2 = 8, then (8 + 9) / 5
    assert expected_of(RESIDUAL_WIRING, 1).item() == pytest.approx(17 / 5)


def test_a_report_shows_the_functions_by_their_texts():
    text = repr(report_on(RESIDUAL_WIRING, lambda x, *others: x))
    assert "attend:\n  '3 x'" in text
    assert "norm_2:\n  'x / 5'" in text


@pytest.mark.parametrize("kind", ["pre", "post"])
def test_the_solution_wires_like_the_library_s_layer_and_torch_s(kind: str):
    with global_seed(0):
        layer = EncoderLayer(8, 2, 11, norm=kind).double()
        theirs = nn.TransformerEncoderLayer(
            8, 2, 11, dropout=0.0, batch_first=True, norm_first=kind == "pre", dtype=torch.float64
        )
        x = torch.randn(2, 5, 8, dtype=torch.float64)
    ours = RESIDUAL_WIRING.solution(
        x,
        lambda x: layer.attention(x, x, x)[0],
        layer.feed_forward,
        layer.around_attention.norm,
        layer.around_feed_forward.norm,
        kind,
    )
    torch.testing.assert_close(ours, layer(x)[0])
    by_parts = RESIDUAL_WIRING.solution(
        x,
        lambda x: theirs.self_attn(x, x, x, need_weights=False)[0],
        lambda x: theirs.linear2(theirs.linear1(x).relu()),
        theirs.norm1,
        theirs.norm2,
        kind,
    )
    torch.testing.assert_close(by_parts, theirs(x))


Wiring = Callable[..., Tensor]


def pre_norm(x, attend, mlp, norm_1, norm_2):
    x = x + attend(norm_1(x))
    return x + mlp(norm_2(x))


def post_norm(x, attend, mlp, norm_1, norm_2):
    x = norm_1(x + attend(x))
    return norm_2(x + mlp(x))


def block(pre: Wiring = pre_norm, post: Wiring = post_norm) -> Callable[..., Tensor]:
    def answer(x, attend, mlp, norm_1, norm_2, kind):
        wiring = pre if kind == "pre" else post
        return wiring(x, attend, mlp, norm_1, norm_2)

    return answer


def stream_overwritten(x, attend, mlp, norm_1, norm_2):
    x = norm_1(x)
    x = x + attend(x)
    x = norm_2(x)
    return x + mlp(x)


def result_under_another_name(x, attend, mlp, norm_1, norm_2):
    h = x + attend(norm_1(x))
    return x + mlp(norm_2(h))


def result_unused(x, attend, mlp, norm_1, norm_2):
    h = x + attend(norm_1(x))  # noqa: F841
    return x + mlp(norm_2(x))


def updates_side_by_side(x, attend, mlp, norm_1, norm_2):
    return x + attend(norm_1(x)) + mlp(norm_2(x))


def update_passed_on(x, attend, mlp, norm_1, norm_2):
    update = attend(norm_1(x))
    return x + update + mlp(norm_2(update))


def skip_forgotten_once(x, attend, mlp, norm_1, norm_2):
    x = attend(norm_1(x))
    return x + mlp(norm_2(x))


def no_skip(x, attend, mlp, norm_1, norm_2):
    return mlp(norm_2(attend(norm_1(x))))


def one_norm_at_the_end(x, attend, mlp, norm_1, norm_2):
    x = x + attend(x)
    return norm_2(x + mlp(x))


def norm_at_the_end_of_a_pre_norm_block(x, attend, mlp, norm_1, norm_2):
    return norm_2(pre_norm(x, attend, mlp, norm_1, norm_2))


def norm_of_the_update(x, attend, mlp, norm_1, norm_2):
    x = x + norm_1(attend(x))
    return x + norm_2(mlp(x))


def post_without_the_second_skip(x, attend, mlp, norm_1, norm_2):
    x = norm_1(x + attend(x))
    return norm_2(mlp(x))


def post_from_the_input(x, attend, mlp, norm_1, norm_2):
    return norm_2(x + mlp(norm_1(x + attend(x))))


def one_norm(x, attend, mlp, norm_1, norm_2):
    return pre_norm(x, attend, mlp, norm_1, norm_1)


def sandwich(x, attend, mlp, norm_1, norm_2):
    x = x + norm_1(attend(norm_1(x)))
    return x + norm_2(mlp(norm_2(x)))


def one_skip_around_the_block(x, attend, mlp, norm_1, norm_2):
    return x + mlp(norm_2(attend(norm_1(x))))


def one_skip_around_the_post_norm_block(x, attend, mlp, norm_1, norm_2):
    h = norm_1(attend(x))
    return norm_2(x + mlp(h))


def one_skip_and_one_norm(x, attend, mlp, norm_1, norm_2):
    return norm_2(mlp(attend(x)) + x)


def sum_of_the_updates(x, attend, mlp, norm_1, norm_2):
    read = attend(norm_1(x))
    looked_up = mlp(norm_2(x + read))
    return read + looked_up


def post_norm_change(x, attend, mlp, norm_1, norm_2):
    return post_norm(x, attend, mlp, norm_1, norm_2) - x


def last_update(x, attend, mlp, norm_1, norm_2):
    x = x + attend(norm_1(x))
    return mlp(norm_2(x))


def last_post_norm_update(x, attend, mlp, norm_1, norm_2):
    x = norm_1(x + attend(x))
    return mlp(x)


WIRING_SLIPS = {
    "one-skip-for-both": [
        block(pre=one_skip_around_the_block),
        block(post=one_skip_around_the_post_norm_block),
        block(one_skip_around_the_block, one_skip_around_the_post_norm_block),
        block(post=one_skip_and_one_norm),
        block(one_skip_around_the_block, one_skip_and_one_norm),
    ],
    "update-returned": [
        block(pre=sum_of_the_updates),
        block(sum_of_the_updates, post_norm_change),
        block(last_update, last_post_norm_update),
        block(post=last_post_norm_update),
    ],
    "skip-missing": [
        block(pre=last_update),
        block(pre=skip_forgotten_once),
        block(pre=no_skip),
        block(post=post_without_the_second_skip),
    ],
    "kinds-exchanged": block(pre=post_norm, post=pre_norm),
    "pre-norm-always": block(post=pre_norm),
    "post-norm-always": block(pre=post_norm),
    "stream-normalised": block(pre=stream_overwritten),
    "second-skip-from-the-input": [
        block(pre=result_under_another_name),
        block(post=post_from_the_input),
    ],
    "attention-lost": block(pre=result_unused),
    "mlp-reads-the-input": block(pre=updates_side_by_side),
    "mlp-reads-the-update": block(pre=update_passed_on),
    "norm-missing": block(post=one_norm_at_the_end),
    "update-normalised": [
        block(pre=norm_of_the_update),
        block(post=norm_of_the_update),
        block(norm_of_the_update, norm_of_the_update),
        block(pre=sandwich),
    ],
    "one-norm-for-both": block(pre=one_norm),
    "mlp-first": lambda x, attend, mlp, norm_1, norm_2, kind: block()(
        x, mlp, attend, norm_1, norm_2, kind
    ),
    "norms-exchanged": lambda x, attend, mlp, norm_1, norm_2, kind: block()(
        x, attend, mlp, norm_2, norm_1, kind
    ),
    "norm-before-and-after": lambda x, attend, mlp, norm_1, norm_2, kind: norm_2(
        (h := norm_1(x + attend(norm_1(x)))) + mlp(norm_2(h))
    ),
}


def test_a_final_norm_in_a_pre_norm_block_is_told_where_it_belongs():
    report = report_on(RESIDUAL_WIRING, block(pre=norm_at_the_end_of_a_pre_norm_block))
    assert report.misconception == "norm-before-and-after"
    assert "stands behind the last block, not at the end of each" in report.message


@wrong_answers(WIRING_SLIPS)
def test_a_slip_of_the_wiring_is_named(wrong, mistake: str):
    assert named(RESIDUAL_WIRING, wrong) == mistake


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (block(pre=lambda x, attend, mlp, norm_1, norm_2: x + attend(norm_1(x))), "differs"),
        (block(pre=lambda *inputs: 0.5 * pre_norm(*inputs)), "differs"),
        (block(pre=stream_overwritten, post=one_norm_at_the_end), "differs"),
        (
            lambda x, attend, mlp, norm_1, norm_2, kind: x + attend(x, x, x),
            "Your function raised TypeError",
        ),
        (
            lambda x, attend, mlp, norm_1, norm_2, kind: (
                pre_norm(x, attend, mlp, norm_1, norm_2) if kind == "pre" else None
            ),
            "It returned None",
        ),
    ],
)
def test_another_wiring_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    report = report_on(RESIDUAL_WIRING, answer)
    assert report.status == "failed"
    assert report.misconception is None
    assert sentence in report.message
    assert "of 12 cases agree with the solution" in report.message


def test_a_stream_written_in_place_is_told():
    def answer(x, attend, mlp, norm_1, norm_2, kind):
        if kind == "post":
            return post_norm(x, attend, mlp, norm_1, norm_2)
        x += attend(norm_1(x))
        x += mlp(norm_2(x))
        return x

    assert "changes its input x in place" in report_on(RESIDUAL_WIRING, answer).message
