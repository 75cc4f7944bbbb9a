"""Decoding: from a trained model to target tokens."""

from bottomup.decoding.beam import ReorderableDecoder, beam_search
from bottomup.decoding.beam_result import BeamDecoded, BeamStep
from bottomup.decoding.beam_step import Continuations, continue_beam
from bottomup.decoding.greedy import greedy
from bottomup.decoding.penalty import gnmt_penalty
from bottomup.decoding.sampling import sample, sampled, softmax_with_temperature
from bottomup.decoding.stepwise import Decoded, StepwiseDecoder
from bottomup.decoding.truncation import keep_top_k, keep_top_p

__all__ = [
    "BeamDecoded",
    "BeamStep",
    "Continuations",
    "Decoded",
    "ReorderableDecoder",
    "StepwiseDecoder",
    "beam_search",
    "continue_beam",
    "gnmt_penalty",
    "greedy",
    "keep_top_k",
    "keep_top_p",
    "sample",
    "sampled",
    "softmax_with_temperature",
]


def __dir__() -> list[str]:
    return __all__
