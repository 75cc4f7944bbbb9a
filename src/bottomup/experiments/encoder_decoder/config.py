"""Chapter 05: the choices of the experiment that trains the encoder–decoder."""

from dataclasses import dataclass

KINDS = ("gru", "transformer")


@dataclass(frozen=True, kw_only=True)
class Config:
    """The choices of the experiment.

    Attributes:
        rates: learning rates tried for both kinds of model, as text without a full stop, which
            names in a record cannot have: ``15e-4``.
        sweep_steps: training steps of each of them.
        gru_rate, transformer_rate: each kind's best rate, at which it trains with other budgets.
        budgets: these budgets in steps.
        corpus_size, corpus_seed: of the mini-language.
        bins: ranges of source lengths (words, full stop included), both ends included.
        examples_seed: the seed under which the Transformer with the largest budget is kept.
        tokens_per_batch, warmup: of every training.
        gru_embedding, gru_state: widths of chapter 01's translator.
        d_model, layers, num_heads, d_ff: of the Transformer; `layers` on each side.
        unshifted_steps: training steps of the decoder that reads what it should say.
        probe_layers, probe_width, probe_heads: of the untrained encoder that is probed.
        probe_length, probe_types: positions, and types of random tokens.
        probe_train, probe_test: sequences to fit a probe on, and to score it on.
    """

    rates: tuple[str, ...] = ("15e-4", "3e-3", "6e-3", "12e-3", "24e-3")
    sweep_steps: int = 600
    gru_rate: str = "12e-3"
    transformer_rate: str = "12e-3"
    budgets: tuple[int, ...] = (150, 300, 1_200, 2_400)
    corpus_size: int = 60_000
    corpus_seed: int = 0
    bins: tuple[tuple[int, int], ...] = ((4, 7), (8, 11), (12, 15), (16, 20))
    examples_seed: int = 0
    tokens_per_batch: int = 1024
    warmup: int = 50
    gru_embedding: int = 64
    gru_state: int = 128
    d_model: int = 64
    layers: int = 2
    num_heads: int = 4
    d_ff: int = 256
    unshifted_steps: int = 300
    probe_layers: int = 6
    probe_width: int = 64
    probe_heads: int = 4
    probe_length: int = 24
    probe_types: int = 32
    probe_train: int = 96
    probe_test: int = 32

    def rate_of(self, kind: str) -> str:
        """Return the best learning rate of a kind, as text."""
        return {"gru": self.gru_rate, "transformer": self.transformer_rate}[kind]

    @property
    def all_budgets(self) -> tuple[int, ...]:
        """The budgets at a kind's best rate in ascending order, that of the sweep among them."""
        return tuple(sorted({*self.budgets, self.sweep_steps}))


@dataclass(frozen=True)
class Trained:
    """A kind of model, its learning rate and its budget, written ``gru_3e-3_600``."""

    kind: str
    rate: str
    steps: int

    @classmethod
    def parse(cls, name: str) -> "Trained":
        """Read a variant's name."""
        kind, rate, steps = name.split("_")
        return cls(kind, rate, int(steps))

    @property
    def name(self) -> str:
        """The variant's name."""
        return f"{self.kind}_{self.rate}_{self.steps}"


def trained_variants(config: Config) -> list[Trained]:
    """Return every training: the sweep over rates, then the budgets at the best rate."""
    swept = [Trained(kind, rate, config.sweep_steps) for rate in config.rates for kind in KINDS]
    longer = [
        Trained(kind, config.rate_of(kind), steps) for steps in config.all_budgets for kind in KINDS
    ]
    return list(dict.fromkeys(swept + longer))
