"""Checks of multi-head attention's arguments, and its masks brought to four axes."""

from collections.abc import Mapping

from torch import Tensor

from bottomup.checks import check_axes, check_device, check_integer, check_mask, check_same_kind


def head_widths(
    d_model: int, num_heads: int, d_head: int | None, d_value: int | None
) -> tuple[int, int]:
    """Return d_head and d_value; where they are None, the model's width is shared out equally.

    Raises:
        TypeError, ValueError: a size is not an integer of at least 1, or `num_heads` does not
            divide `d_model` and `d_head` is None.
    """
    check_integer("d_model", d_model, at_least=1)
    check_integer("num_heads", num_heads, at_least=1)
    if d_head is None:
        if d_model % num_heads:
            raise ValueError(
                f"num_heads: expected a divisor of d_model={d_model}, got {num_heads}; "
                "with d_head given, any number of heads will do"
            )
        d_head = d_model // num_heads
    check_integer("d_head", d_head, at_least=1)
    d_value = d_head if d_value is None else d_value
    check_integer("d_value", d_value, at_least=1)
    return d_head, d_value


def check_inputs(
    query: Tensor, key: Tensor, value: Tensor, num_heads: int
) -> tuple[int, int, int, int]:
    """Check what is attended from and to, and return the sizes [batch, head, query, key].

    Raises:
        TypeError, ValueError: a tensor does not fit the query, or `num_heads` is no integer of at
            least 1.
    """
    sizes = check_axes("query", query, "batch query d_model")
    shared = {"batch": sizes["batch"], "d_model": sizes["d_model"]}
    keys = check_axes("key", key, "batch key d_model", **shared)["key"]
    check_axes("value", value, "batch key d_model", key=keys, **shared)
    check_same_kind("key", key, "query", query)
    check_same_kind("value", value, "query", query)
    check_integer("num_heads", num_heads, at_least=1)
    return sizes["batch"], num_heads, sizes["query"], keys


def check_maps(query: Tensor, num_heads: int, maps: Mapping[str, Tensor]) -> None:
    """Check W_Q, W_K, W_V and W_O against the query's width and the number of heads.

    Raises:
        TypeError, ValueError: a map does not fit the query or another map, or its rows cannot be
            shared out among the heads.
    """
    width = {"d_model": query.shape[-1]}
    rows = check_axes("W_Q", maps["W_Q"], "heads*d_head d_model", **width)["heads*d_head"]
    check_axes("W_K", maps["W_K"], "heads*d_head d_model", **width, **{"heads*d_head": rows})
    read = check_axes("W_V", maps["W_V"], "heads*d_value d_model", **width)["heads*d_value"]
    check_axes("W_O", maps["W_O"], "d_model heads*d_value", **width, **{"heads*d_value": read})
    for name, count in (("W_Q", rows), ("W_V", read)):
        if count % num_heads:
            raise ValueError(
                f"{name}: expected a multiple of num_heads={num_heads} as number of rows, "
                f"got {count}"
            )
    for name, matrix in maps.items():
        check_same_kind(name, matrix, "query", query)


def check_biases(
    query: Tensor, biases: Mapping[str, Tensor | None], W_Q: Tensor, W_V: Tensor
) -> None:
    """Check that each bias is None or as long as its map has rows.

    Raises:
        TypeError, ValueError: a bias does not fit.
    """
    lengths = (W_Q.shape[0], W_Q.shape[0], W_V.shape[0], query.shape[-1])
    axes = ("heads*d_head", "heads*d_head", "heads*d_value", "d_model")
    for (name, bias), axis, length in zip(biases.items(), axes, lengths, strict=True):
        if bias is not None:
            check_axes(name, bias, axis, **{axis: length})
            check_same_kind(name, bias, "query", query)


def joint_mask(
    mask: Tensor | None,
    head_mask: Tensor | None,
    shape: tuple[int, int, int, int],
    query: Tensor,
) -> Tensor | None:
    """Return one mask that broadcasts to [batch, head, query, key], or None if all is allowed.

    A head that is off may attend to nothing.

    Raises:
        TypeError, ValueError: a mask is not boolean, does not fit, or lies on another device.
    """
    mask = _with_heads(mask, shape)
    check_mask("head_mask", head_mask, shape[:2])
    for name, given in (("mask", mask), ("head_mask", head_mask)):
        if given is not None:
            check_device(name, given, "query", query)
    if head_mask is None:
        return mask
    on = head_mask[..., None, None]  # [..., head, 1, 1]
    return on if mask is None else mask & on


def _with_heads(mask: Tensor | None, shape: tuple[int, int, int, int]) -> Tensor | None:
    """Give a mask [batch, query, key] an axis for the heads."""
    if mask is None or not isinstance(mask, Tensor) or mask.dim() != 3:
        check_mask("mask", mask, shape)
        return mask
    batch, heads, query, key = shape
    if mask.shape[0] not in (1, batch):
        raise ValueError(
            f"mask: expected three axes [batch={batch}, query={query}, key={key}], got "
            f"{tuple(mask.shape)}; a mask for each head has four, [batch, head={heads}, query, key]"
        )
    check_mask("mask", mask, (batch, query, key))
    return mask[:, None]
