"""Mistakes in one step of a TopK autoencoder: the lengths of the decoder, b_dec, the two maps."""

import torch
from torch import Tensor
from torch.nn.functional import normalize

from bottomup.exercises.exercise import Misconception
from bottomup.exercises.mlp_and_superposition.topk_sae_step_choice import APART, CHOICE, chosen_by
from bottomup.exercises.mlp_and_superposition.topk_sae_step_parts import Answer, with_step
from bottomup.i18n import _

SQUARE = _("as many units as inputs")


def _given(W_dec: Tensor) -> Tensor:
    return W_dec


def _given_used(W_dec: Tensor, projected: Tensor) -> Tensor:
    return W_dec


def _untransposed(x: Tensor, W_enc: Tensor, W_dec: Tensor) -> Tensor:
    return x @ W_enc


def _rebuilt_untransposed(codes: Tensor, decoder: Tensor) -> Tensor:
    return codes @ decoder


def _unchanged(x: Tensor, b_dec: Tensor) -> Tensor:
    return x


def _smallest(scores: Tensor, k: int) -> Tensor:
    places = scores.topk(k, largest=False).indices
    return torch.zeros_like(scores, dtype=torch.bool).scatter(-1, places, value=True)


def _with_unit_encoder(dim: int) -> Answer:
    return with_step(products=lambda x, W_enc, W_dec: x @ normalize(W_enc, dim=dim).T)


LENGTHS = (
    Misconception(
        "decoder-lengths-free",
        with_step(project=_given),
        _(
            "The columns of W_dec keep their lengths. A long column lets a small code do the same "
            "work, so an L1 penalty on the codes can be evaded, and codes of two units cannot be "
            "compared. Divide every column by its length."
        ),
        APART,
    ),
    Misconception(
        "decoder-projected-too-late",
        with_step(used=_given_used),
        _(
            "The decoder is projected after it has been used: the reconstruction is made with the "
            "old lengths. It then belongs to another model than the one you return. Project first."
        ),
        APART,
    ),
    Misconception(
        "projection-not-kept",
        with_step(project=_given, used=lambda W_dec, projected: W_dec / W_dec.norm(dim=0)),
        _(
            "The reconstruction is made with unit columns, but W_dec comes back with its old "
            "lengths. The optimizer would go on from there, and the lengths drift. Return the "
            "projected matrix."
        ),
        APART,
    ),
    Misconception(
        "rows-made-unit",
        with_step(project=lambda W_dec: normalize(W_dec, dim=1)),
        _(
            "The rows of W_dec are given the length 1. A row holds one input as all units write "
            "it, and its length means nothing. Unit j writes column j, `W_dec[:, j]`: take the "
            "norm over dim=0."
        ),
        APART,
        (with_step(project=lambda W_dec: normalize(W_dec, dim=1), used=_given_used),),
    ),
    Misconception(
        "one-length-for-all",
        with_step(project=lambda W_dec: W_dec / W_dec.norm()),
        _(
            "The whole matrix is divided by one number, its norm. Long columns stay longer than "
            "short ones, and none has the length 1. Each column has a length of its own: "
            "`W_dec.norm(dim=0)`."
        ),
        APART,
        (
            with_step(project=lambda W_dec: W_dec / W_dec.norm(dim=0).mean()),
            with_step(project=lambda W_dec: W_dec / W_dec.norm(dim=0).max()),
        ),
    ),
    Misconception(
        "squared-length-divides",
        with_step(project=lambda W_dec: W_dec / W_dec.square().sum(0)),
        _(
            "Each column is divided by the square of its length: the root is missing. A column of "
            "length 2 gets the length 1/2 and one of length 1/2 gets 2, so the long and the short "
            "change places. Divide by `W_dec.norm(dim=0)`."
        ),
        APART,
    ),
    Misconception(
        "another-norm",
        with_step(project=lambda W_dec: W_dec / W_dec.abs().sum(0)),
        _(
            "Each column is divided by another norm than its length: by the sum of its absolute "
            "values, or by the largest of them. What is left depends on how a direction lies to "
            "the axes: (.6, .8) would be shortened by 1.4, and (1, 0) would stay. The length is "
            "the root of the sum of squares."
        ),
        APART,
        (with_step(project=lambda W_dec: normalize(W_dec, p=torch.inf, dim=0)),),
    ),
    Misconception(
        "only-long-columns-shortened",
        with_step(project=lambda W_dec: W_dec / W_dec.norm(dim=0).clamp(min=1)),
        _(
            "Columns longer than 1 are shortened, shorter ones stay. That bounds the lengths and "
            "does not fix them, so codes of two units still cannot be compared. Every column gets "
            "the length 1."
        ),
        APART,
        (with_step(project=lambda W_dec: W_dec / W_dec.norm(dim=0).clamp(max=1)),),
    ),
    Misconception(
        "lengths-moved-into-the-codes",
        with_step(used=_given_used, returned=lambda codes, W_dec, k: codes * W_dec.norm(dim=0)),
        _(
            "The lengths of the columns are moved into the codes, so that the reconstruction stays "
            "what it was. The projection is a correction and not a change of units: the codes are "
            "what the encoder gives, and the shorter or longer column changes what is rebuilt."
        ),
        APART,
    ),
)

BIASES_AND_MAPS = (
    Misconception(
        "smallest-kept",
        chosen_by(_smallest)[0],
        _(
            "The k smallest numbers are kept, which the ReLU then sets to zero where they are "
            "negative. `argsort` and `sort` rise unless they get descending=True, and `topk` takes "
            "the smallest with largest=False. A unit speaks where its number is large."
        ),
        APART,
        chosen_by(_smallest)[1:],
    ),
    Misconception(
        "encoder-normalised",
        _with_unit_encoder(1),
        _(
            "W_enc is given rows of length 1 too. Only the decoder's columns need a fixed length, "
            "so that codes cannot be made small and directions long. How long a row of the encoder "
            "is says how strongly its unit answers, and that is learned: use W_enc as it is."
        ),
        APART,
        (_with_unit_encoder(0),),
    ),
    Misconception(
        "decoder-bias-not-subtracted",
        with_step(centre=_unchanged),
        _(
            "b_dec is not subtracted from the input. It holds what all samples have in common; "
            "left in, it goes into every product with the encoder, and units speak about the mean. "
            "Encode x - b_dec."
        ),
        APART,
    ),
    Misconception(
        "decoder-bias-not-added",
        with_step(shift=_unchanged),
        _(
            "b_dec is not added to the reconstruction. It was subtracted before encoding, so what "
            "you rebuild is x - b_dec, and the error contains b_dec for every sample. Add it at "
            "the end."
        ),
        APART,
    ),
    Misconception(
        "decoder-bias-ignored",
        with_step(centre=_unchanged, shift=_unchanged),
        _(
            "b_dec is used nowhere. The units must then rebuild the mean of the data too, in every "
            "sample, and with k places that costs places. Subtract b_dec before encoding and add "
            "it to the reconstruction."
        ),
        APART,
    ),
    Misconception(
        "encoder-is-the-decoder",
        with_step(products=lambda x, W_enc, W_dec: x @ W_dec),
        _(
            "The decoder's directions are used for encoding, and W_enc is not. They are a good "
            "start, since the encoder is initialised to them. But features that are not orthogonal "
            "are read best along other directions than they are written: the encoder has its own "
            "matrix."
        ),
        APART,
        (with_step(products=lambda x, W_enc, W_dec: x @ W_dec, used=_given_used),),
    ),
    Misconception(
        "map-untransposed",
        with_step(products=_untransposed, rebuild=_rebuilt_untransposed),
        _(
            "A matrix is applied without its transpose. Samples are rows, so W_enc x is "
            "`x @ W_enc.T` and W_dec codes is `codes @ W_dec.T`. With as many units as inputs "
            "nothing complains; elsewhere the shapes do not fit."
        ),
        APART,
        (with_step(products=_untransposed), with_step(rebuild=_rebuilt_untransposed)),
        SQUARE,
    ),
)

MISCONCEPTIONS = (*CHOICE, *LENGTHS, *BIASES_AND_MAPS)
