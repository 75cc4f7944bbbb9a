"""A network for pair retrieval: the weights see positions alone."""

from dataclasses import dataclass
from typing import NamedTuple

from jaxtyping import Float, Int64
from torch import Tensor, nn

from bottomup.attention import MultiHeadAttention
from bottomup.checks import (
    check_choice,
    check_config,
    check_integer,
    check_token_ids,
    checked,
)

READOUTS = ("linear", "mlp")
SLOTS = 2  # the answer's first and second symbol


class PairReaderOutput(NamedTuple):
    """Logits for each slot of the answer, and what each head reads."""

    logits: Float[Tensor, "batch 2 symbols"]
    weights: Float[Tensor, "batch head positions"]


@dataclass(frozen=True, kw_only=True)
class PairReaderConfig:
    """The choices that define a `PairReader`.

    Attributes:
        positions: length of the sequences.
        symbols: number of different symbols.
        d_model: width of query, keys and values.
        num_heads: number of heads; it divides d_model.
        d_value: width of one head's values; by default d_model / num_heads, as
            that of its keys.
        readout: "linear", or "mlp" with one hidden layer of 4 d_model ReLUs.

    Example:
        >>> PairReaderConfig(positions=5, symbols=3, num_heads=2).d_model
        64
    """

    positions: int
    symbols: int
    d_model: int = 64
    num_heads: int = 1
    d_value: int | None = None
    readout: str = "linear"

    def __post_init__(self) -> None:
        check_integer("positions", self.positions, at_least=SLOTS)
        check_integer("symbols", self.symbols, at_least=2)
        check_integer("d_model", self.d_model, at_least=1)
        check_integer("num_heads", self.num_heads, at_least=1)
        if self.d_value is not None:
            check_integer("d_value", self.d_value, at_least=1)
        check_choice("readout", self.readout, READOUTS)


class PairReader(nn.Module):
    """One query asks for two positions; what it reads gives two symbols.

    ``query = F[a] + S[b]`` for the question (a, b), ``key_i = P[i]``,
    ``value_i = E[symbol_i]``;
    ``logits = readout(MultiHeadAttention(query, key, value))``

    Two tables F and S keep the order of the question. Keys are positions alone
    and values symbols alone, so the weights do not depend on what stands in the
    sequence: with a linear readout the logits are then a weighted sum of what
    each position adds, the setting of
    `bottomup.analysis.linear_readout_margin`.

    Chapter 03 trains it with one head and with several.

    Example:
        >>> model = PairReader(PairReaderConfig(positions=5, symbols=3))
        >>> symbols = torch.tensor([[0, 1, 2, 1, 0]])
        >>> model(symbols, torch.tensor([[4, 2]])).logits.shape  # two symbols
        torch.Size([1, 2, 3])
    """

    def __init__(self, config: PairReaderConfig) -> None:
        super().__init__()
        check_config(config, PairReaderConfig)
        self.config = config
        self.positions, d_model = config.positions, config.d_model
        self.first = nn.Embedding(config.positions, d_model)
        self.second = nn.Embedding(config.positions, d_model)
        self.position = nn.Embedding(config.positions, d_model)
        self.symbol = nn.Embedding(config.symbols, d_model)
        self.attention = MultiHeadAttention(
            d_model, config.num_heads, d_value=config.d_value, bias=False
        )
        self.readout = _readout(config)

    @checked
    def forward(
        self,
        symbols: Int64[Tensor, "batch positions"],
        asked: Int64[Tensor, "batch 2"],
    ) -> PairReaderOutput:
        """Answer one question about each sequence.

        Args:
            symbols: the sequences.
            asked: the two positions asked for, in their order
                (`RetrievalBatch.asked`).
        """
        config = self.config
        check_token_ids(
            "symbols", symbols, "batch positions", vocabulary=config.symbols
        )
        check_token_ids("asked", asked, "batch 2", vocabulary=config.positions)
        query = self.first(asked[:, 0]) + self.second(asked[:, 1])
        key = self.position.weight.expand(len(symbols), -1, -1)
        value = self.symbol(symbols)  # [batch, positions, d_model], as the key
        output, weights = self.attention(query[:, None], key, value)
        logits = self.readout(output[:, 0])  # [batch, 2 symbols]
        return PairReaderOutput(
            logits.unflatten(-1, (SLOTS, config.symbols)), weights[:, :, 0]
        )


def _readout(config: PairReaderConfig) -> nn.Module:
    width, outputs = config.d_model, SLOTS * config.symbols
    if config.readout == "linear":
        return nn.Linear(width, outputs)
    return nn.Sequential(
        nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, outputs)
    )
