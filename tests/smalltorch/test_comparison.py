"""Comparisons, truth values and bits are torch's."""

import operator

import pytest
import torch

from tests.smalltorch.both import same

nan, inf = float("nan"), float("inf")
W = torch.tensor([[5, -7, 2], [3, 1, -4]])
F = torch.tensor([[1.5, 1.0, nan], [inf, -inf, 0.1]])
B = torch.tensor([[True, False, True], [False, False, True]])
C = torch.tensor([[1 + 2j, -3j, 0.5 + 0j], [2 - 1j, 1j, 1 + 0j]])
KINDS = [W, W.to(torch.uint8), F, F.double(), F.half(), F.bfloat16(), B]
NUMBERS = [1, -4, 257, 0.1, True, inf]
RELATIONS = "eq ne lt le gt ge".split()
BITS = "and_ or_ xor lshift rshift".split()


@pytest.mark.parametrize("name", RELATIONS)
def test_relations(name):
    relation, symbol = (lambda torch: getattr(torch, name)), getattr(operator, name)
    for a in KINDS:
        for b in KINDS:
            same(lambda torch, a, b: relation(torch)(a, b), a, b[:1])
            same(lambda torch, a, b: symbol(a, b), a, b[0, 0])
        for number in NUMBERS:
            same(lambda torch, a, n=number: (relation(torch)(a, n), symbol(a, n), symbol(n, a)), a)
        same(lambda torch, a: a.T.clone().T.eq_(1) if a.dtype != torch.bool else a, a)
        same(lambda torch, a: symbol(a, None), a)
        same(lambda torch, a: relation(torch)(a, None), a)
        same(lambda torch, a: relation(torch)(1, a), a)
    same(lambda torch, a: symbol(a, a[:1]), C)
    same(lambda torch, a: symbol(a, "a"), W)


@pytest.mark.parametrize("name", BITS)
def test_bits(name):
    symbol = getattr(operator, name)
    for a in KINDS:
        for b in KINDS:
            same(lambda torch, a, b: symbol(a, b), a, b[:1])
        for number in (1, 6, True, 2.0, None):
            same(lambda torch, a, n=number: symbol(a, n), a)
            same(lambda torch, a, n=number: symbol(n, a), a)
    same(lambda torch, a: symbol(a, torch.tensor([70, -1, 2])), W)
    same(lambda torch, a: ~a, W)
    same(lambda torch, a: ~a, B)
    same(lambda torch, a: ~a, F)
    same(lambda torch, a: torch.bitwise_not(a), F)
    same(lambda torch, a: a.clone().bitwise_and_(6).bitwise_or(3).bitwise_xor(9), W)


@pytest.mark.parametrize("name", "logical_and logical_or logical_xor".split())
def test_logic(name):
    for a in [*KINDS, C]:
        for b in KINDS:
            same(lambda torch, a, b: getattr(torch, name)(a, b), a, b)
            same(lambda torch, a, b: getattr(a, name)(b.T), a, b)
        same(lambda torch, a: torch.logical_not(a), a)
        same(lambda torch, a: getattr(torch, name)(a, 1), a)
    same(lambda torch, a: torch.logical_not(1), W)


@pytest.mark.parametrize("name", "isnan isinf isfinite isposinf isneginf".split())
def test_what_kind_of_number(name):
    for a in KINDS:
        same(lambda torch, a: getattr(torch, name)(a), a)
        same(lambda torch, a: getattr(a.T, name)().stride(), a)
    same(lambda torch, a: getattr(torch, name)(1.5), W)


def test_closeness():
    near = F + torch.tensor([1e-6, 1e-3, 0.0])
    for limits in ({}, {"rtol": 1e-2}, {"atol": 1e-2}, {"equal_nan": True}, {"rtol": -1.0}):
        same(lambda torch, a, b, k=limits: torch.isclose(a, b, **k), F, near)
        same(lambda torch, a, b, k=limits: torch.allclose(a, b, **k), F, near)
    same(lambda torch, a: torch.allclose(a, a, equal_nan=True), F)
    same(lambda torch, a: torch.allclose(a, a + 1, 1, 1), W)
    same(lambda torch, a, b: torch.allclose(a, b), F, W)
    same(lambda torch, a: torch.isclose(a, a), B)
    same(lambda torch, a: torch.allclose(a, a.double()), F)
    same(lambda torch, a: torch.allclose(a, 1.0), F)
    same(lambda torch, a: torch.allclose(a, a[:, :2]), F)
    same(lambda torch, a: a.allclose(a[:1]), W)


def test_equal():
    for a in KINDS:
        for b in KINDS:
            same(lambda torch, a, b: torch.equal(a, b), a, b)
        same(lambda torch, a: (torch.equal(a, a[:1]), a.T.equal(a.T.contiguous())), a)
        same(lambda torch, a: torch.equal(a, 1), a)


def test_membership():
    same(lambda torch, a: torch.isin(a, torch.tensor([1, 2])), W)
    same(lambda torch, a: torch.isin(a, torch.tensor([1, 2]), invert=True), W.T)
    same(lambda torch, a: torch.isin(a, 5), W)
    same(lambda torch, a: torch.isin(5, a), W)
    same(lambda torch, a: torch.isin(a, torch.tensor([nan, 1.0])), F)
    same(lambda torch, a: torch.isin(a, [1]), W)
    same(lambda torch, a: torch.isin(1, 1), W)
    same(lambda torch, a: (1 in a, 8 in a, a[0] in a), W)
    same(lambda torch, a: "a" in a, W)


def test_results_have_no_history():
    same(lambda torch, a: a > 0, F, gradients=True)
    same(lambda torch, a: (a.isnan(), a == 1, ~(a != 2), a.isclose(a)), F.clone().requires_grad_())
