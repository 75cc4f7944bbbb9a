"""Chapter 05: the choices of the experiment on depth."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        layers: of encoder and of decoder each; the first is the shallowest, the last the deepest.
        judged: the number of layers on each side that the claims on deep Transformers are about;
            one of `layers`. 6 is that of Vaswani et al. (2017).
        symbols, min_length, max_length, batch_size: of the sequences that are reversed.
        d_model, num_heads, d_ff: of every Transformer.
        steps: training steps of every Transformer.
        warmup: steps in which the rate rises, where there is warm-up.
        learning_rate: after warm-up, the same for every Transformer but one.
        low_rate: that of one post-norm Transformer of the judged depth, without warm-up.
        pairs: sequences of each length on which accuracy is measured.
        depths: of the stacks, in layers; the last is the deepest.
        width: of every stack.
        gate_bias: of highway layers at the start.
        stack_steps, stack_rate: of every stack's training.
        test_digits: images kept for testing.
    """

    layers: tuple[int, ...] = (2, 6, 12)
    judged: int = 6
    symbols: int = 10
    min_length: int = 3
    max_length: int = 8
    batch_size: int = 64
    d_model: int = 32
    num_heads: int = 4
    d_ff: int = 64
    steps: int = 500
    warmup: int = 100
    learning_rate: float = 5e-3
    low_rate: float = 2e-3
    pairs: int = 64
    depths: tuple[int, ...] = (5, 20, 50)
    width: int = 32
    gate_bias: float = -2.0
    stack_steps: int = 300
    stack_rate: float = 1e-3
    test_digits: int = 497
