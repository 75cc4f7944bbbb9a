"""The induction circuit with its weights set by hand: nothing is trained."""

import torch
from jaxtyping import Int64
from torch import Tensor, nn
from torch.nn.functional import one_hot

from bottomup.attention import MultiHeadAttention
from bottomup.checks import check_integer, check_number, check_token_ids
from bottomup.models.attention_only import AttentionOnlyOutput


class InductionByHand(nn.Module):
    """Two heads in two layers that predict what followed the token before.

    ``x = (e[token], 0, 0, e[position])``, ``x <- x + head(x)`` twice,
    ``logits = x[answer]``: shares of what followed the current token so far

    The stream has four slots, `token`, `previous` and `answer` of the size of
    the vocabulary and `position` of the size of the length. e are unit vectors.

    1. Layer 0, previous-token head: position i asks for ``beta e[i - 1]``,
       position j answers ``e[j]``. It copies `token` there into `previous`
       here. The first position can read itself alone.
    2. Layer 1, induction head: `token` asks ``beta e[token]``, `previous`
       answers. It reads the positions behind earlier copies of the current
       token, all alike, and copies `token` there into `answer`.

    Where no copy came before, all scores are the same and the head reads all
    that there is. A begin token at the first position mends that: it answers
    every question with ``beta / 2``, less than a match and more than the
    others, and nothing is copied of it.

    The softmax leaves a share of about ``n exp(-beta / 2)`` where it should
    not read, or ``n exp(-beta)`` without a begin token. It has no biases.

    Args:
        vocabulary: number of token types, the begin token among them.
        length: most positions.
        beta: sharpness of the scores, above 0.
        begin: number of the begin token, which stands first in each sequence;
            None: there is none.

    Source: Elhage et al. (2021), section "Induction Heads". Chapter 09 sets
    the weights.

    Example:
        >>> model = InductionByHand(vocabulary=5, length=5, begin=0)
        >>> shares = model(torch.tensor([[0, 2, 4, 3, 2]])).logits[0, -1]
        >>> shares.round(decimals=2).tolist()  # after 2 came 4
        [0.0, 0.0, 0.0, 0.0, 1.0]
    """

    def __init__(
        self,
        *,
        vocabulary: int,
        length: int,
        beta: int | float = 40.0,
        begin: int | None = None,
    ) -> None:
        super().__init__()
        check_integer("vocabulary", vocabulary, at_least=1)
        check_integer("length", length, at_least=1)
        check_number("beta", beta, above=0, at_most=1e30)
        if begin is not None:
            check_integer("begin", begin, at_least=0)
            if begin >= vocabulary:
                wanted = f"a token number below vocabulary={vocabulary}"
                raise ValueError(f"begin: expected {wanted}, got {begin}")
        self.vocabulary, self.length, self.begin = vocabulary, length, begin
        self.d_model = 3 * vocabulary + length
        names = ("token", "previous", "answer", "position")
        ends = (vocabulary, 2 * vocabulary, 3 * vocabulary, self.d_model)
        self.slots = {
            name: slice(first, last)
            for name, first, last in zip(names, (0, *ends), ends, strict=False)
        }
        self.layers = nn.ModuleList(
            [self._previous_token_head(beta), self._induction_head(beta)]
        )
        self.requires_grad_(False)

    def forward(
        self, tokens: Int64[Tensor, "batch position"]
    ) -> AttentionOnlyOutput:
        """Return the shares of what followed each token so far, as logits.

        Args:
            tokens: token numbers; the begin token, where there is one, stands
                first and nowhere else.
        """
        x, weights = self.embed(tokens), []
        for layer in self.layers:
            read, layer_weights = layer(x, x, x, causal=True)
            x = x + read  # [batch, position, d_model]
            weights.append(layer_weights)
        return AttentionOnlyOutput(x[..., self.slots["answer"]], x, (*weights,))

    def embed(self, tokens: Int64[Tensor, "batch position"]) -> Tensor:
        """Return the stream at its start, [batch, position, d_model].

        Args:
            tokens: as in `forward`.
        """
        words, n = self.vocabulary, tokens.shape[-1]
        check_token_ids("tokens", tokens, "batch position", vocabulary=words)
        if n > self.length:
            wanted = f"at most length={self.length} positions"
            raise ValueError(f"tokens: expected {wanted}, got {n}")
        first = torch.arange(n).to(tokens) == 0
        if self.begin is not None and ((tokens == self.begin) != first).any():
            wanted = f"the begin token {self.begin} first and nowhere else"
            raise ValueError(f"tokens: expected {wanted}, got {tokens}")
        dtype = next(self.parameters()).dtype
        token = one_hot(tokens, words).to(
            dtype
        )  # [batch, position, vocabulary]
        place = one_hot(torch.arange(n).to(tokens), self.length).to(dtype)
        empty = torch.zeros_like(token)
        place = place.expand(len(tokens), n, self.length)
        return torch.cat([token, empty, empty, place], dim=-1)

    def _previous_token_head(self, beta: int | float) -> MultiHeadAttention:
        n, words = self.length, self.vocabulary
        head = self._zeros(d_head=n)
        before = torch.diag(torch.ones(n - 1), 1)  # row i - 1, column i
        before[0, 0] = 1.0  # the first reads itself
        self._read(head.W_Q, "position", beta * n**0.5 * before)
        self._read(head.W_K, "position", torch.eye(n))
        self._read(head.W_V, "token", torch.eye(words))
        self._write(head.W_O, "previous", torch.eye(words))
        return head

    def _induction_head(self, beta: int | float) -> MultiHeadAttention:
        words = self.vocabulary
        head = self._zeros(d_head=words)
        copied = torch.eye(words)
        self._read(head.W_Q, "token", beta * words**0.5 * torch.eye(words))
        self._read(head.W_K, "previous", torch.eye(words))
        if self.begin is not None:
            rest = torch.zeros(words, words)
            rest[:, self.begin] = 0.5  # whatever is asked
            self._read(head.W_K, "token", rest)
            copied[self.begin] = 0.0
        self._read(head.W_V, "token", copied)
        self._write(head.W_O, "answer", torch.eye(words))
        return head

    def _zeros(self, *, d_head: int) -> MultiHeadAttention:
        """Return one head whose values have the vocabulary's width."""
        words = self.vocabulary
        with torch.device("meta"):  # no number is drawn
            head = MultiHeadAttention(
                self.d_model, 1, d_head=d_head, d_value=words, bias=False
            )
        head.to_empty(device=torch.get_default_device())
        for parameter in head.parameters():
            nn.init.zeros_(parameter)
        return head

    def _read(self, linear: nn.Linear, slot: str, weight: Tensor) -> None:
        linear.weight.data[:, self.slots[slot]] = weight

    def _write(self, linear: nn.Linear, slot: str, weight: Tensor) -> None:
        linear.weight.data[self.slots[slot]] = weight
