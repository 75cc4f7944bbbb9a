"""Mistakes in removing a head: which rows, which columns, and which bias goes with it."""

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.multi_head_attention.prune_head_parts import (
    NAMES,
    bias_folded,
    chosen_rows_of_output,
    columns_of_maps,
    in_turn,
    keeping,
    one_width,
    one_width_kept,
    only_the_head,
    other_head,
    rows_of_output,
    scaled_output,
    shared_rows_of_output,
    slices_from_one,
    width_of_the_model,
    with_changed,
    zeroed,
)
from bottomup.i18n import _

REMOVE, OUTPUT = _("Remove a head"), _("What W_O does")
SQUARE = _("two heads of width one, square maps")

MISCONCEPTIONS = (
    Misconception(
        "rows-of-the-output-map",
        with_changed(rows_of_output),
        _(
            "Rows of W_O are removed. Its rows are the columns of the output: the smaller "
            "attention then gives a narrower vector, which cannot be added to the residual. What a "
            "head has read meets W_O in its columns."
        ),
        OUTPUT,
        (with_changed(shared_rows_of_output), with_changed(chosen_rows_of_output)),
        case=SQUARE,
    ),
    Misconception(
        "wrong-columns-of-the-output-map",
        other_head(lambda head, heads: heads - 1, "W_O"),
        _(
            "W_O loses the columns of another head than W_V loses rows. Its shape is right, so "
            "nothing complains, but the heads behind the removed one are mixed by weights that "
            "were trained for others. Cut the same slice out of both."
        ),
        OUTPUT,
        (
            other_head(lambda head, heads: 0, "W_O"),
            other_head(lambda head, heads: (head + 1) % heads, "W_O"),
            other_head(lambda head, heads: (head - 1) % heads, "W_O"),
            other_head(lambda head, heads: heads - 1 - head, "W_O"),
        ),
    ),
    Misconception(
        "output-map-whole",
        keeping("W_O"),
        _(
            "W_O still has the columns of the removed head. It then expects more numbers than the "
            "heads give, and the product fails. Head h owns d_value columns of W_O."
        ),
        OUTPUT,
    ),
    Misconception(
        "value-bias-forgotten",
        keeping("b_V"),
        _(
            "The bias of the values keeps the entries of the removed head. It no longer fits the "
            "rows of W_V, and a bias is easily overlooked: the head adds it to every value it "
            "reads. Cut the same rows out of both."
        ),
        REMOVE,
    ),
    Misconception(
        "value-bias-moved-to-the-output",
        with_changed(bias_folded),
        _(
            "What the head gives at least, its value bias times its columns of W_O, is moved into "
            "b_O. The weights of a head sum to one, so this is what is left of it if it reads only "
            "zeros. A head that is switched off contributes nothing at all: b_O stays as it is."
        ),
        REMOVE,
    ),
    Misconception(
        "output-map-scaled-up",
        scaled_output(lambda heads: heads / (heads - 1)),
        _(
            "What is left of W_O is multiplied by num_heads / (num_heads - 1), as dropout does and "
            "as a mean over heads would need. The output is a sum over heads: where one term is "
            "zero the others stay as they were. Keep the numbers, cut the columns."
        ),
        OUTPUT,
        (scaled_output(lambda heads: (heads - 1) / heads),),
    ),
    Misconception(
        "columns-of-the-maps",
        columns_of_maps("W_Q", "W_K", "W_V"),
        _(
            "Columns of W_Q, W_K or W_V are removed. Their columns read the input, and every head "
            "reads all of it; no part of the input belongs to one head. A head's queries, keys and "
            "values are made by its rows."
        ),
        REMOVE,
        (columns_of_maps("W_V"), columns_of_maps("W_Q", "W_K")),
    ),
    Misconception(
        "one-width-for-all",
        one_width("W_Q"),
        _(
            "One width serves for all cuts. Per head W_Q and W_K have d_head rows; W_V, b_V and "
            "the columns of W_O have d_value. Where the two are equal, as in the paper, nothing "
            "shows; elsewhere the cut goes through a neighbour."
        ),
        REMOVE,
        (one_width("W_V"), one_width_kept("W_Q"), one_width_kept("W_V")),
    ),
    Misconception(
        "width-of-the-model",
        width_of_the_model(*NAMES[:5]),
        _(
            "d_model / num_heads is taken as the width of a head. In the paper's model it is; here "
            "the heads may be wider or narrower, since W_Q has num_heads * d_head rows whatever "
            "d_model is. Take the width from each matrix: its rows divided by num_heads."
        ),
        REMOVE,
        (
            width_of_the_model("W_Q", "W_K"),
            width_of_the_model("W_V", "b_V", "W_O"),
        ),
    ),
    Misconception(
        "head-not-asked-for",
        other_head(lambda head, heads: heads - 1),
        _(
            "The same head is removed whatever `head` says, the last one or the first. Its shapes "
            "are right, so nothing complains, and the model loses a head that it needs while the "
            "other stays. Cut at head * width."
        ),
        REMOVE,
        (other_head(lambda head, heads: 0),),
    ),
    Misconception(
        "counted-from-one",
        other_head(lambda head, heads: (head - 1) % heads),
        _(
            "The head before the one asked for is removed. Heads are counted from 0: head h owns "
            "the places from h * width up to (h + 1) * width."
        ),
        REMOVE,
        (
            other_head(lambda head, heads: max(head - 1, 0)),
            other_head(lambda head, heads: head - 1),  # of head 0 nothing is removed
            with_changed(slices_from_one),
        ),
    ),
    Misconception(
        "every-so-many-rows",
        with_changed(in_turn),
        _(
            "Every so many rows are removed, as if the heads took turns. A head's rows are "
            "neighbours: the first d_head rows of W_Q belong to head 0. Removing every so many "
            "takes a little of each head."
        ),
        REMOVE,
    ),
    Misconception(
        "only-the-head-kept",
        with_changed(only_the_head),
        _(
            "The asked head is kept and all others are removed: the choice is the wrong way round. "
            "With two heads the shapes are even right. Keep the places that do not belong to it."
        ),
        REMOVE,
    ),
    Misconception(
        "zeros-in-its-place",
        zeroed("W_Q", "W_K", "W_V", "b_V", "W_O"),
        _(
            "The head's numbers are set to zero, but still there. Where its columns of W_O are "
            "zero the output is right, and as dear as before: every product still runs over them. "
            "Zeros in W_Q and W_K alone do not even switch it off: its weights become uniform. Cut "
            "the rows and columns out."
        ),
        REMOVE,
        (
            zeroed("W_O"),
            zeroed("W_V", "b_V"),
            zeroed("W_Q", "W_K"),
            zeroed("W_Q", "W_K", "W_V"),
            zeroed("W_V"),
        ),
    ),
)
