"""Mistakes in one step of a TopK autoencoder: from the encoder's numbers to the codes."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.mlp_and_superposition.topk_sae_step_parts import (
    Answer,
    chosen,
    kept,
    with_step,
)
from bottomup.i18n import _

APART = _("Taking features apart again")
STRONG_AND_WEAK = _("a strong sample and a weak one")
FEW = _("fewer than k positive numbers")


def chosen_by(places: Callable[[Tensor, int], Tensor]) -> tuple[Answer, ...]:
    """Another choice of what is kept; with the ReLU before, after, or left out."""

    def after(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
        return kept(found + b_enc, places(found + b_enc, k)).relu()

    def before(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
        scores = (found + b_enc).relu()
        return kept(scores, places(scores, k))

    def without(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
        return kept(found + b_enc, places(found + b_enc, k))

    return with_step(code=after), with_step(code=before), with_step(code=without)


def _in_the_batch(per_sample: bool) -> Callable[[Tensor, int], Tensor]:
    def places(scores: Tensor, k: int) -> Tensor:
        count = min(k * len(scores), scores.numel()) if per_sample else k
        return chosen(scores.flatten(), count).reshape(scores.shape)

    return places


def _above_one_threshold(of_all: Callable[[Tensor], Tensor]) -> Callable[[Tensor, int], Tensor]:
    """A threshold for all samples, made of the k-th largest number of each."""
    return lambda scores, k: scores >= of_all(scores.topk(k).values[:, -1])


def _strictly_above(scores: Tensor, k: int) -> Tensor:
    return scores > scores.topk(k).values[:, -1:]


def _one_more(scores: Tensor, k: int) -> Tensor:
    return chosen(scores, k + 1)  # fails where every unit may be kept


def _one_more_at_most_all(scores: Tensor, k: int) -> Tensor:
    return chosen(scores, min(k + 1, scores.shape[-1]))


def _down_to_the_next(scores: Tensor, k: int) -> Tensor:
    return scores >= scores.sort(descending=True).values[:, k, None]


def _down_to_the_next_of_a_slice(scores: Tensor, k: int) -> Tensor:
    return scores >= scores.sort(descending=True).values[:, k : k + 1]


def _in_the_first_places(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    codes = torch.zeros_like(found)
    codes[:, :k] = (found + b_enc).topk(k).values
    return codes


def _of_each_unit(scores: Tensor, k: int) -> Tensor:
    return chosen(scores.T, min(k, len(scores))).T


def _of_each_unit_strictly(scores: Tensor, k: int) -> Tensor:
    return chosen(scores.T, k).T  # fails where there are fewer samples than k


def _largest_by_size(scores: Tensor, k: int) -> Tensor:
    return chosen(scores.abs(), k)


def _chosen_and_made_positive(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    scores = found + b_enc
    return kept(scores.abs(), _largest_by_size(scores, k))


def _chosen_before_the_bias(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    return kept(found + b_enc, chosen(found, k)).relu()


def _bias_after_the_choice(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    return (kept(found, chosen(found, k)) + b_enc).relu()


def _bias_after_the_relu(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    return kept(found, chosen(found, k)).relu() + b_enc


def _without_encoder_bias(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    return kept(found, chosen(found, k)).relu()


def _ones(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    scores = found + b_enc
    return (chosen(scores, k) & (scores > 0)).to(scores.dtype)


def _ones_without_relu(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    return chosen(found + b_enc, k).to(found.dtype)


def _all_kept(found: Tensor, b_enc: Tensor, k: int) -> Tensor:
    return (found + b_enc).relu()


CHOICE = (
    Misconception(
        "k-over-the-batch",
        chosen_by(_in_the_batch(per_sample=True))[0],
        _(
            "The largest numbers of the whole batch are kept. A strong sample then takes the "
            "places of a weak one, and the code of a sample depends on which others are computed "
            "with it. TopK looks at one sample at a time: k along the last axis."
        ),
        APART,
        (
            *chosen_by(_in_the_batch(per_sample=True))[1:],
            *chosen_by(_in_the_batch(per_sample=False)),
        ),
        STRONG_AND_WEAK,
    ),
    Misconception(
        "one-threshold-for-the-batch",
        chosen_by(_above_one_threshold(torch.min))[0],
        _(
            "One threshold serves the whole batch: it comes from the k-th largest numbers of all "
            "samples together, or from those of one sample. A strong sample then keeps more than "
            "k, and its code depends on which others are computed with it. Each sample has its own "
            "k-th largest number, [sample, 1]."
        ),
        APART,
        (
            *chosen_by(_above_one_threshold(torch.min))[1:],
            *(
                answer
                for of_all in (
                    torch.max,
                    torch.mean,
                    lambda values: values[0],
                    lambda values: values[-1],
                )
                for answer in chosen_by(_above_one_threshold(of_all))
            ),
        ),
        STRONG_AND_WEAK,
    ),
    Misconception(
        "strictly-above-the-threshold",
        chosen_by(_strictly_above)[0],
        _(
            "One number too few is kept: k - 1 for each sample. A threshold at the k-th largest "
            "number with > leaves out that number itself, and with k = 1 every code is zero. "
            "Compare with >=, or let topk give the places."
        ),
        APART,
        chosen_by(_strictly_above)[1:],
    ),
    Misconception(
        "one-too-many-kept",
        chosen_by(_one_more)[0],
        _(
            "One number too many is kept: k + 1 for each sample. Sorted in falling order, the "
            "numbers count from 0, so index k holds the number after the k-th. The threshold is at "
            "index k - 1."
        ),
        APART,
        tuple(
            answer
            for places in (
                _one_more,
                _one_more_at_most_all,
                _down_to_the_next,
                _down_to_the_next_of_a_slice,
            )
            for answer in chosen_by(places)
        ),
    ),
    Misconception(
        "k-samples-of-each-unit",
        chosen_by(_of_each_unit)[0],
        _(
            "TopK runs along the samples: each unit keeps its k largest samples. A sample may then "
            "have any number of active units, or none. The axis that counts units is the last one."
        ),
        APART,
        (*chosen_by(_of_each_unit)[1:], *chosen_by(_of_each_unit_strictly)),
    ),
    Misconception(
        "largest-by-absolute-value",
        chosen_by(_largest_by_size)[0],
        _(
            "The k numbers of largest absolute value are kept. A strongly negative number says "
            "that the feature is absent, yet it takes a place from one that is present, and the "
            "ReLU then makes it zero. Choose by value."
        ),
        APART,
        (chosen_by(_largest_by_size)[2], with_step(code=_chosen_and_made_positive)),
    ),
    Misconception(
        "chosen-before-the-encoder-bias",
        with_step(code=_chosen_before_the_bias),
        _(
            "The choice is made before b_enc is added. The bias says how readily a unit speaks: "
            "without it the wrong units are chosen, and added to all afterwards it fills places "
            "that should be zero. Add b_enc first, then choose."
        ),
        APART,
        (with_step(code=_bias_after_the_choice), with_step(code=_bias_after_the_relu)),
    ),
    Misconception(
        "encoder-bias-missing",
        with_step(code=_without_encoder_bias),
        _(
            "b_enc is not used. Every unit then speaks as soon as the input points its way at all, "
            "and small interference takes places. Add b_enc before the choice."
        ),
        APART,
    ),
    Misconception(
        "nothing-cut-off",
        with_step(code=_all_kept),
        _(
            "All positive numbers are kept, and k has no effect. This is the encoder of the L1 "
            "kind, which needs a penalty to become sparse. Here the choice of the k largest makes "
            "it sparse."
        ),
        APART,
    ),
    Misconception(
        "relu-missing",
        with_step(code=lambda found, b_enc, k: kept(found + b_enc, chosen(found + b_enc, k))),
        _(
            "The ReLU is missing. Where fewer than k numbers are positive, TopK keeps negative "
            "ones, and a unit then says that its feature is present less than not at all. The code "
            "of a feature is zero or above."
        ),
        APART,
        case=FEW,
    ),
    Misconception(
        "codes-are-ones",
        with_step(code=_ones),
        _(
            "The kept units have the code 1. It says which features are present, and not how "
            "strongly: a sample twice as long is rebuilt the same. Keep the values."
        ),
        APART,
        (with_step(code=_ones_without_relu),),
    ),
    Misconception(
        "values-in-the-first-places",
        with_step(code=lambda *inputs: _in_the_first_places(*inputs).relu()),
        _(
            "The k values stand in the first k places, whichever units they come from. Unit 1 then "
            "speaks for the largest number of every sample, and the reconstruction is made of the "
            "wrong directions. `topk` gives the places too: `scatter(1, indices, values)`."
        ),
        APART,
        (with_step(code=_in_the_first_places),),
    ),
    Misconception(
        "codes-without-places",
        with_step(returned=lambda codes, W_dec, k: codes.topk(k).values),
        _(
            "The codes are the k values alone, without their places. Nobody can then see which "
            "units are active. Put them back into a row of the dictionary's length, with zeros "
            "elsewhere."
        ),
        APART,
    ),
)
