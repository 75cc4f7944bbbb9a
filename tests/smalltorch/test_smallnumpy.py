"""The small numpy: values, dtypes and texts as numpy's."""

import math
from typing import Any

import numpy
import pytest
import torch

import smallnumpy
import smalltorch
from smalltorch.refusal import NotHere

LINES = """
array([1, 2])
array([1, 2.5])
array([[True, False]])
array([1.5], dtype=np.float32)
array([1, 2], dtype=float)
array(2.5)
array([np.float64(1.5), 2])
array([np.arange(2), np.arange(2)])
array([["a", "b"], ["c", "d"]], dtype=object)
array([["a", "b"], ["c", "d"]], dtype=object).reshape(4)
array([["a", "b"], ["c", "d"]], dtype=object)[1, 0]
array([["a", "b"], ["c", "d"]], dtype=object).T
array(["ab", 3, None], dtype=object)
array([["a", "b"], ["c", "d"]], dtype=object) != np.array([["a", "c"], ["c", "e"]], dtype=object)
array_equal(np.array(["a"], dtype=object), np.array(["a"], dtype=object))
array_equal(np.arange(3), np.arange(4))
array_equal(np.arange(3), [0, 1, 2])
concatenate([np.array([["a"]], dtype=object), np.array([["b"]], dtype=object)], axis=-1)
concatenate([np.arange(3), np.ones(2)])
stack([np.arange(3), np.arange(3)], axis=1)
argwhere((n != 3).reshape(2, 3))
argwhere(np.array([["a", "b"]], dtype=object) != np.array([["a", "c"]], dtype=object))[0]
arange(5)
arange(1, 2, 0.25)
zeros((2, 3))
ones(3, dtype=int)
full((2,), 7)
eye(3)
linalg.norm(x, axis=1, keepdims=True)
linalg.norm(n)
linalg.svd(x, full_matrices=False)[1]
isfinite(np.array([1.0, np.inf, np.nan]))
isnan(np.array([1.0, np.nan]))
isin(n % 4, np.arange(2, 4))
nonzero(n % 2)
flatnonzero(n % 2 == 0)
argsort(-x)
exp(n)
log(n + 1)
sqrt(np.float32(4.0))
maximum(n, 2.5)
minimum(x, 0.5)
where(n > 2, n, -1)
where(n > 2)
abs(-x)
outer(n, n)
unique(np.array([3, 1, 3]))
mean([1, 2, 4])
sum([True, True])
max(x)
x[0]
x[0, 1]
x[1:]
x[:, 0]
x[..., None].shape
x[[1, 0]]
x[n[:2] == 1]
x[x > 0.5]
x[np.ix_([1, 0], [0, 2])]
x[::-1]
x[:, ::-2]
x[-1]
x.T
x.shape, x.ndim, x.size, len(x)
x.reshape(-1)
x.reshape(3, 2)
x.transpose(1, 0)
x.ravel()
x.flatten()
x.astype(int)
x.astype(np.float32) * 2.5
x.astype("float32").dtype == np.float32
x.dtype in (np.float32, np.float16)
x.dtype.kind, n.dtype.kind, (n > 1).dtype.kind
[str(x.dtype), repr(n.dtype)]
x.sum()
x.sum(axis=0)
x.sum(axis=1, keepdims=True)
x.mean(axis=(0, 1))
n.mean()
x.var(axis=1)
x.std(ddof=1)
x.max(axis=1)
x.min()
x[:0].max(initial=0)
x[:0].max()
n.any(), n.all()
(n > 1).any(axis=-1)
(n > 1).sum()
n.argmax()
n.cumsum()
n.prod()
n / 2
n // 2
n % 4
n ** 2
2 - n
2 / (n + 1)
10 // (n + 1)
n + 0.5
(n > 2) & (n < 5)
(n > 2) | (n == 0)
~(n > 2)
(n > 2) + 1
n * x[:, :1]
x.astype(np.float32) + n[:3]
x @ x.T
x @ [1.0, 2.0, 3.0]
-x
n == 3
n == "a"
n != None
n == np.arange(6)
[bool(n)]
[float(x[0, 0]), int(n[3])]
[row.tolist() for row in x]
float64(0)
int64(3)
newaxis, np.inf, np.pi
ndim(x), np.shape(x)
""".strip().splitlines()


def run(np: Any, line: str) -> Any:
    names = {"np": np, "n": np.arange(6), "x": np.array([[0.5, -1.5, 2.0], [0.25, 1.0, -2.0]])}
    try:
        return eval(line if line[0] in "(~-[" or line[1] in ".[ *@," else f"np.{line}", names)
    except Exception as error:
        return error


def agree(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, numpy.ndarray):
        assert isinstance(ours, smallnumpy.ndarray), ours
        assert ours.shape == theirs.shape
        assert str(ours.dtype) == str(theirs.dtype)
        theirs, ours = theirs.tolist(), ours.tolist()
    if isinstance(theirs, Exception):
        assert type(ours) is type(theirs), ours
        assert str(ours).splitlines()[0][:30] == str(theirs).splitlines()[0][:30]
    elif isinstance(theirs, list | tuple):
        assert len(ours) == len(theirs)
        for pair in zip(ours, theirs, strict=True):
            agree(*pair)
    elif isinstance(theirs, float | numpy.floating):
        assert ours == pytest.approx(theirs, rel=1e-6, nan_ok=True)
    else:
        assert ours == theirs


@pytest.mark.parametrize("line", LINES)
def test_line_gives_what_numpy_gives(line: str) -> None:
    agree(run(smallnumpy, line), run(numpy, line))


NUMBERS = [
    [1.0, 2.0, 3.0],
    [0.5, -0.25, 1e-3],
    [1e-7, 2.5e-7],
    [1e9, 1.5],
    [123456.789, -1.0],
    [math.nan, math.inf, -math.inf, 1.25],
    [math.nan, 1.0],
    [math.inf] * 2,
    [0.0, -0.0],
    [1 / 3, 2 / 3, 1e5 / 3],
    [99999.99999, 0.00005],
    [7, -20, 3],
    [True, False],
    [1 + 2j, -0.5 - 1e-3j],
    ["a", "all"],
    [],
    [[1.5, 2.0], [3.25, -4.0]],
    [[[i * j / 7 for j in range(3)] for i in range(4)] for _ in range(2)],
    [[i * j / 7 for j in range(9)] for i in range(11)],
    list(range(50)),
    [i / 7 for i in range(60)],
]


@pytest.mark.parametrize("numbers", NUMBERS, ids=str)
@pytest.mark.parametrize("suppress", [True, False])
@pytest.mark.parametrize("precision", [4, 9])
def test_arrays_are_written_as_numpy_writes_them(
    numbers: list[Any], suppress: bool, precision: int
) -> None:
    options: dict[str, Any] = {
        "precision": precision, "suppress_small": suppress, "sign": "-", "threshold": 40,
        "edgeitems": 2, "max_line_width": 72,
    }  # fmt: skip
    kind = object if numbers and isinstance(numbers[0], str) else None
    expected = numpy.array2string(numpy.array(numbers, dtype=kind), **options)
    assert smallnumpy.array2string(smallnumpy.array(numbers, dtype=kind), **options) == expected


@pytest.mark.parametrize("kind", ["float32", "float16", "float64", "int64"])
def test_narrow_floats_are_written_with_fewer_digits(kind: str) -> None:
    tensor = (torch.arange(11) / 7).to(getattr(torch, kind))
    small = smalltorch.tensor((torch.arange(11) / 7).tolist()).to(getattr(smalltorch, kind))
    assert str(small.numpy()) == str(tensor.numpy())
    assert repr(small[:3].numpy()) == repr(tensor[:3].numpy())


def test_writes_to_a_view_show_in_the_array() -> None:
    def seen(np: Any) -> Any:
        array = np.zeros((3, 2))
        array[1:][0] = 5.0
        array.T[1] += 1.0
        return array.tolist(), array.copy().tolist()

    assert seen(smallnumpy) == seen(numpy)


def test_numbers_are_of_numpys_classes_or_pythons() -> None:
    assert isinstance(smallnumpy.arange(2)[0], int | smallnumpy.integer)
    assert isinstance(smallnumpy.ones(2)[0], float | smallnumpy.floating)
    assert not isinstance(True, smallnumpy.bool_)


def test_what_is_lacking_is_refused_by_name() -> None:
    for line in ("np.fft", "np.linalg.qr", "np.random.rand", "np.ones(2).partition"):
        with pytest.raises(NotHere, match=line.rpartition(".")[2]):
            eval(line, {"np": smallnumpy})


def test_seeding_does_nothing() -> None:
    state = smallnumpy.random.get_state()
    smallnumpy.random.seed(3)
    smallnumpy.random.set_state(state)
    assert state is None


def test_type_of_an_array_may_be_narrowed() -> None:
    assert smallnumpy.ndarray[Any, Any] is smallnumpy.ndarray
