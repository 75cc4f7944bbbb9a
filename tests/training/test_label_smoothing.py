import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd import gradcheck

from bottomup.data import PAD
from bottomup.training import smoothed_cross_entropy, token_cross_entropy
from tests.drawn import seeded

CONVENTIONS = ["all", "others", "no_padding"]
BATCH, TARGET, VOCABULARY = 2, 5, 7
MASK = torch.tensor([[True, True, True, True, False], [True, True, False, False, False]])
TOKENS = torch.tensor([[3, 1, 6, 2, PAD], [4, 2, PAD, PAD, PAD]])


def logits_of(seed: int = 0) -> Tensor:
    shape = (BATCH, TARGET, VOCABULARY)
    return torch.randn(shape, generator=seeded(seed), dtype=torch.float64)


def smoothed_target(right: int, vocabulary: int, smoothing: float, convention: str) -> Tensor:
    """The target distribution, class by class."""
    without = {"all": set(), "others": {right}, "no_padding": {right, PAD}}[convention]
    share = smoothing / (vocabulary - len(without))
    q = [0.0 if v in without else share for v in range(vocabulary)]
    q[right] += 1 - smoothing
    return torch.tensor(q, dtype=torch.float64)


# ---- Three classes by hand: p = (1/8, 1/2, 3/8), the right token is 1, e = 0.3


@pytest.mark.parametrize(
    "convention, q",
    [
        ("all", (0.1, 0.8, 0.1)),
        ("others", (0.15, 0.7, 0.15)),
        ("no_padding", (0.0, 0.7, 0.3)),
    ],
)
def test_three_classes_by_hand(convention, q):
    p = (1 / 8, 1 / 2, 3 / 8)
    logits = torch.tensor([[p]], dtype=torch.float64).log()
    expected = -sum(share * math.log(chance) for share, chance in zip(q, p, strict=True))
    loss = smoothed_cross_entropy(
        logits,
        torch.tensor([[1]]),
        torch.tensor([[True]]),
        smoothing=0.3,
        convention=convention,
    )
    assert loss.item() == pytest.approx(expected, rel=1e-12)
    assert smoothed_target(1, 3, 0.3, convention).tolist() == pytest.approx(q)


# ---- Against other implementations


@pytest.mark.parametrize("smoothing", [0.1, 0.5, 0.99])
def test_all_is_what_torch_does(smoothing):
    ours = smoothed_cross_entropy(logits_of(), TOKENS, MASK, smoothing=smoothing)
    theirs = F.cross_entropy(
        logits_of().flatten(0, 1), TOKENS.flatten(), ignore_index=PAD, label_smoothing=smoothing
    )
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


@given(
    convention=st.sampled_from(CONVENTIONS),
    smoothing=st.floats(0.0, 0.999),
    seed=st.integers(0, 100),
)
def test_the_loss_is_the_cross_entropy_with_the_smoothed_target(convention, smoothing, seed):
    logits = logits_of(seed)
    loss = smoothed_cross_entropy(logits, TOKENS, MASK, smoothing=smoothing, convention=convention)
    q = torch.stack(
        [smoothed_target(int(y), VOCABULARY, smoothing, convention) for y in TOKENS[MASK]]
    )
    expected = F.cross_entropy(logits[MASK], q)
    torch.testing.assert_close(loss, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_no_smoothing_is_the_plain_cross_entropy(convention):
    plain = token_cross_entropy(logits_of(), TOKENS, MASK)
    loss = smoothed_cross_entropy(logits_of(), TOKENS, MASK, smoothing=0, convention=convention)
    assert torch.equal(loss, plain)


def test_all_is_others_with_a_little_less_smoothing():
    logits = logits_of()
    less = 0.3 * (VOCABULARY - 1) / VOCABULARY
    torch.testing.assert_close(
        smoothed_cross_entropy(logits, TOKENS, MASK, smoothing=0.3),
        smoothed_cross_entropy(logits, TOKENS, MASK, smoothing=less, convention="others"),
        rtol=0,
        atol=1e-12,
    )


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_least_loss_is_the_entropy_of_the_target(convention):
    q = torch.stack(
        [smoothed_target(int(y), VOCABULARY, 0.2, convention) for y in TOKENS.flatten()]
    )
    entropy = -torch.special.xlogy(q, q).sum(dim=-1).view(BATCH, TARGET)[MASK].mean()
    best = q.log().view(BATCH, TARGET, VOCABULARY)
    options = {"smoothing": 0.2, "convention": convention}
    real = TOKENS.masked_fill(~MASK, 1)
    loss = smoothed_cross_entropy(best, real, MASK, **options)
    torch.testing.assert_close(loss, entropy, rtol=0, atol=1e-12)
    assert smoothed_cross_entropy(best + 0.5 * logits_of(), real, MASK, **options) > loss


# ---- Padding and infinities


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("junk", [-torch.inf, torch.inf, torch.nan, 1e30])
def test_what_stands_at_padded_positions_is_not_read(convention, junk):
    options = {"smoothing": 0.1, "convention": convention}
    expected = smoothed_cross_entropy(logits_of(), TOKENS, MASK, **options)
    logits = logits_of().masked_fill(~MASK[..., None], junk).requires_grad_()
    loss = smoothed_cross_entropy(logits, TOKENS.masked_fill(~MASK, 5), MASK, **options)
    assert torch.equal(loss, expected)
    loss.backward()
    assert (logits.grad[~MASK] == 0).all()
    assert (logits.grad[MASK] != 0).all()


def test_an_impossible_class_without_mass_costs_nothing():
    logits = logits_of()
    logits[..., PAD] = -torch.inf
    leaf = logits.clone().requires_grad_()
    options = {"smoothing": 0.1, "convention": "no_padding"}
    loss = smoothed_cross_entropy(leaf, TOKENS, MASK, **options)
    loss.backward()
    # The same as if the vocabulary had no class PAD, with e shared among all others.
    without = smoothed_cross_entropy(
        logits[..., 1:], (TOKENS - 1).clamp(min=0), MASK, smoothing=0.1, convention="others"
    )
    torch.testing.assert_close(loss.detach(), without, rtol=0, atol=1e-12)
    assert leaf.grad.isfinite().all()
    assert (leaf.grad[..., PAD] == 0).all()


@pytest.mark.parametrize("convention", ["all", "others"])
def test_an_impossible_class_with_mass_costs_infinity(convention):
    logits = logits_of()
    logits[..., PAD] = -torch.inf
    options = {"smoothing": 0.1, "convention": convention}
    assert smoothed_cross_entropy(logits, TOKENS, MASK, **options).item() == math.inf
    assert smoothed_cross_entropy(logits, TOKENS, MASK, smoothing=0).isfinite()


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_an_impossible_right_token_costs_infinity(convention):
    logits = logits_of()
    logits[0, 0, TOKENS[0, 0]] = -torch.inf
    loss = smoothed_cross_entropy(logits, TOKENS, MASK, smoothing=0.1, convention=convention)
    assert loss.item() == math.inf


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_gradient_is_right_in_float64(convention):
    def loss(logits: Tensor) -> Tensor:
        return smoothed_cross_entropy(logits, TOKENS, MASK, smoothing=0.3, convention=convention)

    assert gradcheck(loss, logits_of().requires_grad_())


def test_float32_stays_float32(device):
    logits, tokens, mask = logits_of().float().to(device), TOKENS.to(device), MASK.to(device)
    for convention in CONVENTIONS:
        options = {"smoothing": 0.1, "convention": convention}
        loss = smoothed_cross_entropy(logits, tokens, mask, **options)
        exact = smoothed_cross_entropy(logits_of(), TOKENS, MASK, **options)
        assert loss.dtype == torch.float32 and loss.device == logits.device
        assert loss.item() == pytest.approx(exact.item(), rel=1e-6)


# ---- Bad input


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"smoothing": 1.0}, ValueError, "smoothing: expected a number >= 0 and < 1, got 1.0"),
        ({"smoothing": -0.1}, ValueError, "smoothing: .* got -0.1"),
        ({"smoothing": math.nan}, ValueError, "smoothing: .* got nan"),
        ({"smoothing": "0.1"}, TypeError, "smoothing: expected a number, got '0.1'"),
        ({"convention": "torch"}, ValueError, "convention: expected one of 'all', 'others', 'no_"),
        ({"mask": ~MASK & MASK}, ValueError, "mask: expected at least one real token"),
        ({"mask": MASK.float()}, TypeError, "mask: expected a boolean mask"),
        ({"target": TOKENS[:, :2]}, ValueError, r"target: expected axes \[batch=2, target=5\]"),
        ({"target": TOKENS + 7}, ValueError, r"target: .* \[0, 7\)"),
        ({"logits": TOKENS}, TypeError, "logits: expected a floating-point tensor"),
        (
            {"mask": MASK | True, "convention": "no_padding"},
            ValueError,
            "target: expected no PAD at a real token with convention 'no_padding', got 0",
        ),
        (
            {"logits": torch.zeros(2, 5, 1), "target": TOKENS * 0, "convention": "others"},
            ValueError,
            "logits: expected a vocabulary of more than 1 with convention 'others', got 1",
        ),
        (
            {
                "logits": torch.zeros(2, 5, 2),
                "target": TOKENS.clamp(max=1),
                "convention": "no_padding",
            },
            ValueError,
            "logits: expected a vocabulary of more than 2 with convention 'no_padding', got 2",
        ),
    ],
)
def test_bad_arguments_are_refused(options, error, message):
    arguments = {"logits": logits_of(), "target": TOKENS, "mask": MASK, **options}
    with pytest.raises(error, match=message):
        smoothed_cross_entropy(**arguments)
