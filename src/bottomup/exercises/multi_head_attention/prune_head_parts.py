"""Removing a head with one thing in another way: what the named mistakes are made of."""

from collections.abc import Callable

import torch
from torch import Tensor

NAMES = ("W_Q", "W_K", "W_V", "b_V", "W_O", "b_O")

Parameters = tuple[Tensor, ...]
Named = dict[str, Tensor]
Change = Callable[[int, int, Named, Named], Named]  # head, heads, given, right -> what differs
Answer = Callable[..., Parameters]


def without(x: Tensor, head: int, heads: int, axis: int = 0, width: int | None = None) -> Tensor:
    """Cut the slice of one head out of an axis."""
    width = x.shape[axis] // heads if width is None else width
    places = torch.arange(x.shape[axis])
    kept = (places < head * width) | (places >= (head + 1) * width)
    return x.index_select(axis, places[kept])


def only_of_head(x: Tensor, head: int, heads: int, axis: int = 0) -> Tensor:
    return x.chunk(heads, axis)[head]


def removed(head: int, heads: int, given: Named) -> Named:
    """The parameters without one head."""
    smaller = {name: without(given[name], head, heads) for name in NAMES[:4]}
    return {**smaller, "W_O": without(given["W_O"], head, heads, 1), "b_O": given["b_O"]}


def with_changed(change: Change) -> Answer:
    """A right answer but for the parameters that `change` returns."""

    def wrong(head: int, num_heads: int, *parameters: Tensor) -> Parameters:
        given = dict(zip(NAMES, parameters, strict=True))
        right = removed(head, num_heads, given)
        result = {**right, **change(head, num_heads, given, right)}
        return tuple(result[name] for name in NAMES)

    return wrong


def keeping(*names: str) -> Answer:
    """Some parameters keep what belongs to the head."""
    return with_changed(lambda head, heads, given, right: {name: given[name] for name in names})


def other_head(choose: Callable[[int, int], int], *names: str) -> Answer:
    """Another head's slices leave some of the parameters."""

    def change(head: int, heads: int, given: Named, right: Named) -> Named:
        other = removed(choose(head, heads), heads, given)
        return {name: other[name] for name in names or NAMES}

    return with_changed(change)


def rows_of_output(head: int, heads: int, given: Named, right: Named) -> Named:
    return {"W_O": without(given["W_O"], head, heads, 0, len(given["W_V"]) // heads)}


def shared_rows_of_output(head: int, heads: int, given: Named, right: Named) -> Named:
    """As many rows of W_O for each head as there are."""
    return {"W_O": without(given["W_O"], head, heads, 0)}


def chosen_rows_of_output(head: int, heads: int, given: Named, right: Named) -> Named:
    """A truth value for each column of W_O chooses among its rows: an error where it is oblong."""
    width = len(given["W_V"]) // heads
    return {"W_O": given["W_O"][(torch.arange(heads) != head).repeat_interleave(width)]}


def scaled_output(factor: Callable[[int], float]) -> Answer:
    """W_O without the head, times a factor that depends on the number of heads."""
    return with_changed(
        lambda head, heads, given, right: {"W_O": right["W_O"] * factor(heads)},
    )


def columns_of_maps(*names: str) -> Answer:
    def change(head: int, heads: int, given: Named, right: Named) -> Named:
        return {name: without(given[name], head, heads, 1) for name in names}

    return with_changed(change)


def _one_width(width_of: Callable[[Named], int], *names: str) -> Answer:
    """One number, shared out among the heads, is a head's width in several maps."""

    def change(head: int, heads: int, given: Named, right: Named) -> Named:
        width = width_of(given) // heads
        return {
            name: without(given[name], head, heads, int(name == "W_O"), width) for name in names
        }

    return with_changed(change)


def one_width(of: str) -> Answer:
    """The width of one map's heads is used for all of them."""
    return _one_width(lambda given: len(given[of]), *NAMES[:5])


def one_width_kept(of: str) -> Answer:
    """The places that stay, listed once, with the width of one map, for all parameters."""

    def change(head: int, heads: int, given: Named, right: Named) -> Named:
        width = len(given[of]) // heads
        kept = [h * width + place for h in range(heads) if h != head for place in range(width)]
        rows = {name: given[name][kept] for name in NAMES[:4]}
        return {**rows, "W_O": given["W_O"][:, kept]}

    return with_changed(change)


def slices_from_one(head: int, heads: int, given: Named, right: Named) -> Named:
    """Heads counted from 1 in slices: of head 0, which is none, the slices overlap."""

    def cut(x: Tensor) -> Tensor:
        width = len(x) // heads
        return torch.cat([x[: (head - 1) * width], x[head * width :]])

    return {**{name: cut(given[name]) for name in NAMES[:4]}, "W_O": cut(given["W_O"].T).T}


def width_of_the_model(*names: str) -> Answer:
    """d_model / num_heads is the width of a head in some of the maps."""
    return _one_width(lambda given: given["W_Q"].shape[1], *names)


def bias_folded(head: int, heads: int, given: Named, right: Named) -> Named:
    gone = only_of_head(given["W_O"], head, heads, 1) @ only_of_head(given["b_V"], head, heads)
    return {"b_O": given["b_O"] + gone}


def in_turn(head: int, heads: int, given: Named, right: Named) -> Named:
    def thinned(x: Tensor, axis: int = 0) -> Tensor:
        places = torch.arange(x.shape[axis])
        return x.index_select(axis, places[places % heads != head])

    smaller = {name: thinned(given[name]) for name in NAMES[:4]}
    return {**smaller, "W_O": thinned(given["W_O"], 1)}


def only_the_head(head: int, heads: int, given: Named, right: Named) -> Named:
    smaller = {name: only_of_head(given[name], head, heads) for name in NAMES[:4]}
    return {**smaller, "W_O": only_of_head(given["W_O"], head, heads, 1)}


def zeroed(*names: str) -> Answer:
    """Every parameter keeps its shape; the head's slice of some of them is zero."""

    def change(head: int, heads: int, given: Named, right: Named) -> Named:
        changed = dict(given)
        for name in names:
            changed[name] = given[name].clone()
            only_of_head(changed[name], head, heads, int(name == "W_O")).zero_()
        return changed

    return with_changed(change)
