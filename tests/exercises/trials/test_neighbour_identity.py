"""Same-token neighbours, of chapter 08: by hand, against the library, typical slips."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from bottomup.analysis import same_token_neighbours
from bottomup.exercises import catalog
from tests.drawn import seeded
from tests.exercises.trials.verdicts import expected_of, is_plain, named, report_on, wrong_answers

NEIGHBOUR_IDENTITY = catalog()["neighbour-identity"]
neighbour_identity = NEIGHBOUR_IDENTITY.solution

EVERY = range(len(NEIGHBOUR_IDENTITY.cases))


def test_five_words_by_hand():
    # at 0, 11, 18, 31, 39 degrees stand 7 7 5 5 5: right are 1 + 1 + 1 + 2 + 2 of 10 neighbours;
    # the two words with token 7 have one other to find, the three with token 5 two
    assert expected_of(NEIGHBOUR_IDENTITY, 0) == pytest.approx((0.7, 0.8))


def test_without_a_repeated_token_nothing_can_be_found():
    case = next(c for c in NEIGHBOUR_IDENTITY.cases if c.name == "no token occurs twice")
    assert NEIGHBOUR_IDENTITY.run(neighbour_identity, case.fresh()) == (0, 0)


def test_a_single_token_is_always_found():
    case = next(c for c in NEIGHBOUR_IDENTITY.cases if c.name == "a single token")
    assert NEIGHBOUR_IDENTITY.run(neighbour_identity, case.fresh()) == (1, 1)


@pytest.mark.parametrize("case", EVERY)
def test_rounding_decides_no_case(case: int):
    """The k-th neighbour is nearer than the next by more than rounding, and none is parallel."""
    states, _tokens, real, k = NEIGHBOUR_IDENTITY.cases[case].inputs.values()
    unit = F.normalize(states[real].double(), dim=1)
    ordered = (unit @ unit.T).fill_diagonal_(-2).sort(descending=True).values
    assert ordered[:, 0].max() < 1 - 1e-5
    gap = ordered[:, k - 1] - ordered[:, k]
    assert gap.min() > 1e-5


@pytest.mark.parametrize("case", EVERY)
def test_the_library_counts_the_same(case: int):
    states, tokens, real, k = NEIGHBOUR_IDENTITY.cases[case].inputs.values()
    theirs = same_token_neighbours(states[real], tokens[real], k=k, generator=torch.Generator())
    assert expected_of(NEIGHBOUR_IDENTITY, case) == pytest.approx(
        (theirs.share, theirs.ceiling), abs=1e-6
    )


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_the_share_never_passes_the_ceiling(seed: int, k: int):
    generator = seeded(seed)
    states = torch.randn(3, 5, 2, generator=generator)
    tokens = torch.randint(4, 9, (3, 5), generator=generator)
    real = torch.arange(5) < torch.tensor([5, 3, 2])[:, None]
    share, ceiling = neighbour_identity(states, tokens, real, k)
    assert 0 <= share <= ceiling + 1e-6 <= 1 + 1e-6


# ---- Other right answers


def with_numpy_lists(states, tokens, real, k):
    x, t = states[real].double().numpy(), tokens[real].numpy()
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    shares, ceilings = [], []
    for i in range(len(x)):
        order = [j for j in np.argsort(-(x @ x[i])) if j != i][:k]
        shares.append(np.mean(t[order] == t[i]))
        ceilings.append(min(k, np.sum(t == t[i]) - 1) / k)
    return np.mean(shares), np.mean(ceilings)


def with_padding_set_to_minus_infinity(states, tokens, real, k):
    unit, t, keep = F.normalize(states, dim=-1).flatten(0, 1), tokens.flatten(), real.flatten()
    similarity = unit @ unit.T
    similarity[:, ~keep] = -torch.inf
    similarity.diagonal().fill_(-torch.inf)
    nearest = similarity.topk(k, dim=1).indices
    share = (t[nearest] == t[:, None])[keep].float().mean()
    counts = ((t[:, None] == t) & keep).sum(1)[keep]
    return share.item(), ((counts - 1).clamp(max=k) / k).mean().item()


def with_one_tensor(states, tokens, real, k):
    return torch.stack(neighbour_identity(states, tokens, real, k))


RIGHT = [with_numpy_lists, with_padding_set_to_minus_infinity, with_one_tensor]


@pytest.mark.parametrize("answer", RIGHT)
def test_another_writing_passes(answer: Callable[..., Any]):
    assert report_on(NEIGHBOUR_IDENTITY, answer).passed


# ---- Slips


def with_loops(
    *, near=lambda a, b: F.cosine_similarity(a, b, dim=0), chosen=lambda pairs, k: pairs[:k],
    among=lambda words, i: words[:i] + words[i + 1 :], keep=lambda real: real,
    can=lambda n, k: min(k, n - 1) / k, score=lambda same, k: sum(same) / k,
):  # fmt: skip
    """An answer as a reader may write it, with one thing to change."""

    def answer(states, tokens, real, k):
        kept = keep(real)
        words = list(zip(states[kept], tokens[kept].tolist(), strict=True))
        share = ceiling = 0.0
        for i, (state, token) in enumerate(words):
            others = [(float(near(state, x)), name) for x, name in among(words, i)]
            others.sort(key=lambda pair: pair[0], reverse=True)
            share += score([name == token for _near, name in chosen(others, k)], k)
            ceiling += can(sum(name == token for _x, name in words), k)
        return share / len(words), ceiling / len(words)

    return answer


SLIPS = {
    "dot-product": with_loops(near=lambda a, b: a @ b),
    "euclidean-distance": with_loops(near=lambda a, b: -(a - b).norm()),
    "farthest-instead-of-nearest": [
        with_loops(near=lambda a, b: (a - b).norm()),
        with_loops(near=lambda a, b: -F.cosine_similarity(a, b, dim=0)),
        with_loops(chosen=lambda pairs, k: pairs[-k:]),
    ],
    "query-among-its-neighbours": with_loops(among=lambda words, i: words),
    "padding-included": with_loops(keep=torch.ones_like),
    "ceiling-ignored": with_loops(can=lambda n, k: 1.0),
    "ceiling-counts-the-query": with_loops(can=lambda n, k: min(k, n) / k),
    "ceiling-not-capped": with_loops(can=lambda n, k: (n - 1) / k),
    "found-or-not": [
        with_loops(score=lambda same, k: float(any(same))),
        with_loops(score=lambda same, k: float(same[0])),
        with_loops(score=lambda same, k: float(2 * sum(same) > k)),
    ],
}


def test_the_reader_s_loops_pass_unchanged():
    assert report_on(NEIGHBOUR_IDENTITY, with_loops()).passed


@wrong_answers(SLIPS)
def test_a_slip_is_named(wrong, mistake: str):
    assert named(NEIGHBOUR_IDENTITY, wrong) == mistake


def in_batches(states, tokens, real, k):
    """Within each sentence, by a product of the whole batch."""
    unit = F.normalize(states, dim=-1)
    similarity = (unit @ unit.mT).masked_fill(~real[:, None], -torch.inf)
    similarity.diagonal(dim1=1, dim2=2).fill_(-torch.inf)
    nearest = similarity.topk(k).indices
    same = tokens.gather(1, nearest.flatten(1)).view_as(nearest) == tokens[..., None]
    return same[real].float().mean(), neighbour_identity(states, tokens, real, k)[1]


def sentence_after_sentence(states, tokens, real, k):
    """The right answer to each sentence, averaged; a sentence of few words raises."""
    pairs = [
        neighbour_identity(x[None], t[None], keep[None], k)
        for x, t, keep in zip(states, tokens, real, strict=True)
    ]
    return sum(share for share, _ in pairs) / len(pairs), sum(c for _, c in pairs) / len(pairs)


def counted_in_each_sentence(states, tokens, real, k):
    """Share and ceiling over the words of all sentences, each within its own sentence."""
    found = possible = count = 0
    for x, t, keep in zip(states, tokens, real, strict=True):
        unit, words = F.normalize(x[keep], dim=-1), t[keep]
        similarity = (unit @ unit.T).fill_diagonal_(-torch.inf)
        nearest = similarity.topk(min(k, len(words) - 1)).indices
        found += (words[nearest] == words[:, None]).sum()
        possible += ((words[:, None] == words).sum(1) - 1).clamp(max=k).sum()
        count += k * len(words)
    return found / count, possible / count


def looped_over_positions(states, tokens, real, k):
    shares, possible = [], []
    for b, i in real.nonzero().tolist():
        others = [j for j in range(tokens.shape[1]) if real[b, j] and j != i]
        others.sort(key=lambda j: -float(F.cosine_similarity(states[b, i], states[b, j], dim=0)))
        same = [bool(tokens[b, j] == tokens[b, i]) for j in others]
        shares.append(sum(same[:k]) / k)
        possible.append(min(k, sum(same)) / k)
    return sum(shares) / len(shares), sum(possible) / len(possible)


def batched_with_its_counts(states, tokens, real, k):
    share, _ceiling = in_batches(states, tokens, real, k)
    count = ((tokens[:, :, None] == tokens[:, None]) & real[:, None]).sum(-1)
    return share, ((count - 1).clamp(max=k) / k)[real].mean()


def multiplied_by_the_mask(states, tokens, real, k):
    return neighbour_identity(states * real[..., None] + 1e-9, tokens, torch.ones_like(real), k)


def zero_diagonal(states, tokens, real, k):
    x, t = F.normalize(states[real], dim=-1), tokens[real]
    nearest = (x @ x.T * (1 - torch.eye(len(x)))).topk(k).indices
    share = (t[nearest] == t[:, None]).double().mean()
    return share, neighbour_identity(states, tokens, real, k)[1]


def last_axis_forgotten(states, tokens, real, k):
    x = F.normalize(states[real], dim=0)
    t = tokens[real]
    nearest = (x @ x.T).fill_diagonal_(-torch.inf).topk(k).indices
    share = (t[nearest] == t[:, None]).double().mean()
    return share, neighbour_identity(states, tokens, real, k)[1]


def counted_in_all_tokens(states, tokens, real, k):
    counts = torch.bincount(tokens.flatten())[tokens[real]]
    ceiling = ((counts - 1).clamp(max=k) / k).mean()
    return neighbour_identity(states, tokens, real, k)[0], ceiling


def ratio(states, tokens, real, k):
    share, ceiling = (float(x) for x in neighbour_identity(states, tokens, real, k))
    return share / ceiling if ceiling else 0.0, ceiling


@wrong_answers(
    {
        "within-the-sentence": [
            in_batches,
            sentence_after_sentence,
            counted_in_each_sentence,
            looped_over_positions,
            batched_with_its_counts,
        ],
        "query-among-its-neighbours": zero_diagonal,
        "normalised-over-the-states": last_axis_forgotten,
        "ceiling-counts-padding": counted_in_all_tokens,
        "share-divided-by-ceiling": ratio,
        "share-and-ceiling-exchanged": lambda *inputs: neighbour_identity(*inputs)[::-1],
        "mean-taken-off": lambda x, t, real, k: neighbour_identity(x - x[real].mean(0), t, real, k),
    }
)
def test_another_slip_is_named(wrong, mistake: str):
    assert named(NEIGHBOUR_IDENTITY, wrong) == mistake


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (lambda *inputs: neighbour_identity(*inputs)[0], "expected 2 values"),
        (lambda *inputs: [100 * x for x in neighbour_identity(*inputs)], "In share: The number"),
        (lambda x, t, real, k: neighbour_identity(x, t, real, k + 1), "In share: The number"),
        (lambda x, t, real, k: (t[real] == 5, 0.5), "In share: It returned a tensor"),
    ],
)
def test_another_count_gets_a_plain_report(answer: Callable[..., Any], sentence: str):
    assert is_plain(NEIGHBOUR_IDENTITY, answer, sentence)
