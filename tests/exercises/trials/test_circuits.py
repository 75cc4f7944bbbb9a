"""The exercises of chapter 09: values by hand, what else they are equal to, typical slips."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from bottomup.attention import MultiHeadAttention, scaled_dot_product_attention
from bottomup.exercises import catalog
from bottomup.exercises.circuits.induction_by_hand import read_texts
from bottomup.exercises.circuits.patch_one_head import METRICS
from tests.drawn import seeded
from tests.exercises.trials.verdicts import expected_of, named, report_on, wrong_answers

MAPS = catalog()["qk-and-ov"]
COPYING = catalog()["copying-score"]
PREFIX = catalog()["prefix-matching-score"]
BY_HAND = catalog()["induction-by-hand"]
PATCH = catalog()["patch-one-head"]
SPLIT = catalog()["direct-attribution"]


# ---- A head as two maps


def test_the_two_maps_of_a_head_of_width_one():
    W_QK, W_OV = expected_of(MAPS, 0)
    # (1, 2, 3) of the query times (1, 0, 2) of the key; (0, 1, 5) of the value times (1, 3)
    assert W_QK.tolist() == [[1, 0, 2], [2, 0, 4], [3, 0, 6]]
    assert W_OV.tolist() == [[0, 0], [1, 3], [5, 15]]


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


def maps_of_the_model_s_width(head, num_heads, W_Q, b_Q, W_K, b_K, W_V, b_V, W_O):
    width = W_Q.shape[1] // num_heads
    own = torch.arange(head * width, (head + 1) * width).tolist()
    own = [place for place in own if place < min(len(W_Q), len(W_V))]
    Q, K, V = (torch.cat([W, b[:, None]], 1)[own] for W, b in ((W_Q, b_Q), (W_K, b_K), (W_V, b_V)))
    return Q.T @ K / width**0.5, V.T @ W_O[:, own].T


def maps(head, num_heads, W_Q, b_Q, W_K, b_K, W_V, b_V, W_O, root=None, bias=True):
    def rows(W, b):
        return F.pad(W, (0, 1)) if not bias else torch.cat([W, b[:, None]], dim=1)

    Q, K, V = (
        rows(W, b).unflatten(0, (num_heads, -1))[head]
        for W, b in ((W_Q, b_Q), (W_K, b_K), (W_V, b_V))
    )
    root = len(Q) if root is None else root(W_Q)
    return Q.T @ K / root**0.5, V.T @ W_O.unflatten(1, (num_heads, -1))[:, head].T


def test_rows_by_unflatten_pass():
    assert report_on(MAPS, maps).passed


@wrong_answers(
    {
        "biases-left-out": lambda *given: maps(*given, bias=False),
        "another-root": [
            lambda *given: maps(*given, root=lambda W: W.shape[1]),
            lambda *given: maps(*given, root=len),
        ],
        "root-forgotten": lambda *given: maps(*given, root=lambda W: 1),
        "width-of-the-model": maps_of_the_model_s_width,
        "counted-from-one": lambda head, heads, *given: maps((head - 1) % heads, heads, *given),
        "results-exchanged": lambda *given: maps(*given)[::-1],
        "query-and-key-exchanged": lambda *given: (maps(*given)[0].T, maps(*given)[1]),
        "output-before-value": lambda *given: (maps(*given)[0], maps(*given)[1].T),
    }
)
def test_a_slip_of_the_two_maps_is_named(wrong, mistake: str):
    assert named(MAPS, wrong) == mistake


# ---- Copying


def test_copying_by_hand():
    assert expected_of(COPYING, 0) == pytest.approx((4 - 1) / (4 + 1))
    # eigenvalues 1 + 3 w for the three cube roots w of 1: 4 and -1/2 ± (3/2) sqrt(3) i
    assert expected_of(COPYING, 1) == pytest.approx(3 / (4 + 2 * 7**0.5))
    assert expected_of(COPYING, 2) == pytest.approx(-1)


@wrong_answers(
    {
        "diagonal-only": lambda E, OV, U: (
            (E @ OV @ U.T).diagonal().sum() / (E @ OV @ U.T).diagonal().abs().sum()
        ),
        "never-negative": lambda E, OV, U: torch.tensor(1.0, dtype=torch.float64),
        "embedding-as-readout": lambda E, OV, U: COPYING.solution(E, OV, E),
        "map-transposed": [
            lambda E, OV, U: COPYING.solution(E, OV.T, U),
            lambda E, OV, U: COPYING.solution(U, OV, E),
        ],
        "share-from-zero-to-one": lambda E, OV, U: (1 + COPYING.solution(E, OV, U)) / 2,
    }
)
def test_a_slip_of_the_copying_score_is_named(wrong, mistake: str):
    assert named(COPYING, wrong) == mistake


# ---- Prefix matching


def test_prefix_matching_by_hand():
    assert expected_of(PREFIX, 0).tolist() == [0.75]
    # 3 3 4 3 3: queries 1, 3 and 4 match keys {1}, {1, 2} and {1, 2, 4}
    assert expected_of(PREFIX, 1).tolist() == pytest.approx([(1 / 2 + 2 / 4 + 3 / 5) / 3])


def prefix(weights, tokens, shift=1, below=0):
    n = tokens.shape[1]
    earlier = torch.zeros(len(tokens), n, n, dtype=torch.bool)
    for i in range(n):
        for j in range(n):
            inside = 0 <= j - shift < n and j - below <= i
            earlier[:, i, j] = inside and tokens[:, j - shift] == tokens[:, i] if inside else False
    read = torch.einsum("bhqk,bqk->h", weights, earlier.to(weights))
    return read / earlier.any(-1).sum()


def test_loops_over_query_and_key_pass():
    assert report_on(PREFIX, prefix).passed


@wrong_answers(
    {
        "own-place-left-out": lambda weights, tokens: prefix(weights, tokens, below=-1),
        "future-counted": lambda weights, tokens: prefix(weights, tokens, below=99),
        "same-token-instead-of-the-next": lambda weights, tokens: prefix(weights, tokens, 0, -1),
        "query-and-key-exchanged": lambda weights, tokens: prefix(weights.mT, tokens),
        "heads-averaged": lambda weights, tokens: prefix(weights, tokens).mean(),
        "not-divided": lambda weights, tokens: torch.stack(
            [
                weights[b, :, i, j]
                for b, row in enumerate(tokens.tolist())
                for i in range(len(row))
                for j in range(1, i + 1)
                if row[j - 1] == row[i]
            ]
        ).sum(0),
    }
)
def test_a_slip_of_prefix_matching_is_named(wrong, mistake: str):
    assert named(PREFIX, wrong) == mistake


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


def by_slots(asked=("token", "previous"), told=("token", "answer"), back=1, scale=1.0):
    def answer(symbols, positions, beta):
        d_model = 3 * symbols + positions
        start = {"token": 0, "previous": symbols, "answer": 2 * symbols}
        QK_0, OV_0, QK_1, OV_1 = (torch.zeros(d_model, d_model) for _ in range(4))
        for i in range(back, positions):
            QK_0[3 * symbols + i, 3 * symbols + i - back] = scale * beta
        for s in range(symbols):
            OV_0[s, symbols + s] = 1
            QK_1[start[asked[0]] + s, start[asked[1]] + s] = scale * beta
            OV_1[start[told[0]] + s, start[told[1]] + s] = 1
        return [QK_0, OV_0, QK_1, OV_1]

    return answer


def test_a_list_of_four_passes():
    assert report_on(BY_HAND, by_slots()).passed


@wrong_answers(
    {
        "no-composition": by_slots(asked=("token", "token")),
        "asks-with-previous": by_slots(asked=("previous", "token")),
        "both-ask-with-previous": by_slots(asked=("previous", "previous")),
        "answers-with-previous": by_slots(told=("previous", "answer")),
        "answer-in-another-slot": by_slots(told=("token", "token")),
        "reads-itself": by_slots(back=0),
        "two-places-back": by_slots(back=2),
        "beta-forgotten": lambda symbols, positions, beta: BY_HAND.solution(symbols, positions, 1),
    }
)
def test_a_slip_of_the_compiled_circuit_is_named(wrong, mistake: str):
    assert named(BY_HAND, wrong) == mistake


def test_maps_of_another_size_are_told_so():
    report = report_on(BY_HAND, lambda symbols, positions, beta: (torch.eye(3),) * 4)
    assert "QK_0: expected [d_model, d_model], d_model=13, got (3, 3)" in report.message
    report = report_on(BY_HAND, lambda symbols, positions, beta: torch.eye(3))
    assert "a tensor, expected four tensors: QK_0, OV_0, QK_1, OV_1" in report.message


def test_the_first_wrong_answer_of_a_text_is_told():
    report = report_on(BY_HAND, lambda *given: tuple(2 * x for x in BY_HAND.solution(*given)))
    assert report.misconception is None
    assert "After a the slot answer holds 2 0 0, expected 1 0 0" in report.message


# ---- Patch one head


def test_patching_by_hand():
    assert expected_of(PATCH, 0).tolist() == [0.25]
    # the metric adds up head 0 and twice head 1 at both positions, plus the bias:
    # clean 23 and 16, corrupted 12 and 7; patched 12 + 3 (not at padding) and 7 + 5
    assert expected_of(PATCH, 1).tolist() == pytest.approx([3 / 11, 5 / 9])


def patch(clean, corrupted, real, head, W_O, b_O, metric, where=None):
    measured = {}
    patched = corrupted.clone()
    chosen = real if where is None else where(real)
    patched[:, head][chosen] = clean[:, head][chosen]
    for name, heads in {"clean": clean, "corrupted": corrupted, "patched": patched}.items():
        merged = torch.cat([*heads.unbind(1)], dim=-1)
        measured[name] = metric(F.linear(merged, W_O, b_O))
    between = measured["clean"] - measured["corrupted"]
    return (measured["patched"] - measured["corrupted"]) / between


def test_indexing_with_the_mask_passes():
    assert report_on(PATCH, patch).passed


@wrong_answers(
    {
        "padding-patched": lambda *given: patch(*given, where=torch.ones_like),
        "only-padding-patched": lambda *given: patch(*given, where=torch.logical_not),
        "counted-from-the-clean-run": lambda *given: 1 - patch(*given),
        "sign-exchanged": lambda *given: -patch(*given),
        "averaged-over-the-pairs": lambda *given: patch(*given).mean(),
        "noising-instead-of-denoising": [
            lambda clean, corrupted, *rest: patch(corrupted, clean, *rest),
            lambda clean, corrupted, *rest: 1 - patch(corrupted, clean, *rest),
        ],
        "output-bias-forgotten": lambda *given: patch(*given[:5], 0 * given[5], given[6]),
        "counted-from-one": lambda *given: patch(
            *given[:3], (given[3] - 1) % given[0].shape[1], *given[4:]
        ),
    }
)
def test_a_slip_of_patching_is_named(wrong, mistake: str):
    assert named(PATCH, wrong) == mistake


def test_one_way_back_says_less_than_the_other():
    """Either of two heads is enough: nothing breaks, and each brings back everything."""
    clean, corrupted = torch.ones(1, 2, 1, 1), torch.zeros(1, 2, 1, 1)
    rest = (torch.tensor([[True]]), 0, torch.ones(1, 2), torch.zeros(1))

    def either(output: Tensor) -> Tensor:
        return output.clamp(max=1).sum(dim=(1, 2))

    assert PATCH.solution(clean, corrupted, *rest, either).tolist() == [1]
    assert PATCH.solution(corrupted, clean, *rest, either).tolist() == [0]
    assert all(callable(metric) for metric in METRICS.values())


# ---- Direct attribution


def test_attribution_by_hand():
    contributions, rest = expected_of(SPLIT, 0)
    # scale sqrt(8/3); centred (0, -1, 1) and (2, -1, -1); gain times direction (1, -2, -2)
    assert contributions.tolist() == [
        [pytest.approx(0, abs=1e-6)],
        [pytest.approx(6 / (8 / 3 + 1e-5) ** 0.5)],
    ]
    assert rest.tolist() == [-7 + 1.5]


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


def split(parts, gain, bias, W_U, b_U, right, wrong, norm=None, extra=None):
    stream, u = parts.sum(0), W_U[right] - W_U[wrong]
    scale = (stream.var(-1, correction=0) + 1e-5).sqrt()
    if norm is not None:
        scale = norm(parts)
    rest = torch.einsum("sd,d->s", u, bias) + b_U[right] - b_U[wrong]
    shares = torch.einsum("psd,d,sd->ps", parts - parts.mean(-1, keepdim=True), gain, u) / scale
    return (shares, rest) if extra is None else extra(shares, rest)


def test_einsum_passes():
    assert report_on(SPLIT, split).passed


@wrong_answers(
    {
        "norm-of-each-part": lambda *given: split(
            *given, norm=lambda parts: (parts.var(-1, correction=0) + 1e-5).sqrt()
        ),
        "scale-of-the-wrong-variance": lambda *given: split(
            *given, norm=lambda parts: parts.sum(0).std(-1)
        ),
        "epsilon-missing": lambda *given: split(
            *given, norm=lambda parts: parts.sum(0).std(-1, correction=0)
        ),
        "scale-missing": lambda *given: split(*given, norm=lambda parts: 1),
        "both-biases-left-out": lambda *given: split(
            *given, extra=lambda shares, rest: (shares, 0 * rest)
        ),
        "part-through-the-whole-readout": lambda *given: split(
            *given, extra=lambda shares, rest: (shares + rest, rest)
        ),
        "wrong-less-right": lambda *given: split(*given[:5], given[6], given[5]),
        "gain-forgotten": lambda parts, gain, *given: split(parts, 0 * gain + 1, *given),
    }
)
def test_a_slip_of_attribution_is_named(wrong, mistake: str):
    assert named(SPLIT, wrong) == mistake


def test_the_differing_result_is_named():
    report = report_on(SPLIT, lambda *given: split(*given, extra=lambda a, b: (a, 3 * b)))
    assert report.misconception is None
    assert "In rest: " in repr(report)
