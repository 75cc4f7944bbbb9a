"""Mistakes in counting neighbours of the same token: who is near, who asks, what is possible."""

import torch
import torch.nn.functional as F

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.representation_analysis.neighbour_identity_parts import (
    as_if_real,
    as_they_are,
    at_zero,
    ceiling_with_padding,
    cosines,
    counted_with_padding,
    divided_by_all_positions,
    farthest,
    farthest_with_itself,
    neighbouring,
    one_more,
    one_sentence_at_a_time,
    over_types,
    padding_found,
    sentence_by_sentence,
    share_with_padding,
    with_itself,
    within_batches,
    within_sentences,
    zeroed,
    zeroed_and_averaged,
)
from bottomup.i18n import _

SECTION = _("Neighbours and positions")
HAND = _("five words and a padding, two neighbours each")
LENGTHS = _("a few long vectors")
MEAN = _("all states share a large mean")
RARE = _("padding holds the number of a rare word")

NEAR = (
    Misconception(
        "query-among-its-neighbours",
        neighbouring(pick=with_itself),
        _(
            "Each state is its own nearest neighbour: its cosine with itself is 1. One of the k "
            "places is then right for nothing, and a state that has lost its token still scores "
            "1/k. Set the diagonal to minus infinity; 0 is no low cosine."
        ),
        SECTION,
        (
            neighbouring(pick=with_itself, possible=lambda t, n, k: n.clamp(max=k) / k),
            neighbouring(pick=one_more),
            neighbouring(pick=one_more, possible=lambda t, n, k: n.clamp(max=k + 1) / (k + 1)),
            neighbouring(pick=at_zero),
        ),
        HAND,
    ),
    Misconception(
        "dot-product",
        neighbouring(lambda x: x @ x.T),
        _(
            "The dot product is taken for the cosine. It grows with the length of the other "
            "vector, so a few long states become everybody's neighbours, whatever their token. "
            "Divide each state by its norm first."
        ),
        SECTION,
        case=LENGTHS,
    ),
    Misconception(
        "euclidean-distance",
        neighbouring(lambda x: -torch.cdist(x, x)),
        _(
            "The nearest are those at the smallest Euclidean distance. Two states of one direction "
            "and different lengths are far apart by it, and a short vector is near to every other "
            "short one. With states of length 1 it orders as the cosine does: normalise first."
        ),
        SECTION,
        (neighbouring(lambda x: -torch.cdist(x, x, p=1.0)),),
        LENGTHS,
    ),
    Misconception(
        "farthest-instead-of-nearest",
        neighbouring(pick=farthest(torch.inf)),
        _(
            "The k farthest states are taken. Of a similarity the largest are near, of a distance "
            "the smallest. Hardly any of the farthest has the same token, so every layer would "
            "seem to have forgotten it."
        ),
        SECTION,
        (
            neighbouring(pick=farthest(-torch.inf)),
            neighbouring(pick=farthest_with_itself),
            neighbouring(lambda x: torch.cdist(x, x)),
        ),
        HAND,
    ),
    Misconception(
        "mean-taken-off",
        neighbouring(lambda x: cosines(x - x.mean(0))),
        _(
            "The mean of all states is taken off before the cosine. That is a measure of its own, "
            "and often a useful one, since states of a network share a large mean. Here the "
            "vectors are compared as they are, and so are those that the chapter measures."
        ),
        SECTION,
        (neighbouring(lambda x: cosines(x - x.mean(1, keepdim=True))),),
        MEAN,
    ),
    Misconception(
        "normalised-over-the-states",
        neighbouring(lambda x: F.normalize(x, dim=0) @ F.normalize(x, dim=0).T),
        _(
            "Each component is divided by its norm over all states, not each state by its own "
            "length. The long vectors stay long. The norm runs over d_model, the last axis."
        ),
        SECTION,
        case=LENGTHS,
    ),
)

ASKED = (
    Misconception(
        "padding-included",
        as_if_real,
        _(
            "Padding counts as a word. All its positions hold the same token and lie close "
            "together, so they find each other and raise the share, or a word finds them. Keep the "
            "real positions only, `states[real]`, for those that ask, those that are found, and "
            "the ceiling."
        ),
        SECTION,
        (
            share_with_padding,
            ceiling_with_padding,
            padding_found(as_they_are),
            padding_found(zeroed),
            zeroed_and_averaged,
            divided_by_all_positions,
        ),
        HAND,
    ),
    Misconception(
        "within-the-sentence",
        within_sentences(as_many_as_there_are=False),
        _(
            "Neighbours are sought in each sentence alone. A word rarely comes twice there, so "
            "hardly any neighbour can have the same token. Put the words of all sentences into one "
            "list first, [n, d_model], for the share and for the ceiling."
        ),
        SECTION,
        (
            within_sentences(as_many_as_there_are=True),
            within_batches(hides_padding=True),
            within_batches(hides_padding=False),
            within_batches(hides_padding=True, counted_there=True),
            one_sentence_at_a_time,
            *(
                sentence_by_sentence(over_k=over_k, counted_there=there, by_sentence=mean)
                for over_k in (True, False)
                for there in (True, False)
                for mean in (True, False)
            ),
        ),
    ),
    Misconception(
        "averaged-over-types",
        neighbouring(averaged=over_types, possible_averaged=over_types),
        _(
            "The mean is taken for each type first, and then over types, so that a type that "
            "occurs once weighs as much as the most frequent one. The statement asks for the mean "
            "over words, in the share and in the ceiling."
        ),
        SECTION,
        (neighbouring(averaged=over_types), neighbouring(possible_averaged=over_types)),
        HAND,
    ),
    Misconception(
        "found-or-not",
        neighbouring(scored=lambda same: same.any(1).float()),
        _(
            "A word counts as found or not, by one of its k neighbours, by most of them, or by "
            "all. Such a number has another ceiling and jumps where one neighbour changes. Count "
            "all k: the share is the mean over words and neighbours."
        ),
        SECTION,
        (
            neighbouring(scored=lambda same: same[:, 0].float()),
            neighbouring(scored=lambda same: same.all(1).float()),
            neighbouring(scored=lambda same: (2 * same.sum(1) > same.shape[1]).float()),
        ),
        HAND,
    ),
)

POSSIBLE = (
    Misconception(
        "ceiling-ignored",
        neighbouring(possible=lambda t, n, k: torch.ones(len(n))),
        _(
            "The ceiling is 1. A token that occurs three times has two others to find, so of ten "
            "neighbours eight must be wrong, however well the layer keeps it. A word can have "
            "min(k, n_t - 1) of k."
        ),
        SECTION,
        (neighbouring(possible=lambda t, n, k: (n > 1).float()),),
        HAND,
    ),
    Misconception(
        "ceiling-counts-the-query",
        neighbouring(possible=lambda t, n, k: n.clamp(max=k) / k),
        _(
            "The ceiling counts the word itself among those that it can find: min(k, n_t) in place "
            "of min(k, n_t - 1). A token that occurs once would have something to find, though no "
            "other state has it."
        ),
        SECTION,
        case=HAND,
    ),
    Misconception(
        "ceiling-counts-padding",
        counted_with_padding,
        _(
            "How often a token occurs is counted over all of `tokens`, padding included. Where "
            "padding holds the number of a word, that word seems to have more others to find than "
            "there are. Count n_t among the words alone, `tokens[real]`."
        ),
        SECTION,
        case=RARE,
    ),
    Misconception(
        "ceiling-not-capped",
        neighbouring(possible=lambda t, n, k: (n - 1) / k),
        _(
            "The ceiling is not cut at k, or not divided by k. A word has k neighbours: a token "
            "that occurs a thousand times can fill all of them, and no more. Take "
            "min(k, n_t - 1) / k, which is 1 at most."
        ),
        SECTION,
        (
            neighbouring(possible=lambda t, n, k: (n - 1).clamp(max=k).float()),
            neighbouring(possible=lambda t, n, k: n / k),
        ),
    ),
    Misconception(
        "chance-instead-of-ceiling",
        neighbouring(possible=lambda t, n, k: (n - 1) / (len(n) - 1)),
        _(
            "That is the share of neighbours drawn at random, not the largest possible one. Chance "
            "and ceiling stand on both sides of what is measured. For the ceiling, let every word "
            "of the same token come first."
        ),
        SECTION,
        (neighbouring(possible=lambda t, n, k: n / len(n)),),
        HAND,
    ),
    Misconception(
        "share-divided-by-ceiling",
        neighbouring(returned=lambda share, ceiling: (share / ceiling, ceiling)),
        _(
            "The share is divided by the ceiling already. The ratio is worth having, but it hides "
            "how little there was to find, and it is 0/0 where no token occurs twice. Return the "
            "two numbers as they are."
        ),
        SECTION,
        (
            neighbouring(returned=lambda share, ceiling: (share.item() / ceiling.item(), ceiling)),
            neighbouring(returned=lambda share, ceiling: ((share / ceiling).nan_to_num(), ceiling)),
        ),
        HAND,
    ),
    Misconception(
        "share-and-ceiling-exchanged",
        neighbouring(returned=lambda share, ceiling: (ceiling, share)),
        _(
            "Share and ceiling have changed places: what was found would be more than what is "
            "possible. Return the share first, then the ceiling."
        ),
        SECTION,
        case=HAND,
    ),
)

MISCONCEPTIONS = (*NEAR, *ASKED, *POSSIBLE)
