"""Mistakes in writing on from a batch of prefixes: where a row starts, what it reads, its end."""

import torch

from bottomup.exercises.decoding.ragged_prefixes_parts import (
    behind_the_longest,
    behind_the_padding,
    cut_after_the_last_end,
    cut_at_the_first_eos,
    equally_many,
    holds_eos,
    loop,
    moved_to_the_right,
    never,
    over_pad,
    padding_in_the_state,
    padding_read,
    read_eos,
    written_where_read,
    wrote_eos,
)
from bottomup.exercises.exercise import Misconception
from bottomup.i18n import _

SECTION = _("A batch of prefixes")
HAND = _("prefixes of three and two tokens")
GUESSED = _("inside a prefix the model would have written eos")
INSIDE = _("a prefix that contains eos")
COUNTS = _("the model counts what it has read")
ALL_END = _("all rows end before the last column")
ENDS = _("one row ends before the other")

STARTS = (
    Misconception(
        "padding-read-as-words",
        padding_read(behind_the_longest),
        _(
            "All rows start behind the longest prefix, so a shorter one reads its padding as if it "
            "were words. Its translation then depends on its neighbours in the batch. Each row "
            "starts behind its own prefix: at column i where i >= lengths."
        ),
        SECTION,
        (
            padding_read(behind_the_longest, removed=True),
            padding_read(behind_the_padding),
        ),
        HAND,
    ),
    Misconception(
        "padding-in-front-read",
        moved_to_the_right,
        _(
            "The prefixes were moved to the right, so that all end in one column, and the padding "
            "in front was read. It stays in the model's state, or in its cache, and shifts every "
            "position. Padding in front needs a mask and positions of its own; here no row has to "
            "be moved."
        ),
        SECTION,
    ),
    Misconception(
        "padding-left-in-the-state",
        padding_in_the_state,
        _(
            "The whole rectangle of prefixes was read first. Each row goes on from what the model "
            "said behind its last real token, so the first new token is right; but the state has "
            "read the padding by then, and all later tokens come from it. A row must not read "
            "padding between its prefix and its own tokens."
        ),
        SECTION,
    ),
    Misconception(
        "prefix-overwritten",
        loop(
            lambda now: (now.i >= now.lengths.min()).expand_as(now.own),
            lambda now: (now.i >= now.lengths.min()) & (now.own == now.eos),
        ),
        _(
            "The model's own tokens stand where a prefix has its tokens: the rest of a longer "
            "prefix is overwritten, or a token in it that has the number of pad. The model then "
            "continues a sentence that nobody gave it. While i < lengths, a row's token is that of "
            "its prefix."
        ),
        SECTION,
        (
            loop(over_pad, lambda now: over_pad(now) & (now.own == now.eos)),
            loop(lambda now: now.own >= 0, lambda now: now.own == now.eos),
            loop(lambda now: now.own >= 0, lambda now: now.own == now.eos, pads_ended_prefix=True),
        ),
        HAND,
    ),
    Misconception(
        "one-column-late",
        loop(lambda now: now.i > now.lengths, lambda now: (now.i > now.lengths) & wrote_eos(now)),
        _(
            "A row's own tokens start one column late, and one padding token is read in between. A "
            "prefix of n tokens fills the columns 0 to n - 1, so column n is the model's: "
            "i >= lengths."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "one-column-early",
        loop(
            lambda now: now.i >= now.lengths - 1,
            lambda now: (now.i >= now.lengths - 1) & (now.own == now.eos),
        ),
        _(
            "The last token of each prefix is replaced by what the model would have written "
            "there. A prefix of n tokens fills the columns 0 to n - 1, so column n is the first "
            "that is the model's: i >= lengths."
        ),
        SECTION,
        case=HAND,
    ),
)

READING = (
    Misconception(
        "state-not-handed-on",
        loop(hands_on_state=False),
        _(
            "The state is not handed on: the model reads each token as if it were the first. What "
            "it writes then follows from one token alone, whatever stood before. Give each call of "
            "step the state that the call before it returned."
        ),
        SECTION,
        case=COUNTS,
    ),
    Misconception(
        "written-where-it-was-read",
        written_where_read,
        _(
            "What the model says after column i belongs into column i + 1. Here it goes into "
            "column i itself, so behind its prefix a row reads padding each time. Read column "
            "i - 1, then fill column i."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "own-token-read-inside-the-prefix",
        loop(feeds_own=True),
        _(
            "The prefix is returned, but inside it the model reads its own guesses. What follows "
            "then continues the guesses and not the prefix. The token that is read next is the one "
            "that stands in the row: the prefix's while it lasts, then the model's."
        ),
        SECTION,
        case=HAND,
    ),
)

ENDINGS = (
    Misconception(
        "eos-guessed-inside-the-prefix",
        loop(ends=lambda now: now.own == now.eos),
        _(
            "A row is ended because the model would have written EOS inside the prefix. It did not "
            "write it: there the prefix's token stands. Only a token that a row really got from "
            "the model can end it, so ask for i >= lengths as well."
        ),
        SECTION,
        (loop(ends=lambda now: now.own == now.eos, pads_ended_prefix=True),),
        GUESSED,
    ),
    Misconception(
        "eos-in-the-prefix-ends",
        loop(ends=read_eos),
        _(
            "An EOS in the prefix ends the row. A prefix may hold several sentences, or start with "
            "EOS as some models want it; the statement says that only the model's own EOS ends a "
            "row. Ask where the token came from, not only what it is."
        ),
        SECTION,
        (
            loop(ends=holds_eos),
            loop(ends=read_eos, pads_ended_prefix=True),
            cut_at_the_first_eos,
        ),
        INSIDE,
    ),
    Misconception(
        "never-ended",
        loop(ends=never),
        _(
            "A row goes on after its EOS. What a model writes there was never trained, and it is "
            "counted as part of the translation. Remember which rows have ended, and leave pad in "
            "the rest of them."
        ),
        SECTION,
        case=ENDS,
    ),
    Misconception(
        "first-end-stops-all",
        loop(stops=torch.any),
        _(
            "The whole batch stops with the row that ends first. The others are cut off, the more "
            "the larger the batch. Stop when all rows have ended, or at the last column."
        ),
        SECTION,
        case=ENDS,
    ),
    Misconception(
        "not-filled-up",
        cut_after_the_last_end,
        _(
            "The result ends with the row that ends last. Its width then depends on what the model "
            "wrote, and the results of two batches do not fit together. The statement asks for "
            "[batch, total]: fill up with pad to total."
        ),
        SECTION,
        case=ALL_END,
    ),
    Misconception(
        "eos-left-out",
        loop(keeps_eos=False),
        _(
            "The model's EOS is replaced by pad. Some functions return it so, but then a row that "
            "ended cannot be told from one that was cut off. The statement asks for the tokens up "
            "to and including EOS."
        ),
        SECTION,
        case=ENDS,
    ),
    Misconception(
        "equally-many-new-tokens",
        equally_many,
        _(
            "Every row gets as many new tokens as the longest prefix has room for, and a shorter "
            "one ends in padding without EOS. total counts the prefix too. Each row goes on to its "
            "EOS or to the last column."
        ),
        SECTION,
        case=HAND,
    ),
)

MISCONCEPTIONS = (*STARTS, *READING, *ENDINGS)
