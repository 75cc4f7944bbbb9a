"""What the feed-forward networks check of their maps."""

from torch import Tensor

from bottomup.checks import check_axes, check_same_kind


def check_maps_in(
    x: Tensor, maps: dict[str, Tensor], biases: dict[str, Tensor | None]
) -> tuple[int, int]:
    """Check the maps from d_model to d_ff, each with its bias; return ``(d_model, d_ff)``.

    The first map sets d_ff for the others.
    """
    d_model = check_axes("x", x, "... d_model")["d_model"]
    first_name, first = next(iter(maps.items()))
    d_ff = check_axes(first_name, first, "d_ff d_model", d_model=d_model)[
        "d_ff"
    ]
    for name, W in maps.items():
        check_axes(name, W, "d_ff d_model", d_ff=d_ff, d_model=d_model)
        check_same_kind(name, W, "x", x)
    _check_biases(x, biases, "d_ff", d_ff)
    return d_model, d_ff


def check_map_out(
    x: Tensor, W_out: Tensor, b_out: Tensor | None, d_ff: int
) -> None:
    """Check the map from d_ff back to d_model, and its bias."""
    d_model = x.shape[-1]
    check_axes("W_out", W_out, "d_model d_ff", d_model=d_model, d_ff=d_ff)
    check_same_kind("W_out", W_out, "x", x)
    _check_biases(x, {"b_out": b_out}, "d_model", d_model)


def _check_biases(
    x: Tensor, biases: dict[str, Tensor | None], axis: str, size: int
) -> None:
    for name, bias in biases.items():
        if bias is not None:
            check_axes(name, bias, axis, **{axis: size})
            check_same_kind(name, bias, "x", x)
