"""Exercises of chapter 02b, attention inside one sentence before the Transformer."""

NUMBER = "02b"
EXERCISES = (
    "lstmn-step",
    "align-both-ways",
    "intra-attention",
    "temporal-weights",
    "intra-decoder-attention",
    "lin-penalty",
)

__all__ = ["EXERCISES", "NUMBER"]
