"""Exercises of chapter 06, decoding and evaluation."""

NUMBER = "06"
EXERCISES = ("kv-cache-append", "top-p", "beam-step", "ragged-prefixes", "bleu-clipping")

__all__ = ["EXERCISES", "NUMBER"]
