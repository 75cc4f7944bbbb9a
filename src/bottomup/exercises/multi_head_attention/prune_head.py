"""Exercise: remove one head exactly, so that the smaller attention gives the same output."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.named_tensors import compare_named
from bottomup.i18n import _


def prune_head(
    head: int, num_heads: int,
    W_Q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor, b_V: torch.Tensor,
    W_O: torch.Tensor, b_O: torch.Tensor,
) -> tuple[torch.Tensor, ...]:  # fmt: skip
    kept = torch.arange(num_heads) != head
    narrow = kept.repeat_interleave(W_Q.shape[0] // num_heads)  # the slices d_head wide
    wide = kept.repeat_interleave(W_V.shape[0] // num_heads)  # the slices d_value wide
    return W_Q[narrow], W_K[narrow], W_V[wide], b_V[wide], W_O[:, wide], b_O


Parameters = tuple[Tensor, ...]


def with_slices(
    head: int, num_heads: int,
    W_Q: Tensor, W_K: Tensor, W_V: Tensor, b_V: Tensor, W_O: Tensor, b_O: Tensor,
) -> Parameters:  # fmt: skip
    def without(matrix: Tensor) -> Tensor:
        width = len(matrix) // num_heads
        return torch.cat([matrix[: head * width], matrix[(head + 1) * width :]])

    return without(W_Q), without(W_K), without(W_V), without(b_V), without(W_O.T).T, b_O


def with_heads_apart(
    head: int, num_heads: int,
    W_Q: Tensor, W_K: Tensor, W_V: Tensor, b_V: Tensor, W_O: Tensor, b_O: Tensor,
) -> Parameters:  # fmt: skip
    kept = [h for h in range(num_heads) if h != head]
    rows = (x.unflatten(0, (num_heads, -1))[kept].flatten(0, 1) for x in (W_Q, W_K, W_V, b_V))
    return *rows, W_O.unflatten(1, (num_heads, -1))[:, kept].flatten(1), b_O.clone()


def with_chunks(
    head: int, num_heads: int,
    W_Q: Tensor, W_K: Tensor, W_V: Tensor, b_V: Tensor, W_O: Tensor, b_O: Tensor,
) -> Parameters:  # fmt: skip
    smaller = []
    for matrix, axis in ((W_Q, 0), (W_K, 0), (W_V, 0), (b_V, 0), (W_O, 1)):
        pieces = list(matrix.chunk(num_heads, dim=axis))
        del pieces[head]
        smaller.append(torch.cat(pieces, dim=axis))
    return *smaller, b_O


# ---- One thing in another way: what the mistakes are made of

NAMES = ("W_Q", "W_K", "W_V", "b_V", "W_O", "b_O")
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


# ---- Mistakes: which rows, which columns, and which bias goes with it

SQUARE = _("two heads of width one, square maps")

MISTAKES = (
    Mistake(
        "rows-of-the-output-map",
        with_changed(rows_of_output),
        (with_changed(shared_rows_of_output), with_changed(chosen_rows_of_output)),
        case=SQUARE,
    ),
    Mistake(
        "wrong-columns-of-the-output-map",
        other_head(lambda head, heads: heads - 1, "W_O"),
        (
            other_head(lambda head, heads: 0, "W_O"),
            other_head(lambda head, heads: (head + 1) % heads, "W_O"),
            other_head(lambda head, heads: (head - 1) % heads, "W_O"),
            other_head(lambda head, heads: heads - 1 - head, "W_O"),
        ),
    ),
    Mistake("output-map-whole", keeping("W_O")),
    Mistake(
        "map-forgotten",
        keeping("W_K"),
        (keeping("W_Q"), keeping("W_V"), keeping("W_Q", "W_K"), keeping("W_V", "b_V")),
    ),
    Mistake("value-bias-forgotten", keeping("b_V")),
    Mistake("value-bias-moved-to-the-output", with_changed(bias_folded)),
    Mistake(
        "output-map-scaled-up",
        scaled_output(lambda heads: heads / (heads - 1)),
        (scaled_output(lambda heads: (heads - 1) / heads),),
    ),
    Mistake(
        "columns-of-the-maps",
        columns_of_maps("W_Q", "W_K", "W_V"),
        (columns_of_maps("W_V"), columns_of_maps("W_Q", "W_K")),
    ),
    Mistake(
        "one-width-for-all",
        one_width("W_Q"),
        (one_width("W_V"), one_width_kept("W_Q"), one_width_kept("W_V")),
    ),
    Mistake(
        "width-of-the-model",
        width_of_the_model(*NAMES[:5]),
        (
            width_of_the_model("W_Q", "W_K"),
            width_of_the_model("W_V", "b_V", "W_O"),
        ),
    ),
    Mistake(
        "head-not-asked-for",
        other_head(lambda head, heads: heads - 1),
        (other_head(lambda head, heads: 0),),
    ),
    Mistake(
        "counted-from-one",
        other_head(lambda head, heads: (head - 1) % heads),
        (
            other_head(lambda head, heads: max(head - 1, 0)),
            other_head(lambda head, heads: head - 1),  # of head 0 nothing is removed
            with_changed(slices_from_one),
        ),
    ),
    Mistake("every-so-many-rows", with_changed(in_turn)),
    Mistake("only-the-head-kept", with_changed(only_the_head)),
    Mistake(
        "zeros-in-its-place",
        zeroed("W_Q", "W_K", "W_V", "b_V", "W_O"),
        (
            zeroed("W_O"),
            zeroed("W_V", "b_V"),
            zeroed("W_Q", "W_K"),
            zeroed("W_Q", "W_K", "W_V"),
            zeroed("W_V"),
        ),
    ),
)


# ---- Cases

Make = Callable[[torch.Generator], Inputs]


def _random(
    head: int, num_heads: int, d_model: int, d_head: int, d_value: int,
    dtype: torch.dtype = torch.float32,
) -> Make:  # fmt: skip
    shapes = {
        "W_Q": (num_heads * d_head, d_model),
        "W_K": (num_heads * d_head, d_model),
        "W_V": (num_heads * d_value, d_model),
        "b_V": (num_heads * d_value,),
        "W_O": (d_model, num_heads * d_value),
        "b_O": (d_model,),
    }

    def make(generator: torch.Generator) -> Inputs:
        drawn = {
            name: torch.randn(shape, generator=generator, dtype=dtype)
            for name, shape in shapes.items()
        }
        return {"head": head, "num_heads": num_heads, **drawn}

    return make


def _hand(generator: torch.Generator) -> Inputs:
    return {
        "head": 0,
        "num_heads": 2,
        "W_Q": torch.tensor([[1.0, 2.0], [3.0, 4.0]]),
        "W_K": torch.tensor([[5.0, 6.0], [7.0, 8.0]]),
        "W_V": torch.tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]]),
        "b_V": torch.tensor([1.0, 2.0, 3.0, 4.0]),
        "W_O": torch.tensor([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]),
        "b_O": torch.tensor([9.0, 10.0]),
    }


CASES = (
    Case(_("the first of two heads"), _hand),
    Case(_("a head in the middle"), _random(1, 3, 5, 2, 7), seed=1),
    Case(_("the last head"), _random(4, 5, 7, 3, 2), seed=2),
    Case(SQUARE, _random(0, 2, 2, 1, 1), seed=3),
    Case(_("three heads, square maps"), _random(1, 3, 6, 2, 2), seed=8),
    Case(_("heads of width one"), _random(2, 5, 3, 1, 1), seed=4),
    Case(_("as wide as there are heads"), _random(0, 3, 7, 3, 3), seed=5),
    Case(_("the second of two heads"), _random(1, 2, 3, 5, 7), seed=6),
    Case(_("float64"), _random(3, 5, 11, 2, 3, torch.float64), seed=7),
)

ANSWERS = Answers(
    solution=prune_head,
    alternatives=(with_slices, with_heads_apart, with_chunks),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_named(*NAMES),
)
