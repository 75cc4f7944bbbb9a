"""The exercises of chapter 09: what else they are equal to, and what a report says."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.attention import MultiHeadAttention, scaled_dot_product_attention
from bottomup.exercises import catalog
from bottomup.exercises.circuits.induction_by_hand.cases import read_texts
from bottomup.exercises.engine.checking import examine
from tests.drawn import seeded

MAPS = catalog()["qk-and-ov"]
BY_HAND = catalog()["induction-by-hand"]
PATCH = catalog()["patch-one-head"]
SPLIT = catalog()["direct-attribution"]


# ---- A head as two maps


@pytest.mark.parametrize("case", range(len(MAPS.cases)))
def test_the_two_maps_do_what_the_head_does(case: int):
    given = MAPS.cases[case].fresh().inputs
    head, heads = given["head"], given["num_heads"]
    parameters = {name: x.double() for name, x in given.items() if isinstance(x, Tensor)}
    widths = {"d_head": len(given["W_Q"]) // heads, "d_value": len(given["W_V"]) // heads}
    d_model = given["W_Q"].shape[1]
    with torch.random.fork_rng(devices=[]):
        module = MultiHeadAttention(d_model, heads, **widths).double()
    state = {f"W_{c}.weight": parameters[f"W_{c}"] for c in "QKVO"}
    state |= {f"W_{c}.bias": parameters[f"b_{c}"] for c in "QKV"}
    state["W_O.bias"] = torch.zeros(d_model)
    module.load_state_dict(state)
    x = torch.randn(2, 5, d_model, generator=seeded(0)).double()
    on = torch.arange(heads) == head
    output, weights = module(x, x, x, head_mask=on)
    W_QK, W_OV = MAPS.solution(*({**given, **parameters}).values())
    ones = F.pad(x, (0, 1), value=1.0)
    ours = (ones @ W_QK @ ones.mT).softmax(dim=-1)
    torch.testing.assert_close(ours, weights[:, head], rtol=0, atol=1e-9)
    torch.testing.assert_close(ours @ ones @ W_OV, output, rtol=0, atol=1e-8)


# ---- The circuit by hand


@pytest.mark.parametrize("text", ["abcbdbc", "aebebdc", "abbbbbb"])
def test_the_answer_is_the_share_of_what_followed(text: str):
    maps = BY_HAND.solution(5, len(text), 60.0)
    answers = read_texts(maps, [text], 5)[0]
    for i in range(1, len(text)):
        after = [text[j] for j in range(1, i + 1) if text[j - 1] == text[i]]
        if after:
            shares = [after.count(letter) / len(after) for letter in "abcde"]
            assert answers[i].tolist() == pytest.approx(shares, abs=1e-12)


def test_without_a_begin_symbol_the_first_place_answers_too():
    answers = read_texts(BY_HAND.solution(4, 4, 60.0), ["bcdb"], 4)[0]
    assert answers[3].tolist() == pytest.approx([0, 1 / 2, 1 / 2, 0])  # c came next, b itself


def test_a_layer_is_what_the_library_s_attention_does():
    maps, rows = BY_HAND.solution(3, 4, 2.0), torch.tensor([0, 1, 2, 1])
    x = torch.cat([F.one_hot(rows, 3), torch.zeros(4, 6), torch.eye(4)], dim=-1).double()[None]
    for QK, OV in (maps[:2], maps[2:]):
        query = x @ QK.double() * x.shape[-1] ** 0.5
        read, _ = scaled_dot_product_attention(query, x, x, causal=True)
        x = x + read @ OV.double()
    torch.testing.assert_close(read_texts(maps, ["abcb"], 3), x[..., 6:9], rtol=0, atol=1e-9)


def test_maps_of_another_size_are_told_so():
    report = examine(BY_HAND, lambda symbols, positions, beta: (torch.eye(3),) * 4)
    assert "QK_0: expected [d_model, d_model], d_model=13, got (3, 3)" in report.message
    report = examine(BY_HAND, lambda symbols, positions, beta: torch.eye(3))
    assert "a tensor, expected four tensors: QK_0, OV_0, QK_1, OV_1" in report.message


def test_the_first_wrong_answer_of_a_text_is_told():
    report = examine(BY_HAND, lambda *given: tuple(2 * x for x in BY_HAND.solution(*given)))
    assert report.mistake is None
    assert "After a the slot answer holds 2 0 0, expected 1 0 0" in report.message


# ---- Patch one head


def test_one_way_back_says_less_than_the_other():
    """Either of two heads is enough: nothing breaks, and each brings back everything."""
    clean, corrupted = torch.ones(1, 2, 1, 1), torch.zeros(1, 2, 1, 1)
    rest = (torch.tensor([[True]]), 0, torch.ones(1, 2), torch.zeros(1))

    def either(output: Tensor) -> Tensor:
        return output.clamp(max=1).sum(dim=(1, 2))

    assert PATCH.solution(clean, corrupted, *rest, either).tolist() == [1]
    assert PATCH.solution(corrupted, clean, *rest, either).tolist() == [0]


# ---- Direct attribution


@pytest.mark.parametrize("case", range(len(SPLIT.cases)))
def test_the_shares_and_the_rest_add_up(case: int):
    parts, gain, bias, W_U, b_U, right, wrong = (
        x.double() if x.is_floating_point() else x
        for x in SPLIT.cases[case].fresh().inputs.values()
    )
    contributions, rest = SPLIT.solution(parts, gain, bias, W_U, b_U, right, wrong)
    logits = F.layer_norm(parts.sum(0), gain.shape, gain, bias) @ W_U.T + b_U
    difference = logits.gather(1, right[:, None]) - logits.gather(1, wrong[:, None])
    torch.testing.assert_close(contributions.sum(0) + rest, difference[:, 0], rtol=1e-9, atol=1e-9)


def test_the_differing_result_is_named():
    def rest_three_times(*given):
        contributions, rest = SPLIT.solution(*given)
        return contributions, 3 * rest

    report = examine(SPLIT, rest_three_times)
    assert report.mistake is None
    assert "In rest: " in repr(report)
