"""The model that is opened, its controls, and what is read off it."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn
from torch.nn.functional import normalize

from bottomup.analysis import TokenStates, gather_states, kept
from bottomup.blocks import LayerNorm
from bottomup.data import WordPiece
from bottomup.data.wordpiece import BEGIN, END, PADDING, UNKNOWN
from bottomup.experiments.pretrained.lists import every_text
from bottomup.experiments.shared.training import seeded
from bottomup.models import BertEncoder, pretrained_encoder

BATCH = 128
MARKS = (PADDING, BEGIN, END)
Choose = Callable[[Tensor], Tensor]  # [text, position, d_model] -> [text, d_model]


def last_word(states: Tensor) -> Tensor:
    """Return the state of the last piece before the end mark."""
    return states[:, -2]


def words(states: Tensor) -> Tensor:
    """Return the mean over the pieces, without the marks of begin and end."""
    return states[:, 1:-1].mean(1)


def everything(states: Tensor) -> Tensor:
    """Return the mean over all positions, as the model's authors take it."""
    return states.mean(1)


@dataclass(frozen=True)
class Opened:
    """An encoder with its pieces; texts are read in batches of one length, without padding."""

    encoder: BertEncoder
    pieces: WordPiece

    @property
    def stations(self) -> list[str]:
        """The norms, in their order: after the embedding, after each attention, each MLP."""
        layers = range(len(self.encoder.layers))
        both = ("around_attention", "around_feed_forward")
        return ["norm", *(f"layers.{layer}.{part}.norm" for layer in layers for part in both)]

    def batches(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Int64[Tensor, "b n"]]]:
        """Yield the numbers of texts of one length, and their tokens."""
        lengths: dict[int, list[int]] = defaultdict(list)
        rows = [self.pieces.encode(text) for text in texts]
        for number, row in enumerate(rows):
            lengths[len(row)].append(number)
        for numbers in lengths.values():
            for start in range(0, len(numbers), BATCH):
                some = numbers[start : start + BATCH]
                yield some, torch.tensor([rows[number] for number in some])

    @torch.no_grad()
    def read(self, texts: Sequence[str], choose: Choose) -> Float[Tensor, "text station d_model"]:
        """Return one vector of each text at each station."""
        found = torch.empty(len(texts), len(self.stations), self.encoder.d_model)
        for numbers, tokens in self.batches(texts):
            with kept(self.encoder, self.stations) as states:
                self.encoder(tokens)
            for at, name in enumerate(self.stations):
                found[numbers, at] = choose(states[name])
        return found

    @torch.no_grad()
    def vectors(self, texts: Sequence[str]) -> Float[Tensor, "text d_model"]:
        """Return the sentence vectors: the mean of the last states, of length 1."""
        found = torch.empty(len(texts), self.encoder.d_model)
        for numbers, tokens in self.batches(texts):
            found[numbers] = everything(self.encoder(tokens).states[-1])
        return normalize(found, dim=-1)

    def table(self, texts: Sequence[str]) -> Float[Tensor, "text d_model"]:
        """Return the mean of the pieces' rows in the table: what is known before any layer."""
        rows = [self.pieces.encode(text)[1:-1] for text in texts]
        return torch.stack([self.encoder.words.weight[row].mean(0) for row in rows])


def states_of(opened: Opened, sentences: Sequence[str]) -> TokenStates:
    """Return the words' states after the embedding and after each layer."""
    marks = [opened.pieces.numbers[mark] for mark in MARKS]
    batches = (tokens for _, tokens in opened.batches(sentences))
    return gather_states(opened.encoder, batches, special=marks)


def opened(*, trained: bool) -> Opened:
    """Return the published model, or a small untrained one whose words are those of the lists."""
    if trained:
        found = pretrained_encoder()
        return Opened(found.encoder, found.pieces)
    listed = {word for text in every_text() for word in text.lower().split()}
    signs = [chr(code) for code in range(33, 127)]
    continued = [f"##{sign}" for sign in signs]
    pieces = WordPiece(dict.fromkeys([*MARKS, UNKNOWN, *signs, *continued, *sorted(listed)]))
    sizes = BertEncoder(
        vocabulary=len(pieces.pieces),
        max_length=128,
        d_model=12,
        num_layers=3,
        num_heads=6,
        d_ff=20,
    )
    return Opened(drawn(sizes, seed=0), pieces)


def drawn(like: BertEncoder, seed: int) -> BertEncoder:
    """Return an untrained encoder of the same sizes, drawn as BERT's authors drew theirs."""
    with seeded(seed):
        model = BertEncoder(
            vocabulary=like.words.num_embeddings,
            max_length=like.places.num_embeddings,
            d_model=like.d_model,
            num_layers=len(like.layers),
            num_heads=like.num_heads,
            d_ff=like.d_ff,
        )
        for parameter in model.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.02)
            elif parameter.requires_grad:
                parameter.data.fill_(0)
        for part in model.modules():
            if isinstance(part, LayerNorm):
                nn.init.ones_(part.gain)
    return model.eval().requires_grad_(False)
