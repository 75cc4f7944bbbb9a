"""The LSTM with a tape: attention over a sentence's own past (Cheng, Dong and Lapata, 2016)."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.attention.additive import additive_attention
from bottomup.checks import (
    check_axes,
    check_integer,
    check_mask,
    check_same_kind,
)


class Tape(NamedTuple):
    """What an LSTMN has written so far, and its last reading of it.

    `hidden` and `cell` hold the states of the words before, ``[batch, past, d_state]``; `summary`
    is the reading of the last step, ``[batch, d_state]``.
    """

    hidden: Tensor
    cell: Tensor
    summary: Tensor


def tape_attention(
    word: Float[Tensor, "*leading d_word"],
    summary: Float[Tensor, "*leading d_state"],
    hidden: Float[Tensor, "*leading past d_state"],
    cell: Float[Tensor, "*leading past d_state"],
    mask: Bool[Tensor, "..."] | None = None,
    *,
    W_h: Float[Tensor, "d_attention d_state"],
    W_x: Float[Tensor, "d_attention d_word"],
    W_s: Float[Tensor, "d_attention d_state"],
    v: Float[Tensor, " d_attention"],
) -> tuple[
    tuple[Float[Tensor, "*leading d_state"], Float[Tensor, "*leading d_state"]],
    Float[Tensor, "*leading past"],
]:
    """Read the hidden and cell states of the words before, weighted by one additive score.

    ``scores[i] = v · tanh(W_h hidden[i] + W_x word + W_s summary)``

    ``output = (sum_i weights[i] hidden[i], sum_i weights[i] cell[i])``, with the softmax of the
    scores as weights

    This is `additive_attention` with the word and the last reading, end to end, as the query.

    Args:
        word: vector x_t of the word that is being read.
        summary: the reading h~_{t-1} of the step before.
        hidden, cell: the tapes; one entry for each word before, at least one.
        mask: True = may be read; broadcasts to ``[*leading, past]``.
        W_h, W_x, W_s, v: parameters of the score; the paper writes W_h~ for W_s.

    Returns:
        The readings (h~_t, c~_t) and the weights. Where nothing may be read all of them are zero.

    Source: Cheng et al. (2016), section 3.2, equations 4 to 6. Chapter 02b derives it.
    """
    d_state = check_axes("hidden", hidden, "... past d_state")["d_state"]
    _check_rows(word, summary, hidden, cell)
    _check_parameters(W_h, W_x, W_s, v, d_word=word.shape[-1], d_state=d_state)
    check_mask("mask", mask, tuple(hidden.shape[:-1]))
    query = torch.cat([word, summary], dim=-1)[
        ..., None, :
    ]  # [..., 1, d_word + d_state]
    output, weights = additive_attention(
        query,
        hidden,
        torch.cat([hidden, cell], dim=-1),
        None if mask is None else mask.expand(hidden.shape[:-1])[..., None, :],
        W_a=torch.cat([W_x, W_s], dim=1),
        U_a=W_h,
        v_a=v,
    )
    return (output[..., 0, :d_state], output[..., 0, d_state:]), weights[
        ..., 0, :
    ]


class LSTMNCell(nn.Module):
    """One step of the LSTMN: read the tape, then gate as an LSTM does, then write to the tape.

    ``i, f, o, g = W [h~_t; x_t] + b``, sigmoid for the gates i, f, o and tanh for g

    ``c_t = f * c~_t + i * g``, ``h_t = o * tanh(c_t)``

    An LSTM reads h_{t-1} and c_{t-1} in the place of h~_t and c~_t. At the first word the tape is
    empty, and both readings are zero.

    Args:
        d_word: width of a word's vector x_t.
        d_state: width of h_t and c_t.
        d_attention: width of the score's hidden layer.

    Source: Cheng et al. (2016), section 3.2, equations 4 to 9, without the paper's later fusions.
    Chapter 02b derives it.
    """

    def __init__(self, d_word: int, d_state: int, d_attention: int) -> None:
        super().__init__()
        check_integer("d_word", d_word, at_least=1)
        check_integer("d_state", d_state, at_least=1)
        check_integer("d_attention", d_attention, at_least=1)
        self.d_state = d_state
        self.W_h = nn.Parameter(_uniform(d_attention, d_state, width=d_state))
        self.W_x = nn.Parameter(_uniform(d_attention, d_word, width=d_word))
        self.W_s = nn.Parameter(_uniform(d_attention, d_state, width=d_state))
        self.v = nn.Parameter(_uniform(d_attention, width=d_attention))
        self.gates = nn.Linear(d_state + d_word, 4 * d_state)

    def forward(
        self,
        word: Float[Tensor, "batch d_word"],
        tape: Tape | None = None,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[Tape, Float[Tensor, "batch past"]]:
        """Read one word and return the longer tape and the weights over the old one.

        Args:
            word: vectors x_t.
            tape: what was written before; None at the first word.
            mask: True = may be read; broadcasts to [batch, past].
        """
        check_axes("word", word, "batch d_word", d_word=self.W_x.shape[1])
        check_same_kind("word", word, "W_x", self.W_x)
        (hidden, cell), weights = self._read(word, tape, mask)
        i, f, o, g = self.gates(torch.cat([hidden, word], dim=-1)).chunk(
            4, dim=-1
        )
        new_cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        new_hidden = o.sigmoid() * new_cell.tanh()
        return _written(tape, new_hidden, new_cell, hidden), weights

    def _read(
        self, word: Tensor, tape: Tape | None, mask: Tensor | None
    ) -> tuple[tuple[Tensor, Tensor], Tensor]:
        if tape is None:
            check_mask("mask", mask, (len(word), 0))
            nothing = word.new_zeros(len(word), self.d_state)
            return (nothing, nothing), word.new_zeros(len(word), 0)
        parameters = {
            "W_h": self.W_h,
            "W_x": self.W_x,
            "W_s": self.W_s,
            "v": self.v,
        }
        return tape_attention(
            word, tape.summary, tape.hidden, tape.cell, mask, **parameters
        )


class LSTMN(nn.Module):
    """`LSTMNCell` from the first word of a sentence to the last.

    The words are read one after another: position t needs the states of all positions before it.

    Args:
        d_word, d_state, d_attention: as in `LSTMNCell`.

    Source: Cheng et al. (2016), section 3.2. Chapter 02b derives it.
    """

    def __init__(self, d_word: int, d_state: int, d_attention: int) -> None:
        super().__init__()
        self.cell = LSTMNCell(d_word, d_state, d_attention)

    def forward(
        self,
        words: Float[Tensor, "batch position d_word"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[
        Float[Tensor, "batch position d_state"],
        Float[Tensor, "batch query key"],
    ]:
        """Return the hidden states of all positions, and what each position read.

        Args:
            words: vectors of the words.
            mask: True = may be read; broadcasts to [batch, query, key]. Whatever it says, a
                position reads only positions before its own.

        Returns:
            Hidden states, and weights of which row t sums to one over the readable positions
            before t. Row 0 is zero, and so is every row that may read nothing.
        """
        sizes = check_axes("words", words, "batch position d_word")
        batch, positions = sizes["batch"], sizes["position"]
        check_mask("mask", mask, (batch, positions, positions))
        weights = words.new_zeros(batch, positions, positions)
        rows = (
            None if mask is None else mask.expand(batch, positions, positions)
        )
        tape: Tape | None = None
        for t in range(positions):
            readable = None if rows is None else rows[:, t, :t]
            tape, read = self.cell(words[:, t], tape, readable)
            weights[:, t, :t] = read
        return tape.hidden, weights  # type: ignore[union-attr]  # there is at least one word


def _written(
    tape: Tape | None, hidden: Tensor, cell: Tensor, summary: Tensor
) -> Tape:
    hidden, cell = hidden[:, None], cell[:, None]  # [batch, 1, d_state]
    if tape is not None:
        hidden = torch.cat([tape.hidden, hidden], dim=1)
        cell = torch.cat([tape.cell, cell], dim=1)
    return Tape(hidden, cell, summary)


def _check_rows(
    word: Tensor, summary: Tensor, hidden: Tensor, cell: Tensor
) -> None:
    """Check that word, summary and cell tape fit the hidden tape."""
    past, d_state = hidden.shape[-2:]
    check_axes("word", word, "... d_word")
    check_axes("summary", summary, "... d_state", d_state=d_state)
    check_axes("cell", cell, "... past d_state", past=past, d_state=d_state)
    for name, tensor, own_axes in (
        ("word", word, 1),
        ("summary", summary, 1),
        ("cell", cell, 2),
    ):
        check_same_kind(name, tensor, "hidden", hidden)
        got, wanted = tuple(tensor.shape[:-own_axes]), tuple(hidden.shape[:-2])
        if got != wanted:
            raise ValueError(
                f"{name}: expected the leading axes {wanted} of hidden, got {got}"
            )


def _check_parameters(
    W_h: Tensor,
    W_x: Tensor,
    W_s: Tensor,
    v: Tensor,
    *,
    d_word: int,
    d_state: int,
) -> None:
    d_attention = check_axes("v", v, "d_attention")["d_attention"]
    check_axes(
        "W_h",
        W_h,
        "d_attention d_state",
        d_attention=d_attention,
        d_state=d_state,
    )
    check_axes(
        "W_x", W_x, "d_attention d_word", d_attention=d_attention, d_word=d_word
    )
    check_axes(
        "W_s",
        W_s,
        "d_attention d_state",
        d_attention=d_attention,
        d_state=d_state,
    )
    for name, tensor in {"W_x": W_x, "W_s": W_s, "v": v}.items():
        check_same_kind(name, tensor, "W_h", W_h)


def _uniform(*shape: int, width: int) -> Tensor:
    return torch.empty(shape).uniform_(-(width**-0.5), width**-0.5)
