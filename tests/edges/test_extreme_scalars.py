"""Whatever stands in the place of a number, a switch or a name: a right result, or our sentence.

`calls` has a good call of each function and class; here each of its scalars is replaced, one at a
time, by what lies at the ends of its range or is of another kind.
"""

import math
import re
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from bottomup.checks import shown
from tests.edges.calls import CALLS, Call, Scalar

EXTREMES = [0, -0.0, -1, 2**31, 2**63, 2**64, 10**400, -(10**5000), 5e-324, 1e-310, 1e-45, 1e-300]
EXTREMES += [1e39, 1e308, math.inf, -math.inf, math.nan]
NUMBERS = {shown(number): number for number in EXTREMES}
NUMPY = {"float64(nan)": np.float64("nan"), "float32(inf)": np.float32("inf")}
NO_NUMBERS = {
    "Fraction": Fraction(1, 3),
    "Fraction(10**400)": Fraction(10**400),
    "Decimal": Decimal("1E+999"),
    "1j": 1j,
    "tensor": torch.tensor(0.5),
    "tensor of NaN": torch.tensor(math.nan),
    "array": np.array([1, 2]),
    "list": [[1]],
    "bytes": b"1",
    "digits": "1",
    "empty": "",
    "surrogate": "\ud800",
    "NUL": "\0",
    "long": "x" * 100_000,
}
TENSORS = {"baseline", "previous"}  # may be tensors, too
# What a call gives by its nature: -inf for a logit left out, and infinity for what is impossible.
INFINITE = {"keep_top_k", "keep_top_p", "perplexity", "bits_per_token", "bits_per_character"}
OURS = re.compile(r"^[a-z_A-Z][^:]{0,80}:.* (expected|got|needs) ", re.DOTALL)


def odd_values(name: str, good: Scalar) -> dict[str, Any]:
    """Return the values to put in the place of a good one."""
    values = {**NUMBERS, **NUMPY, **NO_NUMBERS, "True": True}
    if isinstance(good, bool):
        values = NO_NUMBERS
    if name in TENSORS:
        values = {text: value for text, value in values.items() if "tensor" not in text}
    return values


def unusable(result: Any, depth: int = 0) -> str:
    """Return what makes a result one that nobody can use: NaN, infinity or an odd field."""
    if isinstance(result, Tensor):
        numbers = result.is_floating_point()
        return f"{result}" if numbers and not result.detach().isfinite().all() else ""
    if isinstance(result, float | np.floating):
        return "" if math.isfinite(result) else f"{result}"
    if isinstance(result, np.ndarray):
        return "" if result.dtype.kind != "f" or np.isfinite(result).all() else f"{result}"
    if depth > 4:
        return ""
    if isinstance(result, nn.Module):
        return unusable(list(result.state_dict().values()), depth + 1)
    if isinstance(result, dict):
        result = tuple(result.values())
    if isinstance(result, list | tuple):
        return next((bad for item in result if (bad := unusable(item, depth + 1))), "")
    return unusable(vars(result), depth + 1) if hasattr(result, "__dict__") else ""


def complaint(call: Call, name: str, value: Any) -> str:
    """Return what is wrong with how a call takes a value."""
    try:
        result = call(**{name: value})
    except (TypeError, ValueError) as error:
        sentence = str(error)
        named = re.search(rf"\b{name}\b", sentence)
        right = OURS.match(sentence) and named and len(sentence) < 500
        return "" if right else f"{type(error).__name__}: {sentence[:200]}"
    except FloatingPointError as error:  # what `fit` says where training runs away
        return "" if re.match(r"step \d+: the", str(error)) else str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:200]
    if call.function.__name__ not in INFINITE and (bad := unusable(result)):
        return f"returned {bad}"[:200]
    if any(value is other for other in NO_NUMBERS.values()):
        return "accepted"
    return ""


@pytest.mark.filterwarnings("ignore::bottomup.analysis.FewSamplesWarning")
@pytest.mark.parametrize(("name", "call"), CALLS, ids=[name for name, _ in CALLS])
def test_a_scalar_gives_a_right_result_or_our_sentence(name, call):
    call()
    complaints = {
        f"{argument}={text}": found
        for argument, good in call.scalars.items()
        for text, value in odd_values(argument, good).items()
        if (found := complaint(call, argument, value))
    }
    assert complaints == {}


def same(left: Any, right: Any) -> bool:
    if isinstance(left, Tensor):
        return torch.equal(left, right)
    if isinstance(left, np.ndarray):
        return np.array_equal(left, right)
    if isinstance(left, nn.Module):
        return all(map(same, left.state_dict().values(), right.state_dict().values()))
    if isinstance(left, list | tuple):
        return all(map(same, left, right))
    if isinstance(left, dict):
        return all(map(same, left.values(), right.values()))
    return left == right if isinstance(left, int | float | str) else True


@pytest.mark.filterwarnings("ignore::bottomup.analysis.FewSamplesWarning")
@pytest.mark.parametrize(("name", "call"), CALLS, ids=[name for name, _ in CALLS])
def test_an_integer_or_a_float_of_numpy_is_as_good_as_python_s(name, call):
    for argument, good in call.scalars.items():
        if type(good) is int:
            kinds = [np.int64, np.uint8] if good < 2**8 else [np.int64]
        else:
            kinds = [np.float64] if type(good) is float else []
        for kind in kinds:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                torch.manual_seed(3)
                expected = call(**{argument: good})
                torch.manual_seed(3)
                assert same(call(**{argument: kind(good)}), expected), argument
