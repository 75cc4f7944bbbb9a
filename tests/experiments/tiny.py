"""Tiny runs of whole experiments, each made once for all tests that ask about it."""

from functools import cache

from bottomup.experiments import Record, experiment


@cache
def tiny_run(name: str) -> Record:
    """An experiment's tiny preset under seed 0."""
    return experiment(name).run(experiment(name).preset("tiny"), [0], "cpu")
