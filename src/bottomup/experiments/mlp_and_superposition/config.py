"""Chapter 04: the choices of the experiment on the MLP and on facts."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        widths: d_ff of the memories whose capacity is measured, each twice the one before.
        key_width, values: width of the frozen keys, and number of values to choose from.
        stored: share of its facts that a memory must name rightly.
        per_doubling: numbers of facts that are told apart in each doubling; the capacity is found
            up to a factor of ``2 ** (1 / per_doubling)``.
        shown_width: width for which the accuracy around its capacity is kept.
        fact_steps, long_steps: training steps of a memory, and of one that trains longer.
        fact_learning_rate: of the memories.
        first_names, last_names, attributes: size of the table that the networks learn.
        d_model, d_ff: of these networks, which have one layer.
        many_heads: number of heads of a second pair of networks; the first has one.
        steps, learning_rate: of their training, with every fact in every step.
        warmup: of every training here.
        shuffles: permutations of the labels for a probe's control.
    """

    widths: tuple[int, ...] = (8, 16, 32, 64, 128)
    key_width: int = 32
    values: int = 64
    stored: float = 0.95
    per_doubling: int = 16
    shown_width: int = 32
    fact_steps: int = 400
    long_steps: int = 1_600
    fact_learning_rate: float = 1e-2
    first_names: int = 20
    last_names: int = 20
    attributes: int = 10
    d_model: int = 64
    many_heads: int = 4
    d_ff: int = 64
    steps: int = 1_500
    learning_rate: float = 3e-3
    warmup: int = 20
    shuffles: int = 3
