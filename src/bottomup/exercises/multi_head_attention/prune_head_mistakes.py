"""Mistakes in removing a head: which rows, which columns, and which bias goes with it."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

REMOVE, OUTPUT = _("Remove a head"), _("What W_O does")
SQUARE = _("two heads of width one, square maps")
NAMES = ("W_Q", "W_K", "W_V", "b_V", "W_O", "b_O")

Parameters = tuple[Tensor, ...]
Named = dict[str, Tensor]
Change = Callable[[int, int, Named, Named], Named]  # head, heads, given, right -> what differs
Answer = Callable[..., Parameters]


def _without(x: Tensor, head: int, heads: int, axis: int = 0, width: int | None = None) -> Tensor:
    """Cut the slice of one head out of an axis."""
    width = x.shape[axis] // heads if width is None else width
    places = torch.arange(x.shape[axis])
    kept = (places < head * width) | (places >= (head + 1) * width)
    return x.index_select(axis, places[kept])


def _only(x: Tensor, head: int, heads: int, axis: int = 0) -> Tensor:
    return x.chunk(heads, axis)[head]


def _removed(head: int, heads: int, given: Named) -> Named:
    """The parameters without one head."""
    smaller = {name: _without(given[name], head, heads) for name in NAMES[:4]}
    return {**smaller, "W_O": _without(given["W_O"], head, heads, 1), "b_O": given["b_O"]}


def _with(change: Change) -> Answer:
    """A right answer but for the parameters that `change` returns."""

    def wrong(head: int, num_heads: int, *parameters: Tensor) -> Parameters:
        given = dict(zip(NAMES, parameters, strict=True))
        right = _removed(head, num_heads, given)
        result = {**right, **change(head, num_heads, given, right)}
        return tuple(result[name] for name in NAMES)

    return wrong


def _kept(*names: str) -> Answer:
    """Some parameters keep what belongs to the head."""
    return _with(lambda head, heads, given, right: {name: given[name] for name in names})


def _other_head(choose: Callable[[int, int], int], *names: str) -> Answer:
    """Another head's slices leave some of the parameters."""

    def change(head: int, heads: int, given: Named, right: Named) -> Named:
        other = _removed(choose(head, heads), heads, given)
        return {name: other[name] for name in names or NAMES}

    return _with(change)


def _rows_of_output(head: int, heads: int, given: Named, right: Named) -> Named:
    return {"W_O": _without(given["W_O"], head, heads, 0, len(given["W_V"]) // heads)}


def _columns_of_maps(*names: str) -> Answer:
    def change(head: int, heads: int, given: Named, right: Named) -> Named:
        return {name: _without(given[name], head, heads, 1) for name in names}

    return _with(change)


def _one_width(of: str) -> Change:
    """The width of one map's heads is used for all of them."""

    def change(head: int, heads: int, given: Named, right: Named) -> Named:
        width = len(given[of]) // heads
        smaller = {name: _without(given[name], head, heads, 0, width) for name in NAMES[:4]}
        return {**smaller, "W_O": _without(given["W_O"], head, heads, 1, width)}

    return change


def _bias_folded(head: int, heads: int, given: Named, right: Named) -> Named:
    gone = _only(given["W_O"], head, heads, 1) @ _only(given["b_V"], head, heads)
    return {"b_O": given["b_O"] + gone}


def _in_turn(head: int, heads: int, given: Named, right: Named) -> Named:
    def without(x: Tensor, axis: int = 0) -> Tensor:
        places = torch.arange(x.shape[axis])
        return x.index_select(axis, places[places % heads != head])

    smaller = {name: without(given[name]) for name in NAMES[:4]}
    return {**smaller, "W_O": without(given["W_O"], 1)}


def _only_the_head(head: int, heads: int, given: Named, right: Named) -> Named:
    smaller = {name: _only(given[name], head, heads) for name in NAMES[:4]}
    return {**smaller, "W_O": _only(given["W_O"], head, heads, 1)}


def _zeroed(*names: str) -> Answer:
    """Every parameter keeps its shape; the head's slice of some of them is zero."""

    def change(head: int, heads: int, given: Named, right: Named) -> Named:
        changed = dict(given)
        for name in names:
            changed[name] = given[name].clone()
            _only(changed[name], head, heads, int(name == "W_O")).zero_()
        return changed

    return _with(change)


MISCONCEPTIONS = (
    Misconception(
        "rows-of-the-output-map",
        _with(_rows_of_output),
        _(
            "Rows of W_O are removed. Its rows are the columns of the output: the smaller "
            "attention then gives a narrower vector, which cannot be added to the residual. What a "
            "head has read meets W_O in its columns."
        ),
        OUTPUT,
        case=SQUARE,
    ),
    Misconception(
        "wrong-columns-of-the-output-map",
        _other_head(lambda head, heads: heads - 1, "W_O"),
        _(
            "W_O loses the columns of another head than W_V loses rows. Its shape is right, so "
            "nothing complains, but the heads behind the removed one are mixed by weights that "
            "were trained for others. Cut the same slice out of both."
        ),
        OUTPUT,
        (
            _other_head(lambda head, heads: 0, "W_O"),
            _other_head(lambda head, heads: (head + 1) % heads, "W_O"),
            _other_head(lambda head, heads: (head - 1) % heads, "W_O"),
            _other_head(lambda head, heads: heads - 1 - head, "W_O"),
        ),
    ),
    Misconception(
        "output-map-whole",
        _kept("W_O"),
        _(
            "W_O still has the columns of the removed head. It then expects more numbers than the "
            "heads give, and the product fails. Head h owns d_value columns of W_O."
        ),
        OUTPUT,
    ),
    Misconception(
        "value-bias-forgotten",
        _kept("b_V"),
        _(
            "The bias of the values keeps the entries of the removed head. It no longer fits the "
            "rows of W_V, and a bias is easily overlooked: the head adds it to every value it "
            "reads. Cut the same rows out of both."
        ),
        REMOVE,
    ),
    Misconception(
        "value-bias-moved-to-the-output",
        _with(_bias_folded),
        _(
            "What the head gives at least, its value bias times its columns of W_O, is moved into "
            "b_O. The weights of a head sum to one, so this is what is left of it if it reads only "
            "zeros. A head that is switched off contributes nothing at all: b_O stays as it is."
        ),
        REMOVE,
    ),
    Misconception(
        "columns-of-the-maps",
        _columns_of_maps("W_Q", "W_K", "W_V"),
        _(
            "Columns of W_Q, W_K or W_V are removed. Their columns read the input, and every head "
            "reads all of it; no part of the input belongs to one head. A head's queries, keys and "
            "values are made by its rows."
        ),
        REMOVE,
        (_columns_of_maps("W_V"), _columns_of_maps("W_Q", "W_K")),
    ),
    Misconception(
        "one-width-for-all",
        _with(_one_width("W_Q")),
        _(
            "One width is used for all maps. A head's queries and keys are d_head wide, its values "
            "d_value. Where the two are equal, as in the paper, nothing shows; elsewhere the cut "
            "goes through a neighbour. Take the width from each matrix."
        ),
        REMOVE,
        (_with(_one_width("W_V")),),
    ),
    Misconception(
        "counted-from-one",
        _other_head(lambda head, heads: (head - 1) % heads),
        _(
            "The head before the one asked for is removed. Heads are counted from 0: head h owns "
            "the places from h * width up to (h + 1) * width."
        ),
        REMOVE,
        (_other_head(lambda head, heads: max(head - 1, 0)),),
    ),
    Misconception(
        "every-so-many-rows",
        _with(_in_turn),
        _(
            "Every so many rows are removed, as if the heads took turns. A head's rows are "
            "neighbours: the first d_head rows of W_Q belong to head 0. Removing every so many "
            "takes a little of each head."
        ),
        REMOVE,
    ),
    Misconception(
        "only-the-head-kept",
        _with(_only_the_head),
        _(
            "The asked head is kept and all others are removed: the choice is the wrong way round. "
            "With two heads the shapes are even right. Keep the places that do not belong to it."
        ),
        REMOVE,
    ),
    Misconception(
        "zeros-in-its-place",
        _zeroed("W_Q", "W_K", "W_V", "b_V", "W_O"),
        _(
            "The head's numbers are set to zero, but still there. Where its columns of W_O are "
            "zero the output is right, and as dear as before: every product still runs over them. "
            "Zeros in W_Q and W_K alone do not even switch it off: its weights become uniform. Cut "
            "the rows and columns out."
        ),
        REMOVE,
        (
            _zeroed("W_O"),
            _zeroed("W_V", "b_V"),
            _zeroed("W_Q", "W_K"),
            _zeroed("W_Q", "W_K", "W_V"),
            _zeroed("W_V"),
        ),
    ),
)
