"""Scaled embeddings and the position probe, of chapter 05: values by hand, typical slips."""

from collections.abc import Callable
from math import sqrt
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from bottomup.exercises import catalog
from tests.exercises.trials.verdicts import expected_of, is_plain, named, report_on, wrong_answers

RESIDUAL_POSITION_PROBE = catalog()["residual-position-probe"]
SCALED_EMBEDDING = catalog()["scaled-embedding"]


# ---- Scaled embeddings


def test_two_tokens_of_width_four_are_doubled():
    # rows 2 and 0 times sqrt(4), plus 0 1 0 1 and 0.5 0.5 0.5 0.5
    assert expected_of(SCALED_EMBEDDING, 0).tolist() == [[[10, 1, 10, 1], [2.5, 4.5, 6.5, 8.5]]]


def test_the_third_token_gets_the_third_row():
    assert expected_of(SCALED_EMBEDDING, 1).tolist() == [[[19, 18, 19, 18]]]


@given(st.integers(0, 4))
def test_a_sentence_read_in_two_parts_gets_the_same_vectors(split: int):
    tokens, embedding, positions, _start = SCALED_EMBEDDING.cases[2].fresh().inputs.values()
    whole = SCALED_EMBEDDING.solution(tokens, embedding, positions, 0)
    parts = [
        SCALED_EMBEDDING.solution(tokens[:, :split], embedding, positions, 0),
        SCALED_EMBEDDING.solution(tokens[:, split:], embedding, positions, split),
    ]
    assert torch.cat(parts, dim=1).equal(whole)


def by_module(tokens: Tensor, embedding: Tensor, positions: Tensor, start: int) -> Tensor:
    table = nn.Embedding.from_pretrained(embedding, freeze=False)
    return table(tokens) * sqrt(table.embedding_dim) + positions[start:][: tokens.size(1)]


def in_place(tokens: Tensor, embedding: Tensor, positions: Tensor, start: int) -> Tensor:
    embedding *= sqrt(embedding.shape[1])
    return embedding[tokens] + positions[start : start + tokens.shape[1]]


EMBEDDING_SLIPS = {
    "not-scaled": lambda t, e, p, s: e[t] + p[s : s + t.shape[1]],
    "root-missing": lambda t, e, p, s: e[t] * e.shape[1] + p[s : s + t.shape[1]],
    "divided": lambda t, e, p, s: e[t] / sqrt(e.shape[1]) + p[s : s + t.shape[1]],
    "sum-scaled": lambda t, e, p, s: (e[t] + p[s : s + t.shape[1]]) * sqrt(e.shape[1]),
    "positions-scaled": lambda t, e, p, s: e[t] + p[s : s + t.shape[1]] * sqrt(e.shape[1]),
    "root-of-another-size": lambda t, e, p, s: e[t] * sqrt(len(e)) + p[s : s + t.shape[1]],
    "positions-missing": lambda t, e, p, s: e[t] * sqrt(e.shape[1]),
    "start-ignored": lambda t, e, p, s: e[t] * sqrt(e.shape[1]) + p[: t.shape[1]],
    "one-position-for-all": lambda t, e, p, s: e[t] * sqrt(e.shape[1]) + p[s],
    "position-of-the-token-number": lambda t, e, p, s: e[t] * sqrt(e.shape[1]) + p[t],
    "position-of-the-sentence": lambda t, e, p, s: (
        e[t] * sqrt(e.shape[1]) + p[: t.size(0)].unsqueeze(1)
    ),
    "as-many-rows-as-sentences": lambda t, e, p, s: e[t] * sqrt(e.shape[1]) + p[s : s + t.size(0)],
    "slice-ends-too-early": [
        lambda t, e, p, s: e[t] * sqrt(e.shape[1]) + p[s : t.shape[1]],
        lambda t, e, p, s: e[t] * sqrt(e.shape[1]) + p[s : s + t.shape[1] - 1],
    ],
    "positions-from-one": lambda t, e, p, s: (
        e[t] * sqrt(e.shape[1]) + p[s + 1 : s + 1 + t.shape[1]]
    ),
}


@wrong_answers(EMBEDDING_SLIPS)
def test_a_slip_of_the_embedding_is_named(wrong, mistake: str):
    assert named(SCALED_EMBEDDING, wrong) == mistake


def test_a_slice_that_ends_too_early_is_told_its_end():
    report = report_on(
        SCALED_EMBEDDING, lambda t, e, p, s: e[t] * sqrt(e.shape[1]) + p[s : t.shape[1]]
    )
    assert "The slice must end at start + length." in report.message


def test_a_table_scaled_in_place_is_told():
    assert "changes its input embedding" in report_on(SCALED_EMBEDDING, in_place).message


def test_a_table_wrapped_in_a_module_learns_nothing():
    # from_pretrained makes a parameter of its own, so the gradient never reaches the input
    report = report_on(SCALED_EMBEDDING, by_module)
    assert report.misconception is None
    assert "no gradient leads back from them to embedding" in repr(report)


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda t, e, p, s: e[t] * e.std() + p[s : s + t.shape[1]], "values differ"),
        (lambda t, e, p, s: e[t] * p[s : s + t.shape[1]], "values differ"),
        (lambda t, e, p, s: e[t].mT, "has shape"),
    ],
)
def test_another_embedding_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(SCALED_EMBEDDING, answer, sentence)


# ---- The ablation that decides


def test_attention_s_skip_is_compared_with_the_mlp_s_held_fixed():
    pairs, effect = expected_of(RESIDUAL_POSITION_PROBE, 0)
    assert pairs.tolist() == [[0, 1], [2, 3]]
    assert effect.tolist() == pytest.approx([0.7, 0.7])


def test_with_positions_in_every_layer_the_skip_hardly_matters():
    pairs, effect = expected_of(RESIDUAL_POSITION_PROBE, 1)
    assert pairs.tolist() == [[0, 1], [2, 3], [5, 4]]
    assert effect.tolist() == pytest.approx([0.7, 0.7, 0.02], abs=1e-6)


def test_the_control_itself_is_a_deciding_pair_too():
    pairs, effect = expected_of(RESIDUAL_POSITION_PROBE, 2)
    assert pairs.tolist() == [[4, 1], [5, 0]]
    assert effect.tolist() == pytest.approx([0.75, 0.07])


def test_where_no_pair_decides_there_is_no_effect():
    pairs, effect = expected_of(RESIDUAL_POSITION_PROBE, 5)
    assert (tuple(pairs.shape), tuple(effect.shape)) == ((0, 2), (0,))


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=11))
def test_every_deciding_pair_differs_in_the_part_alone(settings: list[tuple[bool, ...]]):
    switches = torch.tensor(settings)
    pairs, _effect = RESIDUAL_POSITION_PROBE.solution(switches, torch.zeros(len(settings)), 1)
    expected = [
        [i, j]
        for i, having in enumerate(settings)
        for j, lacking in enumerate(settings)
        if having[1] and lacking == (having[0], False, having[2])
    ]
    assert pairs.tolist() == expected


def by_comparing(
    *,
    decides: Callable[[Any, Any, int], bool] = lambda a, b, part: (
        a[part] and [k for k in range(len(a)) if a[k] != b[k]] == [part]
    ),
    effect: Callable[[Tensor, Tensor], Tensor] = lambda having, lacking: having - lacking,
) -> Callable[..., tuple[Tensor, Tensor]]:
    """An answer as a reader may write it, with one thing to change."""

    def answer(switches: Tensor, accuracy: Tensor, part: int) -> tuple[Tensor, Tensor]:
        rows = switches.tolist()
        runs = range(len(rows))
        found = [(i, j) for i in runs for j in runs if decides(rows[i], rows[j], part)]
        pairs = torch.tensor(found, dtype=torch.long).view(-1, 2)
        return pairs, effect(accuracy[pairs[:, 0]], accuracy[pairs[:, 1]])

    return answer


def differing(a: list[bool], b: list[bool]) -> list[int]:
    return [k for k in range(len(a)) if a[k] != b[k]]


def by_lists(
    *,
    finish: Callable[[Tensor], Any] = lambda effect: effect,
    dtype: torch.dtype | None = None,
    axes: tuple[int, ...] | None = None,
) -> Callable[..., tuple[Tensor, Any]]:
    """An answer whose pairs are a list: without any, the tensor has one axis."""

    def answer(switches: Tensor, accuracy: Tensor, part: int) -> tuple[Tensor, Any]:
        rows = switches.tolist()
        found, effects = [], []
        for i, a in enumerate(rows):
            for j, b in enumerate(rows):
                if a[part] and differing(a, b) == [part]:
                    found.append([i, j])
                    effects.append(float(accuracy[i] - accuracy[j]))
        pairs = torch.tensor(found, dtype=dtype)
        pairs = pairs if axes is None else pairs.reshape(axes)
        return pairs, finish(torch.tensor(effects, dtype=accuracy.dtype))

    return answer


def test_a_list_with_two_columns_but_without_a_dtype_is_named():
    report = report_on(RESIDUAL_POSITION_PROBE, by_lists(axes=(-1, 2)))
    assert report.misconception == "empty-without-columns"
    assert "dtype=torch.int64" in report.message


def in_another_order(switches: Tensor, accuracy: Tensor, part: int) -> tuple[Tensor, Tensor]:
    pairs, effect = RESIDUAL_POSITION_PROBE.solution(switches, accuracy, part)
    order = sorted(range(len(pairs)), key=lambda row: pairs[row].flip(0).tolist())
    return pairs[order], effect[order]


def test_lists_with_two_columns_pass():
    assert report_on(RESIDUAL_POSITION_PROBE, by_lists(dtype=torch.int64, axes=(-1, 2))).passed


@pytest.mark.parametrize("dtype", [None, torch.int64])
def test_no_pairs_without_columns_are_named(dtype: torch.dtype | None):
    report = report_on(RESIDUAL_POSITION_PROBE, by_lists(dtype=dtype))
    assert report.misconception == "empty-without-columns"
    assert "`.reshape(-1, 2)`" in report.message
    assert "no pair decides" in repr(report)


def mean_of_list(effect: Tensor) -> float:
    return sum(effect.tolist()) / len(effect)


@pytest.mark.parametrize("axes", [None, (-1, 2)])
@pytest.mark.parametrize("finish", [torch.mean, lambda effect: effect.mean().item(), mean_of_list])
def test_one_mean_is_named(finish: Callable[[Tensor], Any], axes: tuple[int, ...] | None):
    answer = by_lists(finish=finish, dtype=torch.int64, axes=axes)
    assert named(RESIDUAL_POSITION_PROBE, answer) == "averaged-over-pairs"


def between_all_runs(switches: Tensor, accuracy: Tensor, part: int) -> tuple[Tensor, Tensor]:
    pairs, _effect = RESIDUAL_POSITION_PROBE.solution(switches, accuracy, part)
    return pairs, accuracy[switches[:, part]].mean() - accuracy[~switches[:, part]].mean()


PROBE_SLIPS = {
    "both-runs-have-the-part": by_comparing(
        decides=lambda a, b, part: a[part] and len(differing(a, b)) == 1
    ),
    "confounded": by_comparing(decides=lambda a, b, part: a[part] and not b[part]),
    "another-part-switched": by_comparing(decides=lambda a, b, part: len(differing(a, b)) == 1),
    "whole-model-only": by_comparing(
        decides=lambda a, b, part: all(a) and differing(a, b) == [part]
    ),
    "every-pair-twice": by_comparing(decides=lambda a, b, part: differing(a, b) == [part]),
    "direction-reversed": [
        by_comparing(decides=lambda a, b, part: b[part] and differing(a, b) == [part]),
        by_comparing(effect=lambda having, lacking: lacking - having),
    ],
    "size-without-sign": by_comparing(effect=lambda having, lacking: (lacking - having).abs()),
    "ratio": by_comparing(effect=lambda having, lacking: having / lacking),
    "averaged-over-pairs": [
        by_comparing(effect=lambda having, lacking: (having - lacking).mean()),
        between_all_runs,
    ],
    "sorted-by-the-second": in_another_order,
}


def test_the_reader_s_loops_pass_unchanged():
    assert report_on(RESIDUAL_POSITION_PROBE, by_comparing()).passed


@wrong_answers(PROBE_SLIPS)
def test_a_slip_of_the_choice_is_named(wrong, mistake: str):
    assert named(RESIDUAL_POSITION_PROBE, wrong) == mistake


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda s, a, part: a[s[:, part]].mean() - a[~s[:, part]].mean(), "expected 2 tensors"),
        (by_comparing(effect=lambda having, lacking: having), "In effect: "),
        (by_comparing(decides=lambda a, b, part: a == b), "In pairs: "),
    ],
)
def test_another_comparison_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(RESIDUAL_POSITION_PROBE, answer, sentence)
