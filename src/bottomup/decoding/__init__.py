"""Decoding: from a trained model to target tokens."""

from bottomup.decoding.greedy import Decoded, StepwiseDecoder, greedy

__all__ = ["Decoded", "StepwiseDecoder", "greedy"]
