"""What a stub asks is said in it, and what a diagnosis says holds for the answer that gets it."""

import re

import pytest
import torch
from torch import Tensor

from bottomup.exercises import Exercise, catalog
from tests.exercises.trials.verdicts import named, report_on, wrong_answers

EXERCISES = list(catalog().values())
each = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.slug)


def said_in(exercise: Exercise) -> str:
    return " ".join(exercise.stub.split())


def takes(exercise: Exercise, *kinds: type) -> bool:
    inputs = [value for case in exercise.cases for value in case.inputs.values()]
    return any(isinstance(value, kinds) for value in inputs)


@each
def test_a_stub_says_that_no_input_may_change(exercise: Exercise):
    if not takes(exercise, Tensor, list, dict, set):
        pytest.skip("no input of this exercise can be changed")
    assert re.search("in place|arguments unchanged", said_in(exercise))


@each
def test_a_stub_says_that_a_gradient_is_asked_for(exercise: Exercise):
    if not any(case.wants_gradients for case in exercise.cases):
        pytest.skip("no gradient is asked for")
    assert re.search("gradients? must flow back|gradient (does|is that)", said_in(exercise))


@pytest.mark.parametrize("slug", ["blocked-local", "column-attention"])
def test_a_stub_says_so_where_the_check_asks_in_another_way(slug: str):
    assert "a gradient must flow back" in said_in(catalog()[slug])


def test_shift_right_says_its_dtype():
    assert "of target's dtype" in said_in(catalog()["shift-right"])


# ---- The temperature


def test_the_temperature_keeps_to_dtypes_that_hold_its_range():
    exercise = catalog()["temperature"]
    assert "float32 or float64" in said_in(exercise)
    for dtype in (torch.float32, torch.float64):
        logits = torch.tensor([[1.0, 2.0, -60.0], [0.0, -torch.inf, 3.0]], dtype=dtype)
        for temperature in (1e-6, 1e6):
            assert exercise.solution(logits, temperature).isfinite().all()
    half = torch.tensor([1.0, 2.0], dtype=torch.float16)
    assert exercise.solution(half, 1e-6).isnan().any()  # why float16 is left out


# ---- Embeddings and positions


def embedded(rows):
    def answer(tokens, embedding, positions, start):
        words = embedding[tokens] * embedding.shape[1] ** 0.5
        return words + rows(positions, start, tokens.shape[1])

    return answer


@wrong_answers(
    {
        "positions-from-one": [
            lambda table, start, n: table[start + 1 : start + 1 + n],
            lambda table, start, n: table[torch.arange(start + 1, start + n + 1)],
        ],
        "one-position-for-all": lambda table, start, n: table[start : start + 1],
    }
)
def test_rows_that_begin_elsewhere_are_named(wrong, mistake: str):
    assert named(catalog()["scaled-embedding"], embedded(wrong)) == mistake


@pytest.mark.parametrize(
    "rows",
    [
        lambda table, start, n: table[start + 1 : n + 1],  # in generation too few
        lambda table, start, n: table[start + 1 : start + n],
        lambda table, start, n: table[1 : n + 1],
    ],
)
def test_two_mistakes_in_one_slice_are_not_named_as_one(rows):
    assert named(catalog()["scaled-embedding"], embedded(rows)) is None


# ---- A ReLU in addition to the right one


def memory(stream, added=lambda x: x):
    def answer(x, W_in, b_in, W_out, b_out):
        activations = torch.relu(x @ W_in.T + b_in)
        each = added(activations[..., None] * W_out.T)
        return each, stream(x, each.sum(1), b_out)

    return answer


@pytest.mark.parametrize(
    "wrong",
    [
        memory(lambda x, total, b_out: torch.relu(x + total + b_out)),
        memory(lambda x, total, b_out: x + torch.relu(total + b_out)),
        memory(lambda x, total, b_out: x + torch.relu(total) + b_out),
        memory(lambda x, total, b_out: x + total + b_out, torch.relu),
    ],
)
def test_a_second_relu_is_told_that_the_first_is_right(wrong):
    report = report_on(catalog()["ffn-as-memory"], wrong)
    assert report.misconception == "second-non-linearity"
    assert "two maps" not in report.message


# ---- The weights of PWCCA


def weighted(weigh, norm):
    def answer(X, U_x, U_y):
        A, rho, _Bh = torch.linalg.svd(U_x.T @ U_y, full_matrices=False)
        return 1 - norm(weigh((U_x @ A).T @ X)) @ rho

    return answer


def absolute(table):
    return table.abs().sum(1)


@wrong_answers(
    {
        "root-of-the-squares": weighted(lambda table: table.norm(dim=1), lambda a: a / a.sum()),
        "squares-summed": weighted(lambda table: (table**2).sum(1), lambda a: a / a.sum()),
        "another-divisor": [
            weighted(absolute, lambda a: a / a.norm()),
            weighted(absolute, lambda a: a / a.max()),
        ],
        "weights-not-normalised": weighted(absolute, lambda a: a),
    }
)
def test_weights_put_together_otherwise_are_named(wrong, mistake: str):
    assert named(catalog()["pwcca-weights"], wrong) == mistake


# ---- Fixed attention


def sets(own, summaries):
    def answer(i, block, summary, n):
        place = block - summary
        return (
            {j for j in range(n) if own(j, i) and j // block == i // block},
            {j for j in range(n) if summaries(j, i) and j % block >= place},
        )

    return answer


@wrong_answers(
    {
        "own-summary-missing": sets(lambda j, i: j <= i, lambda j, i: j < i),
        "own-position-missing": [
            sets(lambda j, i: j < i, lambda j, i: j <= i),
            sets(lambda j, i: j < i, lambda j, i: j < i),
        ],
    }
)
def test_a_position_that_does_not_read_itself_is_named(wrong, mistake: str):
    assert named(catalog()["fixed-sets"], wrong) == mistake


# ---- The limit of whitening


def kept_where(keep):
    def answer(X):
        U, S, _Vh = torch.linalg.svd(X - X.mean(0), full_matrices=False)
        return U[:, keep(S)]

    return answer


@wrong_answers(
    {
        "limit-too-high": [
            kept_where(lambda S: S / S[0] > 1e-3),
            kept_where(lambda S: (S / S[0]) ** 2 > 1e-6),
        ],
        "limit-too-low": [
            kept_where(lambda S: S / S[0] > 1e-8),
            kept_where(lambda S: S / S[0] > 1e-10),
        ],
        "limit-on-the-squares": kept_where(lambda S: (S / S[0]) ** 2 > 1e-5),
        "absolute-limit": [kept_where(lambda S: S > 1e-5), kept_where(lambda S: S > 1e-3)],
        "noise-kept": kept_where(lambda S: S > 0),
    }
)
def test_another_limit_is_named(wrong, mistake: str):
    assert named(catalog()["whitening"], wrong) == mistake


# ---- Edits too small to be seen


def leaks_after(size: float):
    def leaks(attend):
        x = torch.randn(12, 4, dtype=torch.float64)
        for i in range(11):
            edited = x.clone()
            edited[i + 1 :] += size * torch.randn(11 - i, 4)
            if (attend(edited) - attend(x))[: i + 1].abs().max() > 1e-9:
                return True
        return False

    return leaks


@wrong_answers({"too-small-an-edit": [1e-2, 1e-4, 1e-6, 1e-8], "never-moves": [1e-10, 1e-12]})
def test_a_tiny_edit_is_told_what_may_have_hidden_the_leak(wrong, mistake: str):
    report = report_on(catalog()["find-the-leak"], leaks_after(wrong))
    assert report.misconception == mistake
    assert re.search("edit is (too|so) small", report.message)


# ---- NaN and infinity


def guarded(answer):
    return lambda *inputs: answer(*inputs).nan_to_num()


def unshifted(scores):
    return scores.exp() / scores.exp().sum(-1, keepdim=True)


def shifted_by_one(scores):
    exponentials = torch.exp(scores - scores.max())
    return exponentials / (exponentials.sum(-1, keepdim=True) + 1e-9)


def at_temperature(softmax):
    return lambda logits, temperature: softmax(logits / temperature)


@pytest.mark.parametrize(
    "slug, wrong, mistake",
    [
        ("stable-softmax", guarded(unshifted), "overflow"),
        ("stable-softmax", shifted_by_one, "largest-of-the-whole-tensor"),
        ("temperature", guarded(at_temperature(unshifted)), "overflow"),
    ],
)
def test_a_guarded_answer_is_told_what_it_gives(slug: str, wrong, mistake: str):
    exercise = catalog()[slug]
    assert not any(wrong(*case.fresh().inputs.values()).isnan().any() for case in exercise.cases)
    report = report_on(exercise, wrong)
    assert report.misconception == mistake
    assert re.search(
        r"NaN, or (0|all zeros) (where NaN is replaced|behind a guard)", report.message
    )


def test_the_largest_of_each_column_is_not_one_number_for_all():
    def answer(scores):
        shifted = torch.exp(scores - scores.amax(0, keepdim=True))
        return shifted / shifted.sum(-1, keepdim=True)

    assert named(catalog()["stable-softmax"], answer) == "largest-of-each-column"
