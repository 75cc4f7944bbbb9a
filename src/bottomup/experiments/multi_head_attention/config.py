"""Chapter 03: the choices of the experiment."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        heads: numbers of heads that are compared; each divides d_model. The first is 1.
        pruned_heads: heads in each layer of the network whose heads are removed.
        random_orders: orders in which heads are removed at random.
        kept_sentences: whose weights are kept, of that network under seed 0.
        corpus_size: of the mini-language; its seed is 0.
        d_model, batch_size: of every network.
        reader_steps: training steps of the networks that name the nouns of pronouns.
        hops, d_attention: readings of a sentence, and width of the layer that scores its words.
        penalty: coefficient of Lin's penalty.
        hop_steps: training steps of the networks with hops.
        learning_rate, warmup: of every training.
    """

    heads: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64)
    pruned_heads: int = 8
    random_orders: int = 5
    kept_sentences: int = 6
    corpus_size: int = 60_000
    d_model: int = 64
    batch_size: int = 64
    reader_steps: int = 800
    hops: int = 6
    d_attention: int = 32
    penalty: float = 1.0
    hop_steps: int = 800
    learning_rate: float = 3e-3
    warmup: int = 50
