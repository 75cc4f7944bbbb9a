"""Mistakes in the intra-sentence attention of Parikh et al. (2016)."""

import torch

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.intra_attention.intra_attention_parts import (
    after_softmax,
    around_the_end,
    clipped,
    clipped_too_soon,
    features_read,
    from_scores,
    over_axis,
    past_only,
    scaled_product,
    scaled_sum,
    times_bias,
    window,
    with_bias,
    with_scores,
    without_centre,
    without_self,
    without_self_guarded,
    zero_beyond,
)
from bottomup.i18n import _

SCORES = _("All pairs at once")
DISTANCE = _("A bias for the distance")
LONG_SENTENCE = _("sentences longer than the biases reach")
ONE_WIDTH = _("features and words of one width")
FLAT_BIAS = _("a bias of zeros")

MISCONCEPTIONS = (
    Misconception(
        "bias-of-j-minus-i",
        with_bias(lambda offset, bias: clipped(-offset, bias)),
        _(
            "The biases are mirrored: you use d_{j-i}, the formula d_{i-j}. A model trained this "
            "way only has its biases in reverse, but a bias that says 'read the word to your left' "
            "now makes every word read the one to its right. The query's position comes first."
        ),
        DISTANCE,
    ),
    Misconception(
        "distance-without-sign",
        with_bias(lambda offset, bias: clipped(offset.abs(), bias)),
        _(
            "The distance has lost its sign: |i - j| in the place of i - j. The word before and "
            "the word after then share a bias, and half of the biases are never used. The order "
            "of 'dog bites man' is in the sign."
        ),
        DISTANCE,
        (with_bias(lambda offset, bias: clipped(-offset.abs(), bias)),),
    ),
    Misconception(
        "no-bias-beyond-the-ends",
        with_bias(zero_beyond),
        _(
            "The distance is not clipped: beyond r your scores have no bias, as if d were 0 there. "
            "In a sentence longer than the biases reach, a word r + 1 away then loses the bias "
            "that a word r away has. Beyond r, the entry at that end counts."
        ),
        DISTANCE,
        case=LONG_SENTENCE,
    ),
    Misconception(
        "clipped-too-soon",
        with_bias(clipped_too_soon),
        _(
            "The distance is clipped one step too soon, to 1 - r and r - 1. The entries at the two "
            "ends of `bias` are then never used: a word r away takes the bias of its nearer "
            "neighbour. Clip to -r and r."
        ),
        DISTANCE,
    ),
    Misconception(
        "index-around-the-end",
        with_bias(around_the_end),
        _(
            "The distance is not clipped, and the index runs around the end: a word far to the "
            "right takes the bias of one far to the left. A negative index does this in Python "
            "without a word. Clip i - j to -r and r before you add r."
        ),
        DISTANCE,
        case=LONG_SENTENCE,
    ),
    Misconception(
        "far-words-masked",
        with_bias(window),
        _(
            "Words beyond distance r get no weight at all. That is a window, another mechanism: "
            "here distance is a preference, and a word may read any word of its sentence. Clip the "
            "distance, so that far words take the entry at the end."
        ),
        DISTANCE,
        case=LONG_SENTENCE,
    ),
    Misconception(
        "centre-forgotten",
        with_bias(without_centre),
        _(
            "The index is i - j, without the r that moves it to the middle of `bias`. A word then "
            "takes d_{-r} for itself, and what lies to the right is read from the other end, since "
            "a negative index counts from there. d_0 stands at index r."
        ),
        DISTANCE,
    ),
    Misconception(
        "bias-missing",
        with_bias(lambda offset, bias: torch.zeros_like(offset, dtype=bias.dtype)),
        _(
            "The bias is not used. The scores then compare words and nothing else: shuffle the "
            "sentence, and every word reads what it read before. The bias is all this attention "
            "knows about order."
        ),
        DISTANCE,
    ),
    Misconception(
        "bias-after-the-softmax",
        after_softmax,
        _(
            "The bias is added to the weights, after the softmax. They no longer sum to one, and "
            "with a negative bias some are negative: the output is no mean of words. A bias is "
            "part of the score."
        ),
        DISTANCE,
    ),
    Misconception(
        "bias-as-a-factor",
        times_bias,
        _(
            "The bias multiplies the product; the formula adds it. Two words whose features are "
            "orthogonal then score 0 at every distance, and a negative bias turns a good fit into "
            "a bad one. A distance must count whatever the words are: add it."
        ),
        DISTANCE,
    ),
    Misconception(
        "later-words-hidden",
        from_scores(past_only),
        _(
            "A word reads only itself and what stands before it. That is chapter 02's causal mask, "
            "for a model that writes. Here the whole sentence is there from the start: j runs over "
            "all positions, and the sign of i - j tells left from right."
        ),
        DISTANCE,
    ),
    Misconception(
        "softmax-over-queries",
        from_scores(over_axis(-2)),
        _(
            "The softmax runs over the queries, so each column sums to one, not each row. With a "
            "symmetric table of scores and no bias the two look alike, mirrored. A word must "
            "divide its reading among the keys: normalise the last axis."
        ),
        SCORES,
        (from_scores(over_axis(0)),),
    ),
    Misconception(
        "F-on-one-side",
        with_scores(lambda features, words: features @ words.mT),
        _(
            "Only one side of the product has gone through F: you compare F(a_i) with a_j itself. "
            "With different widths that raises an error; with one width it passes unseen, and a "
            "trained F gives other scores. Both sides are features."
        ),
        SCORES,
        (with_scores(lambda features, words: words @ features.mT),),
        case=ONE_WIDTH,
    ),
    Misconception(
        "F-unused",
        with_scores(lambda features, words: words @ words.mT),
        _(
            "The words are compared as they are, without F. One vector must then serve for being "
            "compared and for being read, and nothing is learned that serves the comparison alone. "
            "The scores are products of features; the words are what is read."
        ),
        SCORES,
    ),
    Misconception(
        "features-read",
        features_read,
        _(
            "The weights are right, and the output is a mean of the features. Parikh et al. read "
            "the words' own vectors: F serves the comparison only. Multiply the weights with "
            "`words`."
        ),
        SCORES,
    ),
    Misconception(
        "self-excluded",
        from_scores(without_self(-torch.inf)),
        _(
            "A word does not read itself here. In the formula j runs over all positions, i "
            "included, and d_0 says how much a word prefers itself. Without it a sentence of one "
            "word has nothing to read, and its row is 0/0."
        ),
        SCORES,
        (from_scores(without_self(-1e9)), from_scores(without_self_guarded)),
        case=FLAT_BIAS,
    ),
    Misconception(
        "scaled",
        with_scores(scaled_product),
        _(
            "The products are divided by the root of the width. That is the Transformer's step of "
            "2017; Parikh et al. have no such factor, since F learns its own scale. With given "
            "features the weights come out flatter than they should."
        ),
        SCORES,
        (scaled_sum,),
    ),
)
