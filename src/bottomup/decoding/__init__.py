"""Decoding: from a trained model to target tokens."""

from bottomup.decoding.greedy import Decoded, StepwiseDecoder, greedy
from bottomup.decoding.sampling import sample, softmax_with_temperature

__all__ = ["Decoded", "StepwiseDecoder", "greedy", "sample", "softmax_with_temperature"]
