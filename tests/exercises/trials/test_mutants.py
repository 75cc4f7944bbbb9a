"""The cases of an exercise notice almost every small change to its solution."""

from collections.abc import Callable

import pytest

from bottomup.exercises import catalog
from tests.exercises.trials.mutant_worker import survivors
from tools.exercises.mutants import Mutant, mutants

AT_LEAST = 15
SHARE_REJECTED = 0.95
LONGEST = 15  # lines of a reference solution

# Mutants that give the same values on every allowed input, by exercise, with the reason.
_SOFTMAX = "return torch.where(mask.any(dim=-1, keepdim=True), weights, 0)"
_PAIRS = "for a, s, p in zip(links, sure, possible"
_SVD = "U, S, _Vh = torch.linalg.svd"
_WEIGHTS = "weights = torch.softmax(score(state, states), "
_NEXT = "state = cell(torch.cat([word, fed], "
_MIXED = "fed = torch.tanh(torch.cat([context, state], "
_DIFFERENCE = "products - torch.eye(weights.shape[1])"
_TWO_AXES = "a tensor of two axes: the last one is axis 1"
_RAISED = "raised = W_E @ W_OV @ W_U.T"
_SCORE = "values.real.sum() / values.abs().sum()"
_QUERIES = "queries = matches.any(dim="
_AS_MANY = "as many keys are matched as queries match one"
_VARIANCE = "variance = parts.sum(dim=0).var(dim="
_EARLIER = "2: earlier = rank[None, :] < rank[:, None] -> earlier = rank"
_HIDDEN = "weights = scores.masked_fill(~may, -torch.inf).softmax(dim="
_CHANGE = "3: change = one - batch[pair, :len(one)]"
_CHOSEN = "chosen = log_p.gather(2, target.unsqueeze(2))"
EQUIVALENT = {
    "neighbour-in-the-batch": {
        f"{_CHANGE} -> change = batch[pair, :len(one)] - one": "the sign is dropped after it",
        f"{_CHANGE} -> change = one - batch[pair, :len(-one)]": "a negative has as many rows",
    },
    "recounted-loss": {
        f"1: {_CHOSEN}.squeeze(2) -> {_CHOSEN}{instead}": "an axis of one is indexed away by `real`"
        for instead in ("", ".squeeze(1)")
    },
    "two-stream-masks": {
        **{
            f"{_EARLIER}{rows} < rank[:, None]": "a row is broadcast over the queries anyway"
            for rows in ("", "[:,]", "[None,]")
        },
        f"6: {_HIDDEN}-1) -> {_HIDDEN}1)": _TWO_AXES,
        "8: own = torch.eye(len(order), dtype=torch.bool)"
        " -> own = torch.eye(len(-order), dtype=torch.bool)": "only the length counts",
    },
    "joint-likelihood": {
        "1: seen = torch.ones(len(tokens), dtype=torch.bool)"
        " -> seen = torch.ones(len(-tokens), dtype=torch.bool)": "only the length counts",
    },
    "backward-pass": {
        "1: grad = [0.0] * len(made_of) -> grad = [0] * len(made_of)": "0 and 0.0 are one number",
    },
    "bahdanau-step": {
        f"1: {_WEIGHTS}dim=-1) -> {_WEIGHTS}dim=1)": _TWO_AXES,
        "3: return cell(torch.cat([word, context], dim=-1), state)"
        " -> return cell(torch.cat([word, context], dim=1), state)": _TWO_AXES,
    },
    "input-feeding": {
        "1: fed, steps = (torch.zeros_like(state), [])"
        " -> fed, steps = (torch.zeros_like(-state), [])": "only the shape counts",
        f"3: {_NEXT}dim=-1), state) -> {_NEXT}dim=1), state)": _TWO_AXES,
        f"5: {_MIXED}dim=-1) @ W_c.T) -> {_MIXED}dim=1) @ W_c.T)": _TWO_AXES,
    },
    "read-one-word": {
        "3: rows = torch.arange(len(states))[:, None]"
        " -> rows = torch.arange(len(-states))[:, None]": "only the length counts",
    },
    "straight-through": {
        "4: hard = torch.zeros_like(soft).scatter(-1, index, 1.0)"
        " -> hard = torch.zeros_like(-soft).scatter(-1, index, 1.0)": "only the shape counts",
    },
    "masked-softmax": {
        f"2: {_SOFTMAX} -> return torch.where(mask, weights, 0)": (
            "a masked position of a row with something allowed is exactly zero already"
        ),
    },
    "general-score": {
        "2: return query @ projected_key.transpose(1, 2)"
        " -> return query @ projected_key.transpose(2, 1)": "transposing is symmetric in its axes",
    },
    "aer": {
        f"2: {_PAIRS}, strict=True): -> {_PAIRS}):": "the three lists are equally long",
        f"2: {_PAIRS}, strict=True): -> {_PAIRS}, strict=False):": (
            "the three lists are equally long"
        ),
    },
    "lin-penalty": {
        f"2: difference = {_DIFFERENCE}.to(products) -> difference = {_DIFFERENCE}.to(-products)": (
            "only the dtype counts"
        ),
        f"2: difference = {_DIFFERENCE}.to(products)"
        " -> difference = torch.eye(weights.shape[1]).to(products) - products": (
            "the difference is squared"
        ),
    },
    "qk-and-ov": {
        "5: return (Q.T @ K / len(Q) ** 0.5, W_OV) -> return (Q.T @ K / len(-Q) ** 0.5, W_OV)": (
            "only the length counts"
        ),
    },
    "copying-score": {
        f"1: {_RAISED} -> raised = W_U.T @ (W_E @ W_OV)": "A B and B A share their eigenvalues",
        f"3: return float({_SCORE}) -> return {_SCORE}": "a tensor without axes is a number",
    },
    "prefix-matching-score": {
        "1: same = tokens[:, :, None] == tokens[:, None, :]"
        " -> same = tokens[:, :, None] == tokens[:, None]": "the last axis is taken whole",
        "2: matches = same.roll(1, dims=2).tril() -> matches = same.roll(1).tril()": (
            "what comes from another row stands at the first key, which is set to False"
        ),
        f"4: {_QUERIES}-1).sum() -> {_QUERIES}1).sum()": _AS_MANY,
        f"4: {_QUERIES}-1).sum() -> {_QUERIES}-2).sum()": _AS_MANY,
    },
    "patch-one-head": {
        "3: return metric(heads.transpose(1, 2).flatten(2) @ W_O.T + b_O)"
        " -> return metric(heads.transpose(2, 1).flatten(2) @ W_O.T + b_O)": (
            "transposing is symmetric in its axes"
        ),
    },
    "direct-attribution": {
        f"1: {_VARIANCE}-1, correction=0, keepdim=True)"
        f" -> {_VARIANCE}1, correction=0, keepdim=True)": _TWO_AXES,
    },
    "whitening": {
        "1: centred = X - X.mean(dim=0) -> centred = X.mean(dim=0) - X": (
            "a basis of the space has any signs"
        ),
        f"2: {_SVD}(centred, full_matrices=False) -> {_SVD}(-centred, full_matrices=False)": (
            "a basis of the space has any signs"
        ),
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("slug", catalog())
def test_the_cases_reject_mutants_of_the_solution(
    slug: str, record_property: Callable[[str, object], None]
):
    exercise = catalog()[slug]
    candidates = mutants(exercise.source)
    passed = {mutant.change for mutant in survivors(slug, exercise.answer_name, candidates)}
    equivalent = set(EQUIVALENT.get(slug, {}))
    counted = len(candidates) - len(equivalent)
    alive = passed - equivalent
    record_property("mutants", counted)
    record_property("rejected", counted - len(alive))
    print(f"{slug}: {counted - len(alive)} of {counted} mutants rejected")
    assert len(exercise.source.splitlines()) <= LONGEST
    assert counted >= AT_LEAST
    assert counted - len(alive) >= SHARE_REJECTED * counted, alive
    assert equivalent <= passed, "listed as equivalent, but rejected or no longer made"


def changes(source: str) -> set[str]:
    return {mutant.change for mutant in mutants(source)}


@pytest.mark.parametrize(
    "source, change",
    [
        ("x = a + b", "x = a - b"),
        ("x = a - b", "x = b - a"),
        ("x = a @ b", "x = a"),
        ("x = a & b", "x = a | b"),
        ("x = a < b", "x = a <= b"),
        ("x = a in b", "x = a not in b"),
        ("x = f(2)", "x = f(3)"),
        ("x = f(2)", "x = f(0)"),
        ("x = f(True)", "x = f(False)"),
        ("x = -a", "x = a"),
        ("x = ~a", "x = a"),
        ("x = f(a, b)", "x = f(b, a)"),
        ("x = f(a, b)", "x = f(b)"),
        ("x = f(a)", "x = f(-a)"),
        ("x = f(a, dim=1)", "x = f(a)"),
        ("x = a.f(b)", "x = a"),
        ("x = f(a)", "x = a"),
        ("x = a.T", "x = a"),
        ("x = a[:, None]", "x = a[None, :]"),
        ("x = a[0]", "x = a"),
        ("x = a if b else c", "x = a if not b else c"),
        ("x += 1", "x -= 1"),
        ("x += 1", "x = 1"),
        ("x = 1", "pass"),
    ],
)
def test_a_mutant_has_one_thing_wrong(source: str, change: str):
    assert f"0: {source} -> {change}" in changes(source)


def test_every_mutant_is_made_once_and_differs():
    made = mutants("def f(a: int, b: int) -> int:\n    return a + 1 + b\n")
    texts = [mutant.source for mutant in made]
    assert len(set(texts)) == len(texts) >= 10
    assert "def f(a, b):\n    return a + 1 + b" not in texts


@pytest.mark.slow
def test_a_mutant_that_hangs_exits_or_survives_is_told_apart():
    source = "def {name}(query, key, W_a):\n    {body}\n"
    bodies = [
        "while True: pass",
        "import os; os._exit(3)",
        "return query @ W_a @ key.mT",
        "return query @ W_a.T @ key.mT",
    ]
    name = catalog()["general-score"].answer_name
    candidates = [Mutant(body, source.format(name=name, body=body)) for body in bodies]
    assert survivors("general-score", name, candidates) == [candidates[2]]
