"""Two exercises of chapter 03: the library's own functions, and what a report says."""

from torch import Tensor

from bottomup import attention
from bottomup.exercises import catalog
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.evidence import AT_A_GLANCE
from tests.attention.heads import multi_head_attention

MULTI_HEAD_ATTENTION = catalog()["multi-head-attention"]
SPLIT_MERGE_HEADS = catalog()["split-merge-heads"]


def test_the_library_s_split_and_merge_pass():
    report = examine(
        SPLIT_MERGE_HEADS,
        lambda x, heads, h: (attention.split_heads(x, h), attention.merge_heads(heads)),
    )
    assert report.passed, report


def by_library(query, key, value, W_Q, W_K, W_V, W_O, num_heads, mask=None):
    maps = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O}
    return multi_head_attention(query, key, value, mask, num_heads=num_heads, **maps)


def test_the_library_s_attention_passes():
    assert examine(MULTI_HEAD_ATTENTION, by_library).passed


def test_the_root_of_the_width_of_the_values_is_shown_on_a_small_case():
    mistakes = {mistake.slug: mistake for mistake in MULTI_HEAD_ATTENTION.mistakes}
    report = examine(MULTI_HEAD_ATTENTION, mistakes["root-of-d-value"].answers[0])
    shown = next(case for case in MULTI_HEAD_ATTENTION.cases if case.name == report.case)
    assert sum(x.numel() for x in shown.inputs.values() if isinstance(x, Tensor)) <= AT_A_GLANCE


def test_the_report_says_which_tensor_differs():
    def answer(*inputs):
        output, weights = by_library(*inputs)
        return output, weights + 1

    assert "In weights: " in repr(examine(MULTI_HEAD_ATTENTION, answer))
    report = examine(MULTI_HEAD_ATTENTION, lambda *inputs: by_library(*inputs)[0])
    assert "It returned a tensor, expected 2 tensors: output, weights." in repr(report)
    report = examine(MULTI_HEAD_ATTENTION, lambda *inputs: (by_library(*inputs)[0],))
    assert "It returned 1 value, expected 2 tensors: output, weights." in repr(report)
