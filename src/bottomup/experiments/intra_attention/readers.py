"""Chapter 02b's networks: what stands between the words of a sentence and the answer."""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from bottomup.attention import LSTMN, IntraAttention, intra_decoder_attention
from bottomup.experiments.shared.sentences import COLOURS, NOUNS

D_WORD = 32
D_STATE = 32
WIDE = 128  # of the LSTM with the wider state


class Recurrent(nn.Module):
    """An LSTM alone."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(D_WORD, width, batch_first=True)

    def forward(self, words: Tensor) -> Tensor:
        """Return the states [batch, position, width]."""
        states: Tensor = self.lstm(words)[0]
        return states


class Taped(nn.Module):
    """The LSTM with a tape of Cheng et al. (2016)."""

    def __init__(self) -> None:
        super().__init__()
        self.lstmn = LSTMN(D_WORD, D_STATE, D_STATE)

    def forward(self, words: Tensor) -> Tensor:
        """Return the states [batch, position, D_STATE]."""
        states: Tensor = self.lstmn(words)[0]
        return states


class Beside(nn.Module):
    """Each word's vector, and beside it what it reads, after Parikh et al. (2016).

    ``[a_i; a'_i]``; with `ordered` unset all distances have one bias, which changes nothing.
    """

    def __init__(self, *, ordered: bool = True) -> None:
        super().__init__()
        self.reading = IntraAttention(D_WORD, D_WORD)
        self.reading.bias.requires_grad_(ordered)  # it starts at zero

    def forward(self, words: Tensor) -> Tensor:
        """Return words and readings, end to end [batch, position, 2 D_WORD]."""
        return torch.cat([words, self.reading(words)[0]], dim=-1)


class ReadsItself(nn.Module):
    """An LSTM whose states read those before them, after Paulus et al. (2018).

    ``[s_t; c_t]`` with the context c_t of `intra_decoder_attention`
    """

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(D_WORD, D_STATE, batch_first=True)
        self.W_d = nn.Parameter(torch.empty(D_STATE, D_STATE))
        nn.init.xavier_uniform_(self.W_d)

    def forward(self, words: Tensor) -> Tensor:
        """Return states and contexts, end to end [batch, position, 2 D_STATE]."""
        states = self.lstm(words)[0]
        context, _ = intra_decoder_attention(states, self.W_d)
        return torch.cat([states, context], dim=-1)


NETWORKS: dict[str, tuple[Callable[[], nn.Module], int]] = {
    "lstm": (lambda: Recurrent(D_STATE), D_STATE),
    "wide_lstm": (lambda: Recurrent(WIDE), WIDE),
    "lstmn": (Taped, D_STATE),
    "no_recurrence": (Beside, 2 * D_WORD),
    "reads_itself": (ReadsItself, 2 * D_STATE),
    "with_distances": (Beside, 2 * D_WORD),
    "without_distances": (lambda: Beside(ordered=False), 2 * D_WORD),
}  # with the width of what each gives


class Reader(nn.Module):
    """Vectors of nouns and colours, added; a network; a linear layer that answers."""

    def __init__(self, network: str) -> None:
        super().__init__()
        make, width = NETWORKS[network]
        self.noun = nn.Embedding(NOUNS, D_WORD)
        self.colour = nn.Embedding(COLOURS + 1, D_WORD)
        self.network = make()
        self.answer = nn.Linear(width, COLOURS)

    def forward(
        self, nouns: Int64[Tensor, "batch position"], colours: Int64[Tensor, "batch position"]
    ) -> Float[Tensor, "batch position answer"]:
        """Return logits at every position; nouns are answered by the same twelve numbers."""
        logits: Tensor = self.answer(self.network(self.noun(nouns) + self.colour(colours)))
        return logits
