"""Mistakes in corrupting sentences: who is chosen, what becomes of them, where the loss is."""

import torch

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.representation_analysis.mlm_corruption_parts import (
    always,
    below,
    between,
    changed_tokens_counted,
    chosen_unless,
    corrupting,
    in_place,
    masks_counted,
    never,
    tokens_counted,
)
from bottomup.i18n import _

SECTION = _("Three objectives, one encoder")
HAND = _("five words between two special tokens")
SPECIAL = _("every choose below 0.15, and special tokens among them")

CHOICE = (
    Misconception(
        "special-tokens-chosen",
        corrupting(choice=lambda ordinary, choose: choose < 0.15),
        _(
            "Special tokens are chosen too. The model then learns to predict padding and the ends "
            "of sentences, which are nearly always the same, and its loss looks better than it is. "
            "Choose only among tokens >= first."
        ),
        SECTION,
        (
            chosen_unless(lambda tokens, first: tokens == 0),
            chosen_unless(lambda tokens, first: tokens < min(first, 3)),
        ),
        HAND,
    ),
    Misconception(
        "share-inverted",
        corrupting(choice=lambda ordinary, choose: ordinary & (choose >= 0.15)),
        _(
            "The other 85 % are chosen. Then hardly a word is left to predict the masked ones "
            "from. A number from 0 to 1 lies below 0.15 in 15 % of the cases."
        ),
        SECTION,
        (corrupting(choice=lambda ordinary, choose: ordinary & (choose > 0.15)),),
        HAND,
    ),
    Misconception(
        "shares-of-all-tokens",
        corrupting(touched=lambda chosen, ordinary: ordinary),
        _(
            "The shares of 80, 10 and 10 % are applied to all tokens, not to the chosen ones. Four "
            "words of five are then masked, and the sentence is gone. First choose 15 %, then "
            "decide what becomes of these: 12 % of all words are masked, 1.5 % exchanged."
        ),
        SECTION,
        (
            corrupting(touched=lambda chosen, ordinary: torch.ones_like(ordinary)),
            corrupting(choice=lambda ordinary, choose: ordinary),
            corrupting(choice=lambda ordinary, choose: torch.ones_like(ordinary)),
        ),
        HAND,
    ),
)

LOSS = (
    Misconception(
        "kept-tokens-without-loss",
        corrupting(counted=lambda chosen, kind: chosen & (kind < 0.9)),
        _(
            "The chosen tokens that stay as they are have no loss. They are the only words that "
            "the model reads as they are and has to predict: without them nothing asks it to hold "
            "on to a word that it can see. They stay in `chosen`, though nothing changes there."
        ),
        SECTION,
        (changed_tokens_counted,),
        HAND,
    ),
    Misconception(
        "loss-on-masks-only",
        corrupting(counted=lambda chosen, kind: chosen & (kind < 0.8)),
        _(
            "The loss is at the masked tokens alone. The model may then be right to ignore every "
            "position without a mask, and the exchanged words are noise that it never has to find. "
            "All chosen tokens count, whatever became of them."
        ),
        SECTION,
        (masks_counted,),
        HAND,
    ),
    Misconception(
        "loss-on-every-token",
        tokens_counted(lambda first: first),
        _(
            "Every token has a loss, also those that were not chosen. Six of seven can be copied "
            "from the input, so the loss falls fast and says little about what is hidden. Return "
            "True at the chosen tokens only."
        ),
        SECTION,
        (tokens_counted(lambda first: 0), tokens_counted(lambda first: 1)),
        HAND,
    ),
    Misconception(
        "targets-overwritten",
        in_place,
        _(
            "Your function changes its input tokens in place: it now holds the mask, and the "
            "original, which the loss asks for, is gone. The model would be taught to predict the "
            "mask at every mask. Write into a copy, `tokens.clone()`, or use torch.where."
        ),
        SECTION,
        case=HAND,
    ),
)

KIND = (
    Misconception(
        "ninety-percent-masked",
        corrupting(hidden=below(0.9), exchanged=never),
        _(
            "Nine of ten chosen tokens are masked: the border of 0.9 was taken for that of 0.8, or "
            "10 % for 90 %. The number 0.9 is where the exchanged tokens end, 0.8 + 0.1. Masked is "
            "what lies below 0.8."
        ),
        SECTION,
        (
            corrupting(hidden=below(0.9), exchanged=between(0.9, 1.0)),
            corrupting(hidden=between(0.1, 1.0), exchanged=never),
        ),
        HAND,
    ),
    Misconception(
        "every-chosen-token-masked",
        corrupting(hidden=always),
        _(
            "Every chosen token is masked. It may be that choose was asked a second time: below "
            "0.15 it is below 0.8 as well, so kind is a number of its own. With masks alone the "
            "model meets no position where it has to predict a word that it reads, and in use it "
            "meets no others."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "shares-not-added-up",
        corrupting(exchanged=never),
        _(
            "The two shares were not added up. One number decides between three fates, so the "
            "borders stand one behind the other, at 0.8 and at 0.8 + 0.1; below 0.1, or below 0.5, "
            "lie tokens that are masked already. Exchanged is what lies from 0.8 to below 0.9."
        ),
        SECTION,
        (
            corrupting(hidden=between(0.1, 0.8), exchanged=below(0.1)),
            corrupting(hidden=between(0.1, 0.9), exchanged=below(0.1)),
        ),
    ),
    Misconception(
        "mask-overwritten",
        corrupting(hidden=never, exchanged=below(0.9)),
        _(
            "No mask is left: whatever has kind below 0.8 also has kind below 0.9, so the second "
            "step exchanges what the first one masked. The model would meet nothing but wrong "
            "words. Exchange first and mask last, or ask for kind >= 0.8 as well."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "kept-and-exchanged-the-other-way",
        corrupting(exchanged=between(0.9, 1.0)),
        _(
            "The shares are right, but the exchanged tokens and those that stay have changed "
            "places. As a way to corrupt sentences this is as good. The statement says from 0.8 to "
            "below 0.9 for the exchanged ones, so that the check can compare."
        ),
        SECTION,
        (corrupting(exchanged=lambda kind: kind > 0.9),),
        HAND,
    ),
    Misconception(
        "no-chosen-token-kept",
        corrupting(exchanged=between(0.8, 1.0)),
        _(
            "Every chosen token that is not masked is exchanged, and none stays as it is. A word "
            "that the model reads and has to predict is then nearly always wrong, so it learns to "
            "trust the word at its own position least of all. One chosen token of ten stays: kind "
            "from 0.9 on."
        ),
        SECTION,
        (corrupting(exchanged=lambda kind: kind > 0.8),),
        HAND,
    ),
)

TOKEN = (
    Misconception(
        "special-tokens-drawn",
        corrupting(token=lambda draw, first, vocabulary: (draw * vocabulary).long()),
        _(
            "The random token is drawn from the whole vocabulary, so it may be padding or the end "
            "of a sentence. In the middle of a sentence these are easy to tell from a word, and "
            "padding may be taken for the end of it. Draw from first to vocabulary - 1."
        ),
        SECTION,
        (corrupting(token=lambda draw, first, vocabulary: (draw * (vocabulary - first)).long()),),
        HAND,
    ),
    Misconception(
        "drawn-from-another-range",
        corrupting(token=lambda draw, first, vocabulary: first + (draw * vocabulary).long()),
        _(
            "The range of the random token is off at its upper end: it runs past the last token, "
            "where the embedding has no row, or never reaches it. There are vocabulary - first "
            "ordinary tokens. The number is rounded down, so that each is equally likely."
        ),
        SECTION,
        (
            corrupting(token=lambda d, first, V: first + (d * (V - 1)).long()),
            corrupting(token=lambda d, first, V: first + (d * (V - first + 1)).long()),
            corrupting(token=lambda d, first, V: first + (d * (V - first - 1)).long()),
            corrupting(token=lambda d, first, V: first + (d * (V - first)).round().long()),
            corrupting(token=lambda d, first, V: first + (d * (V - first - 1)).round().long()),
            corrupting(token=lambda d, first, V: first + (d * (V - first)).ceil().long()),
        ),
    ),
)

MISCONCEPTIONS = (*CHOICE, *LOSS, *KIND, *TOKEN)
