"""What is said of an answer that is wrong in a way of its own, by exercises that compare so."""

from collections.abc import Callable
from itertools import chain, count
from typing import Any

import numpy as np
import pytest
import torch

from bottomup.attention import strided_masks
from bottomup.exercises import Case, catalog
from bottomup.exercises.engine.checking import examine
from bottomup.exercises.engine.edits import edited, read_family
from bottomup.exercises.engine.runner import attempt
from bottomup.exercises.engine.source import run
from bottomup.exercises.multi_head_attention.two_heads_by_hand import cases as two_heads
from tests.drawn import randn

INF = torch.inf


def shares_as_numbers(_, out_a, log_sum_a, out_b, log_sum_b):
    log_sum = torch.logaddexp(log_sum_a, log_sum_b)
    a, b = ((x - log_sum).exp().nan_to_num().detach()[..., None] for x in (log_sum_a, log_sum_b))
    return a * out_a + b * out_b, log_sum


def log_sum_of_zero(s, *x):
    output, log_sum = s(*x)
    return output, log_sum.masked_fill(log_sum == -INF, 0.0)


def square_u(s, X):
    """Without full_matrices=False U has a column for each sample."""
    U, S, _Vh = torch.linalg.svd(X - X.mean(0))
    return U[S / S[0] > 1e-5]


def one_head_reads_both(s, positions, symbols):
    W_Q, W_K, W_V, W_O = s(positions, symbols)
    W_Q[positions:] = 0
    W_Q[:positions, positions:] = 30 * torch.eye(positions)
    return W_Q, W_K, W_V, W_O


def wrapped(line: str) -> Callable[..., Any]:
    """An answer to `recompute`: the solution with an edit, written as in the exercise's text."""
    source = catalog()["recompute"].source
    answer = run(edited(source, *read_family(line).edits), "compute_again", line)
    return lambda s, function: answer(function)


def keeps_one_more(s, function):
    again = s(function)
    return lambda x, *args, **kwargs: again(x.sin().asin(), *args, **kwargs)


KEEPS = "`return function(…)` → `value = function(…)⏎ctx.held = {}⏎return value`"

# By exercise: an answer, which gets the solution s before its inputs x, and what is said of it.
REPORTS: dict[str, list[tuple[Callable[..., Any], str]]] = {
    "bpe-merge": [
        (lambda s, *x: [["low"], *s(*x)[1:]], "Word 1: got ['low'], expected ['lo', 'w']."),
        (lambda s, *x: [*chain(*s(*x))], "It returned 8 values, expected 3 values."),
        (lambda s, *x: [1, 2, 3], "Word 1: got 1, expected ['lo', 'w']."),
    ],
    "backward-pass": [
        (lambda s, *x: torch.tensor(s(*x)), "It returned a tensor, expected 5 values."),
    ],
    "bits-per-character": [(lambda s, p, n, text: len(text) * 10.0**n**n, "OverflowError")],
    "reinforce-loss": [
        (lambda s, *x: s(*x).detach(), "has no gradient: the model could not learn from it"),
        (lambda s, r, p, b: -(r + (r - b).detach() * p), "has shape (2,), expected ()."),
    ],
    "scaled-dot-product-attention": [
        (lambda s, q, k, v, m=None: v, "It returned a tensor, expected two tensors"),
        (lambda s, q, k, v, m=None: (v, 3), "a value of type tuple, expected two tensors"),
        (lambda s, q, k, v, m=None: (v, q), "In the output: The result has shape (3, 2)"),
        (lambda s, *x: [y.float() for y in s(*x)], "torch.float32, expected torch.float64. 18 of"),
    ],
    "sinusoidal-positions": [
        (lambda s, *x: s(*x).T, "has shape (4, 3), expected (3, 4)"),
        (lambda s, *x: s(*x).double(), "has dtype torch.float64, expected torch.float32"),
    ],
    "lstmn-step": [
        (lambda s, *x: [tape[:, 1:] for tape in s(*x)], "In hidden: The result has shape"),
    ],
    "multi-head-attention": [
        (lambda s, *x: s(*x)[0], "It returned a tensor, expected 2 tensors: output, weights."),
        (lambda s, *x: s(*x)[:1], "It returned 1 value, expected 2 tensors: output, weights."),
        (lambda s, *x: (s(*x)[0], s(*x)[1] + 1), "In weights: "),
    ],
    "two-heads-by-hand": [
        (lambda s, *x: s(*x)[:3], "It returned a value of type tuple, expected four tensors"),
        (lambda s, *x: s(*x)[0], "It returned a tensor, expected four tensors"),
        (
            lambda s, *x: (s(*x)[0][:, :-1], *s(*x)[1:]),
            "W_Q: expected axes [2d_head, 2positions=6], got shape (6, 5)",
        ),
        (
            lambda s, *x: (s(*x)[0][:-1], s(*x)[1][:-1], *s(*x)[2:]),
            "The weights do not fit: num_heads: expected a divisor of width=5, got 2",
        ),
        (
            lambda s, *x: (*s(*x)[:3], s(*x)[3][:4]),
            "W_O: expected axes [2symbols=8, 2d_value=8], got shape (4, 8)",
        ),
        (
            one_head_reads_both,
            "Asked for positions 0 1 of 3 0 2, it answers 0/3 0/2/3, expected 3 0",
        ),
        (
            one_head_reads_both,
            "Head 1 reads positions 0 and 1 alike, head 2 reads all positions alike.",
        ),
    ],
    "beam-step": [
        (lambda s, *x: s(*x)[:2], "returned 2 values, expected 3 tensors: parent, token, scores."),
        (lambda s, *x: [part.flip(0) for part in s(*x)], "In token: "),
    ],
    "kv-cache-append": [
        (lambda s, *x: s(*x)[0], "It returned a tensor, expected a tensor and a number"),
        (lambda s, *x: s(*x)[::-1], "It returned a number, a tensor, expected"),
        (
            lambda s, *x: (s(*x)[0][:, None], s(*x)[1]),
            "In the output of token 1: The result has shape",
        ),
        (
            lambda s, *x: (s(*x)[0], s(*x)[1] + 0.5),
            "It returned a tensor, a number, expected",
        ),
    ],
    "strided-sets": [
        (lambda s, *x: set.union(*s(*x)), "type set, expected 2 values"),
        (
            lambda s, i, w, n: [mask[i] for mask in strided_masks(n, w)],
            "a mask of truth values as the window, expected positions: whole numbers, such as "
            "{2, 5}. Take the positions where it is true: `mask.nonzero()`, flattened.",
        ),
        (
            lambda s, i, w, n: [mask[i].nonzero() for mask in strided_masks(n, w)],
            "a tensor of shape (3, 1) as the window, expected positions: whole numbers, such as "
            "{2, 5}. `nonzero()` gives a row for each position: flatten it.",
        ),
        (
            lambda s, *x: [torch.tensor(sorted(part)).float() for part in s(*x)],
            "a tensor of floats as the window, expected positions: whole numbers, such as {2, 5}. "
            "Positions are counted with whole numbers: convert",
        ),
        (
            lambda s, i, w, n: [mask[i].numpy().nonzero() for mask in strided_masks(n, w)],
            "a value of type tuple that holds arrays as the window",
        ),
        (
            lambda s, i, w, n: [mask[i].tolist() for mask in strided_masks(n, w)],
            "a value of type list that holds truth values as the window",
        ),
        (lambda s, *x: [[float(j) for j in part] for part in s(*x)], "type list that holds floats"),
        (lambda s, *x: [[*part, max(part)] for part in s(*x)], "The window has 7 more than once."),
        (lambda s, i, w, n: ({i}, s(i, w, n)[1]), "The window lacks 5, 6."),
        (
            lambda s, i, w, n: (count(), count(i, -w)),
            "The window has 0, 1, 2, 3, 4, 8, 9, 10, … too",
        ),
    ],
    "fixed-sets": [
        (
            lambda s, i, w, c, n: (range(w), s(i, w, c, n)[1]),
            "The own block lacks 4, 5, 6, 7. The own block has 0, 1, 2, 3 too many.",
        ),
        (
            lambda s, i, w, c, n: (range(i - i % w, i + 1), set()),
            "The set of summaries lacks 3, 7.",
        ),
    ],
    "blocked-local": [(lambda s, q, k, v, w: s(q, k, v, w) + v, "values differ")],
    "column-attention": [(lambda s, *x: (s(*x), None), "expected a tensor")],
    "merge-softmaxes": [
        (lambda s, *x: s(*x)[0], "It returned a tensor, expected 2 tensors"),
        (lambda s, *x: s(*x)[::-1], "In output: The result has shape"),
        (
            lambda s, oa, la, ob, lb: s(oa, la.clamp(min=-1e9), ob, lb.clamp(min=-1e9)),
            "1 of 2 values differs, by at most inf. The log-sum of a query without keys",
        ),
        (log_sum_of_zero, "The log-sum of a query without keys is"),
        (
            lambda s, *x: [y.numpy() for y in s(*x)],
            "It returned a NumPy array, expected a tensor: compute with torch throughout.",
        ),
        (lambda s, oa, *x: s(oa.detach(), *x), "back from them to out_a:"),
        (lambda s, *x: (s(*x)[0], s(*x)[1].detach()), "not the gradient of log_sum_a"),
        (shares_as_numbers, "The values are right, but not the gradient of log_sum_a"),
    ],
    "recompute": [
        (lambda s, f: f(torch.ones(2)), "It returned a tensor, expected a function"),
        (
            lambda s, f: lambda *args, **kwargs: f(*args, **kwargs).detach().numpy(),
            "The wrapped function's value: It returned a NumPy array",
        ),
        (
            wrapped("`return None, *(…)` → `return (*(…),)`"),
            "returned an incorrect number of gradients",
        ),
        (lambda s, f: lambda x, **kwargs: s(f)(x, **kwargs), "positional argument"),
        (
            lambda s, f: lambda *args, **kwargs: 2 * s(f)(*args, **kwargs),
            "The wrapped function's value: 2 of 2 values differ",
        ),
        (keeps_one_more, "numbers for the backward pass, beside parameters and arguments."),
        (
            wrapped(KEEPS.format("{'value': [value.detach().clone()]}")),
            "The call keeps 2 numbers for the backward pass, beside parameters and arguments.",
        ),
    ],
    "mlm-corruption": [
        (lambda s, *x: s(*x)[0], "expected 2 tensors: corrupted, chosen"),
        (lambda s, *x: s(*x)[::-1], "In corrupted: "),
        (lambda s, *x: (s(*x)[0], x[1] < 0.15), "In chosen: "),
        (lambda s, *x: (s(*x)[0].double(), x[1]), "has dtype"),
    ],
    "mutual-information": [
        (lambda s, table: s(table) ** 2, "The number differs by"),
        (lambda s, table: torch.tensor([s(table)]), "has shape (1,), expected ()"),
        (
            lambda s, table: torch.tensor(torch.nan),
            "The result is NaN, where a number is expected.",
        ),
        (lambda s, table: torch.tensor(True), "It returned a tensor, expected a number."),
    ],
    "whitening": [
        (lambda s, X: torch.linalg.svd(X - X.mean(0)), "expected a tensor"),
        (square_u, "U has a column for each sample, and the"),
        (lambda s, X: s(X)[:, torch.ones(9) > 0], "Your function raised IndexError"),
        (lambda s, X: s(X).roll(1, dims=0), "Its columns are orthonormal, but they span"),
        (lambda s, X: s(X) * 2, "Its columns are not orthonormal: U^T U differs from the identity"),
        (lambda s, X: s(X) / 0, "Some of its values are NaN or infinite."),
        (lambda s, X: s(X)[:, :1], "The result has shape"),
    ],
    "neighbour-identity": [
        (lambda s, *x: s(*x)[0], "expected 2 values"),
        (lambda s, *x: [100 * share for share in s(*x)], "In share: The number"),
        (lambda s, x, t, real, k: (t[real] == 5, 0.5), "In share: It returned a tensor"),
    ],
    "rank-interventions": [
        (lambda s, *x: s(*x)[:3], "expected 4 values"),
        (lambda s, *x: (*s(*x)[:3], 3), "In proved: "),
        (lambda s, *x: (*s(*x)[:3], "3"), "In proved: It returned"),
    ],
    "induction-by-hand": [
        (lambda s, *x: (torch.eye(3),) * 4, "expected [d_model, d_model], d_model=13, got (3, 3)"),
        (lambda s, *x: torch.eye(3), "expected four tensors: QK_0, OV_0, QK_1, OV_1"),
        (
            lambda s, *x: tuple(2 * y for y in s(*x)),
            "After a the slot answer holds 2 0 0, expected 1 0 0",
        ),
    ],
    "direct-attribution": [(lambda s, *x: (s(*x)[0], 3 * s(*x)[1]), "In rest: ")],
    "what-is-left": [
        (
            lambda s, *x: [names[::-1] for names in s(*x)],
            "The names are right, but not in the order of signs.",
        ),
    ],
}
ROWS = [(slug, *row) for slug, rows in REPORTS.items() for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("slug, answer, sentence", ROWS, ids=[f"{row[0]}" for row in ROWS])
def test_another_answer_gets_a_plain_report(slug: str, answer: Callable[..., Any], sentence: str):
    solution = catalog()[slug].solution
    report = examine(catalog()[slug], lambda *inputs: answer(solution, *inputs))
    assert (report.status, report.mistake) == ("failed", None), report
    assert sentence in repr(report) and "cases agree with the solution" in report.message


@pytest.mark.parametrize(
    "slug, mistake, said",
    [
        ("reinforce-loss", "first-term-moves-the-baseline", "The gradient of baseline"),
        ("two-heads-by-hand", "each-head-reads-both", "it answers 0/3 0/3, expected 3 0."),
        ("reinforce-loss", "score-term-dropped", "The value of the loss is not compared."),
        ("find-the-leak", "never-moves", "leaks, and your test does not notice."),
        ("find-the-leak", "past-edited", "does not leak, and your test says that it does."),
        ("mlm-corruption", "targets-overwritten", "tokens has become the corrupted sentence"),
        ("blocked-local", "dense-under-a-mask", "are enough (all results on the way count"),
        ("column-attention", "dense-under-a-mask", "The output is right, but "),
    ],
)
def test_of_a_known_mistake_the_difference_is_told_too(slug: str, mistake: str, said: str):
    exercise = catalog()[slug]
    (found,) = (each for each in exercise.mistakes if each.slug == mistake)
    report = examine(exercise, found.answers[0])
    assert report.mistake == mistake
    assert said in report.evidence.difference


def test_zero_stands_for_infinity_only_where_infinity_is_expected():
    exercise = catalog()["feature-dimensions"]
    endless, some = torch.tensor([INF, 0.5]), torch.tensor([0.0, 0.5])
    for got, expected, agrees in (
        (some, endless, True),
        (endless, some, False),
        (some.double(), endless, False),
        (torch.zeros(2, dtype=torch.int64), endless, False),
    ):
        assert (exercise.compare(got, expected, exercise.cases[0]) is None) == agrees


ATTEND = catalog()["find-the-leak"].cases[0].inputs["attend"]
NETWORK = catalog()["rank-interventions"].cases[0].inputs["network"]


@pytest.mark.parametrize(
    "function, x, error, message",
    [
        (ATTEND, torch.zeros(12, 4), TypeError, "attend: .* torch.float64, got torch.float32"),
        (ATTEND, [[0.0]], TypeError, "attend: .* dtype torch.float64, got list"),
        (ATTEND, torch.zeros(13, 4).double(), ValueError, r"n from 1 to 12, got shape \(13, 4\)"),
        (ATTEND, torch.zeros(12, 5).double(), ValueError, r"tensor \[n, 4\] .* shape \(12, 5\)"),
        (NETWORK, torch.zeros(3, 4).long(), TypeError, "network: .* numbers, got torch.int64"),
        (NETWORK, [[0.0]], TypeError, "network: .*floating-point numbers, got list"),
        (NETWORK, torch.zeros(3, 5), ValueError, r"states \[sentence, 4\], got shape \(3, 5\)"),
    ],
)
def test_what_an_exercise_hands_out_says_what_it_takes(function, x, error, message: str):
    with pytest.raises(error, match=message):
        function(x)


def test_what_two_heads_read_is_described():
    W_Q, W_K, W_V, W_O = catalog()["two-heads-by-hand"].solution(3, 3)

    def read(*maps: torch.Tensor, texts: tuple[str, ...] = ("012",)) -> list[str]:
        return two_heads.behaviour(maps, 3, texts)[0][0].tolist()

    assert read(W_Q, W_K, W_V, W_O) == ["0", "1", "0", "1"]
    assert read(W_Q, W_K, W_V, torch.zeros(6, 6)) == ["all", "all", "0", "1"]
    assert read(0 * W_Q, W_K, W_V, W_O) == ["all"] * 4
    assert read(W_Q * torch.nan, W_K, W_V, W_O) == ["none"] * 4
    for sharpness in (1.0, 1000.0):  # a wrong network is described as if its heads were sharp
        both = sharpness * torch.eye(3).repeat(2, 2)
        assert read(both, W_K, W_V, W_O) == ["0/1"] * 4
    W_Q, W_K, W_V, W_O = catalog()["two-heads-by-hand"].solution(4, 3)
    assert read(W_Q / 30, W_K, W_V, W_O, texts=("0222",)) == ["2", "2", "0", "1"]  # too flat


def test_a_basis_may_be_turned_and_a_column_of_noise_be_any():
    X = randn(11, 3, seed=1)
    compare, case = catalog()["whitening"].compare, Case("", lambda generator: {"X": X})
    U, turn = catalog()["whitening"].solution(X), torch.linalg.qr(randn(3, 3, seed=2)).Q
    assert compare(U @ turn, U, case) is compare(-U.flip(1), U, case) is None
    assert compare(U[:, [0, 1, 1]], U, case) is not None
    noise = randn(11, 2, seed=3)
    noise = noise - U @ (U.T @ noise)
    first, second = (torch.cat([U, column[:, None] / column.norm()], dim=1) for column in noise.T)
    padded = torch.cat([U, torch.zeros(11, 1)], dim=1)
    assert compare(first, second, case) is None
    assert compare(first, padded, case) is not None
    assert compare(padded, first, case) is not None


@pytest.mark.slow
@pytest.mark.parametrize("case, kept", [(0, 4), (1, 87), (2, 6), (3, 6), (5, None)])
def test_what_a_call_keeps_and_how_often_it_runs_is_counted(case: int, kept: int | None):
    exercise = catalog()["recompute"]
    plain, again = (
        attempt(exercise, answer, exercise.cases[case]).value
        for answer in (lambda function: function, exercise.solution)
    )
    calls = 2 if case == 5 else 1
    assert (plain["runs"], again["runs"]) == ((calls, 0), (calls, calls))
    assert (kept or plain["numbers kept"], 0) == (plain["numbers kept"], again["numbers kept"])
    assert plain["more than the arguments"] and not again["more than the arguments"]
    assert not plain["generator moved"] and not again["generator moved"]
    assert torch.equal(plain["value"], again["value"])
    for name, gradient in plain["gradients"].items():
        assert torch.equal(gradient, again["gradients"][name])


@pytest.mark.parametrize("kind", [float, torch.tensor, np.float64, np.float32])
def test_a_number_of_any_kind_passes(kind: Callable[[float], Any]):
    exercise = catalog()["mutual-information"]
    assert examine(exercise, lambda table: kind(exercise.solution(table))).passed
