"""Writes do to values, versions, histories and views what they do in torch, and are refused so."""

import random
from typing import Any

import pytest
import torch

import smalltorch
from tests.smalltorch.both import assert_same

pytestmark = pytest.mark.filterwarnings("ignore")  # what torch finds out of date

# Statements of a program, each of which may fail. `w` and `u` are leaves, `p` asks for no gradient.
PROGRAMS = """
w.mul_(2) | w.fill_(1) | w[0] = 1 | w[:] = 1 | w[...] = 1 | w[None] = 1 | w[w > 1] = 0
w[[0]] = 1 | w[0, w[0] > 0] = 1 | w.fill_diagonal_(0) | w.view(-1).zero_() | w.T.add_(1)
with torch.no_grad(): w.mul_(2) | with torch.no_grad(): w[0] = 1 | y = w * 2
y = w * u | with torch.no_grad(): u.add_(1)
y = w * w | w.data.mul_(2) | y = y * 1
y = w * w | w.detach().mul_(2)
d = w.detach() | d.zero_() | y = w * 1
w.data = torch.ones(2, 3) | y = w * w
y = w * 1 | z = y * y | y.add_(1)
y = w * 1 | z = y + y | y.add_(1)
y = w.exp() | y.add_(1)
y = w.sigmoid() | y.mul_(2)
y = w.tanh() | y[0] = 0
y = w * 1 | y.exp_() | y.mul_(2)
y = w * 1 | y.exp_() | y += 1
y = w * p | p.add_(1)
y = w * 1 | y.mul_(y)
y = w * 1 | y.mul_(w)
y = w * 1 | y.div_(u) | y.sub_(u)
y = w * 1 | y *= p
y = w.exp() | y /= y.sum(-1, keepdim=True)
y = w.clone() | y.exp_() | y /= y.sum(-1, keepdim=True)
y = w.exp() | y = y / y.sum(-1, keepdim=True)
y = w * 1 | y[y > 1] = 0
y = w * 1 | y[y > 1] = u.sum()
y = w * 1 | y[y > 1] += 1
y = w * 1 | y[0] += 1 | y[0, 1] *= u[0, 0]
y = w * 1 | y[0] = y[1] * y[0]
y = w * 1 | y[0] = y[1] + y[0]
y = w * 1 | y[0].mul_(y[1])
y = w * 1 | y[[0]] = y[[1]] | y[:, [0, 2]] = u[:, :2]
y = w * 1 | y.copy_(u) | y.copy_(u[:1]) | y.copy_(p) | y.copy_(3.0)
y = w * 1 | y.zero_() | y += u
y = w * 1 | y.fill_(u.sum())
y = w * 1 | y.masked_fill_(y > 1, 0.5)
y = w * 1 | y.clamp_(0, 1) | y.relu_()
y = w * 1 | y.index_add_(0, torch.tensor([0, 0]), u) | u.data.zero_()
y = w * 1 | v = y.index_add(0, torch.tensor([0]), y[:1]) | y.zero_()
y = w * 1 | y.scatter_(1, torch.tensor([[0], [1]]), u[:, :1])
y = w * 1 | y.fill_diagonal_(0) | y.tril_()
y = torch.zeros(2, 3) | y[0] = w[0] | y[1] = 2 * w[1]
y = torch.zeros(2, 3) | y.copy_(w)
y = torch.zeros(2, 3) | y += w
y = torch.zeros(2, 3) | y[0] = w[0] | z = y.exp() | y[1] = w[1]
y = torch.zeros(2, 3) | y[0] = w[0] | z = y * y | y[1] = w[1]
y = torch.zeros(2, 3) | y[0] = w[0] | z = (y[0] * y[0]).sum() | y[1] = w[1]
y = torch.zeros(2, 3) | a, b = y[0], y[1] | a.copy_(w[0]) | b.copy_(w[1])
y = torch.zeros(2, 3) | a, b = y[0], y[1] | a.copy_(w[0]) | z = b + 1 | b.copy_(w[1])
y = torch.zeros(2, 3) | v = y[0] | y.mul_(w) | z = v * 2
y = torch.zeros(2, 3) | v = y[0] | v.requires_grad_() | y.mul_(2) | v.mul_(2)
y = w * 1 | v = y[0] | y.mul_(2) | z = v * 3
y = w * 1 | v = y[0] | v.mul_(2) | z = y * v
y = w * 1 | v = y.T | v[0] = 0 | y[0] = u[0] | z = v * 1
y = w * 1 | a = y[:1] | b = a[0] | b.mul_(3) | z = a * 2
y = w * 1 | v = y.view(-1) | v[::2] = p.view(-1)[::2] | v.exp_() | z = y * 2
y = w * 1 | v = y[0] | v.exp_() | y.add_(1)
y = w * 1 | v = y[:, 1] | z = v * v | y.mul_(2)
y = w * 1 | v = y[0] | with torch.no_grad(): v.zero_() | z = y * v
y = w * 1 | with torch.no_grad(): y.mul_(2) | z = y * 1
y = w * 1 | with torch.no_grad(): v = y[0] | v.mul_(2)
y = w * 1 | with torch.no_grad(): v = y[0] | y.mul_(2) | z = v + 1
with torch.no_grad(): v = w[0] | v.mul_(2) | z = v * 1 | a = v[:1] | a.add_(1)
with torch.no_grad(): v = w[0] | with torch.no_grad(): w.mul_(2) | z = v * 1
y = w * 1 | a, b = y.unbind() | a.mul_(2)
y = w * 1 | a, b = y.unbind() | y.mul_(2) | z = a * 1
y = w * 1 | a, b = y.unbind() | a[0] = 1
y = w * 1 | a, b = y.split([1, 1]) | b.mul_(2)
y = w * 1 | a, b = y.chunk(2) | a.mul_(2) | with torch.no_grad(): y.zero_() | z = b + 1
y = torch.zeros(2, 3) | a, b = y | a += 1 | b.mul_(u[0])
y = torch.zeros(2, 3) | a, b = y | y.mul_(w) | z = a + 1
with torch.no_grad(): a, b = w | a.mul_(2)
y = w * 1 | v = y.detach() | v[0] = 0 | z = y * 1
y = w * 1 | z = y * y | v = y.detach() | v[0] = 0
y = w * 1 | y.retain_grad() | z = y * 2
e = p.expand(2, 2, 3) | e.add_(1) | e.copy_(torch.ones(2, 2, 3)) | e[0] = 7 | e.zero_()
e = p[:1].expand(2, 3) | e[:, 1] = 1 | e[:] = 1 | e.fill_(p[0, 0]) | e[0, 0] = 5 | e.exp_()
e = p[:1].expand(2, 3) | e[0] = torch.ones(3) | e[:, 1:] = torch.ones(2)
p[1:] += p[:1] | p[:1] = p[1:] | p[:, 1:] = p[:, :2] | p[:, :2] = p[:, 1:]
v = p.view(-1) | v[1:] += v[:-1] | v[1:] = v[:-1] | v[:] = v | v[:] = v.flip(0) | v[:3] = v[3:]
q = torch.arange(9.0).view(3, 3) | q += q.T | q.copy_(q.T) | q[0] += q | q[0] = q.sum(0)
p.index_add_(0, torch.tensor([0]), p[:1]) | p.scatter_(1, torch.tensor([[0], [1]]), p)
n = torch.arange(3) | n += 1.5 | n /= 2 | n //= 2 | n[0] = 2.7 | n.copy_(torch.tensor([1.5, 2, 3]))
n = torch.zeros(3).bool() | n += 1 | n[0] = 3 | n |= True
n = torch.zeros(3).half() | n += torch.ones(3) | n += torch.ones(3).double() | n[0] = 1e6
n = torch.zeros(3) | n += torch.ones(2, 3) | n += torch.ones(2) | n.copy_(torch.ones(2, 3))
n = torch.zeros(2, 3) | n += torch.ones(3) | n.copy_(torch.ones(3)) | n[0] = torch.ones(1, 3)
y = w * 1 | for row in y.view(2, 3): row /= row.sum()
y = w * 1 | for i in range(2): y[i] /= y[i].sum()
y = w * 1 | for i in range(2): y[i] = y[i] / y[i].sum()
y = [] | for i in range(2): y.append(w[i] * 2) | z = torch.stack(y) | z[0] = 1
"""
VIEWS = """
a[0] | a[-1:] | a[..., 1] | a.reshape(-1) | a.view(-1) | a.t() | a.T | a[None] | a.squeeze() | a[:]
a.unsqueeze(-1) | a.expand_as(b) | a.detach() | a.diagonal() | a.chunk(2)[0] | a.unbind()[0]
a.flatten() | a.data | a[..., :2] | a.narrow(0, 0, 1) | a.transpose(0, -1) | a[:, [1, 0]]
a * b | a + b | a.exp() | a * 2 | a.sigmoid() | a.sum(-1, keepdim=True) | a - b.mean() | a * a
a / (b.abs() + 1) | torch.cat([a.flatten(), b.flatten()]) | torch.stack([a, a]) | a.softmax(-1)
a.relu() | a.clone()
"""
WRITES = """
a.mul_(b) | a.add_(b) | a.mul_(2) | a.exp_() | a.sigmoid_() | a.zero_() | a.fill_(3.) | a.copy_(b)
a[0] = b[0] | a[a > 1] = 0. | a[..., 0] += 1 | a[a > 0] += 1 | a /= b.sum() | a[0] = b | a[:] = b
a.masked_fill_(a > 1, .5) | a[[0]] = b[[0]] | a -= b | a.tanh_() | a[0, 0] = 7. | a.tril_()
a.neg_() | a.clamp_(-1, 1) | a.fill_diagonal_(0) | a.fill_(b.sum())
a[..., -1] = b.mean() | a.index_add_(0, torch.tensor([0]), b[:1])
"""


@pytest.mark.parametrize("program", PROGRAMS.strip().splitlines())
def test_a_program_goes_as_with_torch(program):
    _same_program(_parts(program))


@pytest.mark.parametrize("seed", range(300))
def test_a_random_program_goes_as_with_torch(seed):
    _same_program(_random_program(random.Random(seed)))


@pytest.mark.parametrize("kind", ["int64", "float32", "bool"])
@pytest.mark.parametrize("length", [2, 7, 8, 9, 12, 17, 40])
def test_a_copy_reads_what_it_has_written_as_with_torch(kind, length):
    def moved(module: Any, *cuts: slice) -> Any:
        row = module.arange(3 * length).reshape(3, length).to(getattr(module, kind))
        row[:, cuts[0]] = row[:, cuts[1]]
        return row

    right, left = slice(1, None), slice(None, -1)
    for cuts in ((right, left), (left, right)):
        assert_same(moved(smalltorch, *cuts), moved(torch, *cuts))


def _parts(text: str) -> list[str]:
    return [part.strip() for line in text.strip().splitlines() for part in line.split(" | ")]


def _random_program(chance: random.Random) -> list[str]:
    views, writes = _parts(VIEWS), _parts(WRITES)
    known = ["w", "p", "y", "z"]
    program = ["z = torch.zeros(2, 3)", "y = w * 1"]
    for step in range(chance.randint(2, 7)):
        names = f"a, b = {chance.choice(known)}, {chance.choice(known)}"
        target = names.split()[3].rstrip(",")
        if chance.random() < 0.5:
            known.append(f"t{step}")
            line = f"t{step} = {chance.choice(views)}"
        else:
            line = chance.choice(writes)
        program.append(names)
        program.append(f"with torch.no_grad(): {line}" if chance.random() < 0.12 else line)
        program.append(f"{target} = a")  # `a /= b` gives `a` another value, if only the same one
    return [*program, "del a, b"]


def _same_program(program: list[str]) -> None:
    expected, got = (_went(module, program) for module in (torch, smalltorch))
    for theirs, ours in zip(expected, got, strict=True):
        assert_same(ours, theirs, 1e-5)


def _went(module: Any, program: list[str]) -> list[Any]:
    """Return what comes of a program: errors, all tensors, and the gradients of the leaves."""
    data = [[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]], [[1.0, 2.0, 3.0], [-1.0, 0.25, 1.0]]
    w, u, p = (module.tensor(data[kind]) for kind in (0, 1, 1))
    names = {"torch": module, "w": w.requires_grad_(), "u": u.requires_grad_(), "p": p}
    errors: list[Any] = []
    for statement in program:
        errors.append(_error(lambda statement=statement: exec(statement, names)))
    tensors = {name: each for name, each in names.items() if isinstance(each, module.Tensor)}
    states = [_state(each) for each in tensors.values()]
    asking = [each for each in tensors.values() if each.requires_grad]
    error = _error(lambda: sum((each * 1.5).sum() for each in asking).backward())
    gradients = None if error else [each.grad for each in (w, u)]
    return [*errors, list(tensors), states, error, gradients]


def _error(act: Any) -> BaseException | None:
    try:
        act()
    except Exception as error:
        return _without_name(error)
    return None


def _without_name(error: Exception) -> Exception:
    """Return an error without the step that it names: a view is named for how it was used."""
    text = str(error)
    start, found, rest = text.partition(", which is output ")
    return type(error)(start + rest.partition(",")[2]) if found else error


def _state(tensor: Any) -> Any:
    error = _error(lambda: tensor.grad_fn)
    is_leaf = error or tensor.grad_fn is None
    return tensor.detach().clone(), tensor.requires_grad, is_leaf, tensor._version
