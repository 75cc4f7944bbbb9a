"""float16 and bfloat16: computed in float32 and rounded once, or refused by name.

Each public function that takes floating-point tensors is called with numbers that half precision
holds, large and tiny ones among them, and again with the same numbers in float32. The arguments are
made from the annotations, so that a new function is asked, too.
"""

import importlib
import inspect
from collections.abc import Callable
from typing import Any, get_args

import pytest
import torch
from torch import Tensor

from bottomup.precision import HALF
from tests.drawn import seeded

ROOMS = ("masks", "attention", "blocks", "models", "decoding", "training", "analysis")
SIZES = {
    "query": 5, "key": 7, "n": 6, "head": 4, "group": 2, "position": 6, "first": 3, "second": 7,
    "offset": 5, "past": 5, "d_model": 8, "d_head": 6, "half": 3, "vocabulary": 11, "target": 5,
    "sample": 89, "token": 89, "example": 89, "width": 6, "d_x": 3, "d_y": 2,
    "dimensions": 2, "distance": 11,
    "d_query": 8, "d_key": 8, "part": 3, "2": 2, "1": 1, "max_positions": 7, "instance": 1,
    "test_example": 13, "features": 5, "dictionary": 7,
}  # fmt: skip
OTHER: dict[str, Any] = {
    "block": 3, "stride": 3, "width": 2, "key_count": 7, "half_width": 2, "temperature": 0.5,
    "k": 3, "p": 0.7, "num_heads": 2, "keys": 7, "symbols": 5, "classes": 2, "clusters": 3,
    "types": 3, "seed": 1, "rows": 23, "beam": 2, "count": 2, "top_k": 3, "top_p": 0.7,
    "norm": None,
}  # fmt: skip
# Options without which a function would have to be given more than these sizes.
OWN: dict[str, dict[str, Any]] = {
    "distance_bias": {"n": 6},
    "linear_probe": {"classes": 3},
    "change_by_group": {"few_samples": "allow"},
    "neighbour_position_distance": {"positions": torch.arange(89) % 7},
}
# What takes no numbers that could be rounded, or a whole model.
LEFT_OUT = {
    "principal_plane": "takes lists: tests/analysis/test_plane.py",
    "merge_attention": "takes lists; `partial_attention` and `block_attention` make and join them",
    "sparse_attention": "takes a pattern: tests/attention/sparse",
    "cached_attention": "takes a module", "contributions": "takes a module",
    "top_triggers": "takes a module", "value_logits": "takes a module", "ablated": "takes a module",
    "token_influence": "takes a module", "fit_superposition": "takes a module",
    "fresh_loss": "takes a module", "solve_superposition": "trains; its numbers are settings",
    "sample_features": "its only numbers are settings",
    "prefix_matching_score": "takes weights of a model", "links_from_weights": "metrics",
    "random_mean_max_cosine": "draws in float64",
}  # fmt: skip


def public() -> dict[str, Callable[..., Any]]:
    """The functions that annotate at least one floating-point tensor."""
    found = {}
    for room in ROOMS:
        module = importlib.import_module(f"bottomup.{room}")
        for name in getattr(module, "__all__", ["masked_softmax"]):
            function = getattr(module, name)
            if not inspect.isfunction(function) or name in LEFT_OUT:
                continue
            if any("Float[" in str(p.annotation) or "Real[" in str(p.annotation)
                   for p in inspect.signature(function).parameters.values()):  # fmt: skip
                found[name] = function
    return found


FUNCTIONS = public()


def asked(hint: Any) -> Any:
    """The first array type of an annotation such as ``Float[...] | None``."""
    return next((h for h in (hint, *get_args(hint)) if hasattr(h, "dim_str")), None)


# The mistake of a kernel that rounds its weights is measured against the largest output.
KERNELS = {"block_attention", "column_attention", "fixed_attention", "strided_attention",
           "summary_attention", "window_attention", "fused_attention"}  # fmt: skip
REFUSED = {"continue_beam": "prefixes: expected dtype torch.float32 or torch.float64, got"}
SIGNLESS = {"cca", "shuffled_pwcca"}  # numbers that are rounded turn their directions about
WITHOUT = {("superposition_loss", 200.0)}  # an importance above 0


def shape_of(dims: str) -> tuple[int, ...]:
    sizes: list[int] = []
    for axis in dims.split():
        if axis == "...":
            continue
        if axis.startswith("*"):
            sizes += [2] if axis == "*leading" else []
        elif "+" in axis:
            sizes.append(sum(SIZES.get(term, 3) for term in axis.split("+")))
        else:
            sizes.append(SIZES.get(axis.strip("#"), 3))
    return tuple(sizes)


def numbers(name: str, parameter: str, shape: tuple[int, ...], size: float) -> Tensor:
    """Numbers that float16 holds; of a kind that the argument can have."""
    drawn = torch.randn(shape, generator=seeded(len(parameter)), dtype=torch.float64) * size
    if parameter in ("weights", "log_probability") or name in ("previous_token_score",):
        drawn = drawn.softmax(-1) if drawn.dim() else drawn.sigmoid()
    if parameter == "center":
        drawn = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0]).expand(shape or (5,)).clone().double()
    if parameter in ("cos", "sin", "importance", "sparsity"):
        drawn = drawn.sigmoid()
    return drawn.half().bfloat16().double()  # both dtypes hold them


def arguments(name: str, function: Callable[..., Any], size: float) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        hint, key = parameter.annotation, parameter.name
        kind = asked(hint)
        if parameter.default is not inspect.Parameter.empty and key not in (
            "generator",
            "top_k",
            "top_p",
            "norm",
        ):
            continue
        if kind is None:
            if "Generator" in str(hint):
                made[key] = seeded(5)
            else:
                made[key] = OWN.get(name, OTHER).get(key, OTHER.get(key))
            continue
        shape = shape_of(kind.dim_str)
        names = getattr(kind, "dtypes", ())
        if "int64" in names and "float32" not in names:
            made[key] = torch.arange(int(torch.tensor(shape or (1,)).prod())).reshape(shape) % 3
            if key == "lengths":
                made[key] = torch.full((2, 5), 7)
        elif "bool" in names:
            made[key] = torch.ones(shape, dtype=torch.bool)
        else:
            made[key] = numbers(name, key, shape, size)
    return made | OWN.get(name, {})


def call(name: str, dtype: torch.dtype, size: float) -> Any:
    given = arguments(name, FUNCTIONS[name], size)
    cast = {k: v.to(dtype) if isinstance(v, Tensor) and v.is_floating_point() else v
            for k, v in given.items()}  # fmt: skip
    return FUNCTIONS[name](**cast)


def parts(result: Any) -> list[Any]:
    if isinstance(result, Tensor | float | int | bool):
        return [result]
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, tuple | list):
        return [part for each in result for part in parts(each)]
    return [part for each in vars(result).values() for part in parts(each)] if result is not None \
        and hasattr(result, "__dict__") else []  # fmt: skip


@pytest.mark.filterwarnings("ignore::bottomup.analysis.FewSamplesWarning")
@pytest.mark.parametrize("size", [1e-3, 1.0, 200.0])
@pytest.mark.parametrize("dtype", HALF, ids=["float16", "bfloat16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_half_precision_is_float32_rounded_once_or_refused_by_name(name, dtype, size):
    if name in REFUSED:
        with pytest.raises(TypeError, match=REFUSED[name]):
            call(name, dtype, size)
        return
    if (name, size) in WITHOUT:
        pytest.skip("its arguments have no numbers of this size")
    half, single = call(name, dtype, size), call(name, torch.float32, size)
    assert parts(half) or name == "antipodal_pairs"  # a list of pairs, empty here
    close(half, single, dtype, name in KERNELS)


@pytest.mark.filterwarnings("ignore::bottomup.analysis.FewSamplesWarning")
@pytest.mark.parametrize("odd", [False, True])
@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in REFUSED and n not in SIGNLESS])
def test_under_autocast_half_precision_may_stand_beside_float32(name, odd):
    given, numbered = arguments(name, FUNCTIONS[name], 1.0), 0
    for key, x in given.items():
        if isinstance(x, Tensor) and x.is_floating_point():
            given[key] = x.to(torch.bfloat16 if numbered % 2 == odd else torch.float32)
            numbered += 1
    with torch.autocast("cpu", torch.bfloat16):
        mixed = parts(FUNCTIONS[name](**given))
    for got, wanted in zip(mixed, parts(call(name, torch.float32, 1.0)), strict=True):
        if isinstance(wanted, Tensor) and wanted.is_floating_point():
            largest = wanted.abs().nan_to_num(posinf=0.0).max()
            torch.testing.assert_close(got.float(), wanted, rtol=0.05, atol=float(0.05 * largest))


def close(half: Any, single: Any, dtype: torch.dtype, kernel: bool) -> None:
    eps = torch.finfo(dtype).eps
    for got, wanted in zip(parts(half), parts(single), strict=True):
        if not isinstance(wanted, Tensor) or not wanted.is_floating_point():
            assert got == wanted if not isinstance(got, Tensor) else torch.equal(got, wanted)
            continue
        largest = wanted.abs().nan_to_num(posinf=0.0).max() if kernel else 0.0
        wanted = wanted.to(got.dtype)
        torch.testing.assert_close(got, wanted, rtol=2 * eps, atol=float(1e-7 + 2 * eps * largest))
