"""The LSTM with a tape: attention over a sentence's own past.

The network is that of Cheng, Dong and Lapata (2016).
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from bottomup.attention.additive import additive_attention
from bottomup.checks import check_integer, check_mask, checked, may_meet
from bottomup.precision import in_float32


class Tape(NamedTuple):
    """What an LSTMN has written so far, and its last reading of it.

    `hidden` and `cell` hold the states of the words before,
    ``[batch, past, d_state]``; `summary` is the reading of the last step,
    ``[batch, d_state]``.
    """

    hidden: Tensor
    cell: Tensor
    summary: Tensor


@checked
@in_float32
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
    """Read hidden and cell states of the words before, by one additive score.

    ``scores[i] = v · tanh(W_h hidden[i] + W_x word + W_s summary)``

    ``output = (sum_i weights[i] hidden[i], sum_i weights[i] cell[i])``, with
    the softmax of the scores as weights

    This is `additive_attention` with the word and the last reading, end to end,
    as the query.

    Args:
        word: vector x_t of the word that is being read.
        summary: the reading h~_{t-1} of the step before.
        hidden, cell: the tapes; one entry for each word before, at least one.
        mask: True = may be read; broadcasts to ``[*leading, past]``.
        W_h, W_x, W_s, v: parameters of the score; the paper writes W_h~ for
            W_s.

    Returns:
        The readings (h~_t, c~_t) and the weights. Where nothing may be read all
        of them are zero.

    Source: Cheng et al. (2016), section 3.2, equations 4 to 6. Chapter 02b
    derives it.

    Example:
        >>> word = summary = torch.zeros(1)
        >>> hidden = torch.tensor([[1.0], [3.0]])  # of two words before
        >>> maps = {name: torch.zeros(1, 1) for name in ("W_h", "W_x", "W_s")}
        >>> read, weights = tape_attention(
        ...     word, summary, hidden, 2 * hidden, **maps, v=torch.ones(1)
        ... )
        >>> read, weights
        ((tensor([2.]), tensor([4.])), tensor([0.5000, 0.5000]))
    """
    check_mask("mask", mask, hidden.shape[:-1])
    if mask is not None:
        mask = mask.expand(hidden.shape[:-1])[..., None, :]  # [..., 1, past]
    query = torch.cat([word, summary], dim=-1)  # [..., d_word + d_state]
    value = torch.cat([hidden, cell], dim=-1)  # [..., past, 2 d_state]
    W_a = torch.cat([W_x, W_s], dim=1)  # [d_attention, d_word + d_state]
    output, weights = additive_attention(
        query[..., None, :], hidden, value, mask, W_a=W_a, U_a=W_h, v_a=v
    )  # [..., 1, 2 d_state], [..., 1, past]
    h, c = output[..., 0, :].chunk(2, dim=-1)  # [..., d_state] each
    return (h, c), weights[..., 0, :]


class LSTMNCell(nn.Module):
    """One step of the LSTMN: read the tape, gate as an LSTM does, write to it.

    ``i, f, o, g = W [h~_t; x_t] + b``, sigmoid for the gates i, f, o and tanh
    for g

    ``c_t = f * c~_t + i * g``, ``h_t = o * tanh(c_t)``

    An LSTM reads h_{t-1} and c_{t-1} in the place of h~_t and c~_t. At the
    first word the tape is empty, and both readings are zero.

    Args:
        d_word: width of a word's vector x_t.
        d_state: width of h_t and c_t.
        d_attention: width of the score's hidden layer.

    Source: Cheng et al. (2016), section 3.2, equations 4 to 9, without the
    paper's later fusions. Chapter 02b derives it.
    """

    def __init__(self, d_word: int, d_state: int, d_attention: int) -> None:
        super().__init__()
        check_integer("d_word", d_word, at_least=1)
        check_integer("d_state", d_state, at_least=1)
        check_integer("d_attention", d_attention, at_least=1)
        self.d_word, self.d_state = d_word, d_state
        self.W_h = nn.Parameter(_uniform(d_attention, d_state, width=d_state))
        self.W_x = nn.Parameter(_uniform(d_attention, d_word, width=d_word))
        self.W_s = nn.Parameter(_uniform(d_attention, d_state, width=d_state))
        self.v = nn.Parameter(_uniform(d_attention, width=d_attention))
        self.gates = nn.Linear(d_state + d_word, 4 * d_state)

    @checked
    def forward(
        self,
        word: Float[Tensor, "batch d_word"],
        tape: Tape | None = None,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[Tape, Float[Tensor, "batch past"]]:
        """Read one word; return the longer tape, and the weights over the old.

        Args:
            word: vectors x_t.
            tape: what was written before; None at the first word.
            mask: True = may be read; broadcasts to [batch, past].
        """
        if tape is None:
            tape = self.empty(word)
        else:
            self._check_tape(tape, word)
        maps = {"W_h": self.W_h, "W_x": self.W_x, "W_s": self.W_s, "v": self.v}
        if tape.hidden.shape[1] == 0:  # at the first word
            h = c = tape.summary
            weights = word.new_zeros(word.shape[0], 0)
        else:
            (h, c), weights = tape_attention(
                word, tape.summary, tape.hidden, tape.cell, mask, **maps
            )  # [batch, d_state] each, [batch, past]
        gates = self.gates(torch.cat([h, word], dim=-1))  # [batch, 4 d_state]
        i, f, o, g = gates.chunk(4, dim=-1)
        new_c = f.sigmoid() * c + i.sigmoid() * g.tanh()  # [batch, d_state]
        new_h = o.sigmoid() * new_c.tanh()  # [batch, d_state]
        hidden = torch.cat([tape.hidden, new_h[:, None]], dim=1)
        cell = torch.cat([tape.cell, new_c[:, None]], dim=1)
        return Tape(hidden, cell, summary=h), weights

    def _check_tape(self, tape: Tape, word: Tensor) -> None:
        batch, d_state = word.shape[0], self.d_state
        past = tape.hidden.shape[1:2]
        states, summary = (batch, *past, d_state), (batch, d_state)
        shapes = tuple(tuple(part.shape) for part in tape)
        if len(states) != 3 or shapes != (states, states, summary):
            raise ValueError(
                f"tape: expected [batch={batch}, past, d_state={d_state}] "
                f"twice and [batch, d_state], got {shapes}"
            )
        for part in tape:
            if part.device != word.device:
                wanted = f"the device {word.device} of word"
                raise ValueError(f"tape: expected {wanted}, got {part.device}")
            if not may_meet(part.dtype, word.dtype, word.device):
                wanted = f"the dtype {word.dtype} of word"
                raise TypeError(f"tape: expected {wanted}, got {part.dtype}")

    def empty(self, word: Float[Tensor, "batch d_word"]) -> Tape:
        """Return the tape that stands before the first word."""
        nothing = word.new_zeros(word.shape[0], 0, self.d_state)
        return Tape(
            nothing, nothing, word.new_zeros(word.shape[0], self.d_state)
        )


class LSTMN(nn.Module):
    """`LSTMNCell` from the first word of a sentence to the last.

    The words are read one after another: position t needs the states of all
    positions before it.

    Args:
        d_word, d_state, d_attention: as in `LSTMNCell`.

    Source: Cheng et al. (2016), section 3.2. Chapter 02b derives it.

    Example:
        >>> reader = LSTMN(d_word=5, d_state=3, d_attention=2)
        >>> states, weights = reader(torch.randn(2, 7, 5))
        >>> states.shape, weights.shape
        (torch.Size([2, 7, 3]), torch.Size([2, 7, 7]))
        >>> weights[:, 0].sum().item()  # the first word has none before it
        0.0
    """

    def __init__(self, d_word: int, d_state: int, d_attention: int) -> None:
        super().__init__()
        self.cell = LSTMNCell(d_word, d_state, d_attention)
        self.d_word = d_word

    @checked
    def forward(
        self,
        words: Float[Tensor, "batch position d_word"],
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[
        Float[Tensor, "batch position d_state"],
        Float[Tensor, "batch query key"],
    ]:
        """Return the hidden states of all positions, and what each one read.

        Args:
            words: vectors of the words.
            mask: True = may be read; broadcasts to [batch, query, key].
                Whatever it says, a position reads only positions before its
                own.

        Returns:
            Hidden states, and weights of which row t sums to one over the
            readable positions before t. Row 0 is zero, and so is every row that
            may read nothing.
        """
        batch, positions, _ = words.shape
        shape = (batch, positions, positions)
        check_mask("mask", mask, shape)
        if mask is not None:
            mask = mask.expand(shape)
        tape, rows = self.cell.empty(words[:, 0]), []
        for t in range(positions):
            before = None if mask is None else mask[:, t, :t]  # [batch, past]
            tape, read = self.cell(words[:, t], tape, before)
            rows.append(nn.functional.pad(read, (0, positions - t)))
        return tape.hidden, torch.stack(rows, dim=1)


def _uniform(*shape: int, width: int) -> Tensor:
    return torch.empty(shape).uniform_(-(width**-0.5), width**-0.5)
