"""Exercises of chapter 08, what the layers hold."""

NUMBER = "08"
EXERCISES = (
    "mlm-corruption",
    "mutual-information",
    "whitening",
    "pwcca-weights",
    "neighbour-identity",
    "rank-interventions",
)

__all__ = ["EXERCISES", "NUMBER"]
