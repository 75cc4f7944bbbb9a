"""One head of one layer: how much two words read each other, frozen, and as a dictionary."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from bottomup.analysis import patched, query_key, with_ones
from bottomup.attention import split_heads
from bottomup.experiments.pretrained.opened import Opened
from bottomup.models import BertEncoder


@torch.no_grad()
def read_with(opened: Opened, texts: Sequence[str], layer: int = 0) -> Float[Tensor, "text head"]:
    """Return the weights that two words give each other, the mean of both ways.

    The texts are two pieces each, at the positions 1 and 2.
    """
    found: list[Tensor] = []
    order: list[int] = []
    for numbers, tokens in opened.batches(texts):
        if tokens.shape[1] != 4:
            raise ValueError(f"texts: expected two pieces each, got {tokens.shape[1] - 2}")
        all_weights = opened.encoder(tokens, need_weights=True).weights
        weights = all_weights[layer]  # [text, head, query, key]
        found.append((weights[:, :, 1, 2] + weights[:, :, 2, 1]) / 2)
        order += numbers
    return torch.cat(found)[torch.tensor(order).argsort()]


@contextmanager
def frozen_head(
    encoder: BertEncoder, layer: int, head: int, reference: Int64[Tensor, "text position"]
) -> Iterator[None]:
    """Let one head read with the mean of its weights over a reference, whatever the text is."""
    with torch.no_grad():
        weights = encoder(reference, need_weights=True).weights[layer][:, head].mean(0)

    def reread(_output: Tensor) -> Tensor:
        values = split_heads(value["W_V"], encoder.num_heads)[:, head]  # [text, key, d_head]
        return weights @ values

    value: dict[str, Any] = {}

    def keep(output: Tensor) -> Tensor:
        value["W_V"] = output
        return output

    name = f"layers.{layer}.attention"
    with patched(encoder, {f"{name}.W_V": keep, f"{name}:{head}": reread}):
        yield


@contextmanager
def blind_head(encoder: BertEncoder, layer: int, head: int) -> Iterator[None]:
    """Let one head read the marks of begin and end alone, in the proportions that it gives them."""
    read: dict[str, Tensor] = {}

    def keeping(name: str) -> Callable[[Tensor], Tensor]:
        def keep(output: Tensor) -> Tensor:
            read[name] = split_heads(output, encoder.num_heads)[:, head]
            return output

        return keep

    def reread(_output: Tensor) -> Tensor:
        scores = read["W_Q"] @ read["W_K"].mT / read["W_Q"].shape[-1] ** 0.5
        scores[..., 1:-1] = -torch.inf
        return scores.softmax(-1) @ read["W_V"]

    name = f"layers.{layer}.attention"
    patches = {f"{name}.{part}": keeping(part) for part in ("W_Q", "W_K", "W_V")}
    with patched(encoder, {**patches, f"{name}:{head}": reread}):
        yield


class Dictionary:
    """Whom a word looks for: a head's query-key map over the whole table of words.

    ``score(a, b) = (x_a, 1) W_QK (x_b, 1)^T``, x_a the word a at the first place of a text, and
    x_b the word b at the second: one product with the table.
    """

    def __init__(self, opened: Opened, head: int) -> None:
        encoder = opened.encoder
        self.opened = opened
        self.map = query_key(encoder.get_submodule("layers.0.attention"), head)
        words = encoder.words.weight + encoder.segments.weight[0]
        self.at = [
            with_ones(encoder.norm(words + encoder.places.weight[place])) for place in (1, 2)
        ]

    def ranks(self, pairs: Sequence[str]) -> Float[Tensor, " pair"]:
        """Return the rank of each partner among all words, the mean of both ways' logarithms."""
        a, b = self._numbers(pairs)
        first, second = self.at
        one = _rank((first[a] @ self.map) @ second.T, b)
        other = _rank((second[b] @ self.map) @ first.T, a)
        return (one.log() + other.log()) / 2

    def cosine_ranks(self, pairs: Sequence[str]) -> Float[Tensor, " pair"]:
        """Return the same for the cosine of the words' rows in the table."""
        a, b = self._numbers(pairs)
        rows = torch.nn.functional.normalize(self.opened.encoder.words.weight, dim=-1)
        one, other = _rank(rows[a] @ rows.T, b), _rank(rows[b] @ rows.T, a)
        return (one.log() + other.log()) / 2

    def _numbers(self, pairs: Sequence[str]) -> tuple[Tensor, Tensor]:
        rows = torch.tensor([self.opened.pieces.encode(pair)[1:-1] for pair in pairs])
        return rows[:, 0], rows[:, 1]


def _rank(scores: Float[Tensor, "pair word"], right: Int64[Tensor, " pair"]) -> Tensor:
    own = scores.gather(1, right[:, None])
    return ((scores > own).sum(1) + 1).float()
