"""Who joins two names, and who knows whose they are: 128 people of eight professions."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor
from torch.nn.functional import normalize

from bottomup.analysis import ablated, frozen_weights
from bottomup.experiments.pretrained.heads import frozen_head, read_with
from bottomup.experiments.pretrained.lists import Said
from bottomup.experiments.pretrained.opened import Opened, last_word, words


@dataclass(frozen=True)
class People:
    """First and last names, and the number of each one's profession."""

    first: list[str]
    last: list[str]
    profession: Int64[Tensor, " person"]

    @property
    def names(self) -> list[str]:
        """The names in full."""
        return [f"{a} {b}" for a, b in zip(self.first, self.last, strict=True)]

    def two_pieces(self, opened: Opened) -> "People":
        """Return the people whose name is two pieces, so that all texts have one length."""
        fits = [len(opened.pieces.cut(name)) == 2 for name in self.names]
        keep = [number for number, fit in enumerate(fits) if fit]
        return People(
            [self.first[n] for n in keep], [self.last[n] for n in keep], self.profession[keep]
        )


def known(people: Mapping[str, Sequence[str]], most: int) -> People:
    """Return the first `most` people of each profession."""
    listed = [
        (name, number) for number, names in enumerate(people.values()) for name in names[:most]
    ]
    first, last = zip(*(name.split(" ", 1) for name, _ in listed), strict=True)
    return People(list(first), list(last), torch.tensor([number for _, number in listed]))


def scores(
    vectors: Float[Tensor, "*text d"], mean: Float[Tensor, "*m d"], said: Float[Tensor, "*c d"]
) -> Float[Tensor, "*text profession"]:
    """Return the cosines with each profession, of vectors less what all have in common."""
    directions = normalize(said - said.mean(0), dim=-1)
    return torch.einsum("...d,c...d->...c", normalize(vectors - mean, dim=-1), directions)


def professions(opened: Opened, said: Said) -> tuple[Tensor, Tensor]:
    """Return what stands for each profession: by station, and as a sentence vector."""
    texts = [text for texts in said.values() for text in texts]
    each = len(texts) // len(said)
    by_station = opened.read(texts, words).unflatten(0, (-1, each)).mean(1)
    return by_station, opened.vectors(texts).unflatten(0, (-1, each)).mean(1)


def effects(
    grid: Float[Tensor, "first last station profession"], profession: Int64[Tensor, " person"]
) -> dict[str, Float[Tensor, "person station"]]:
    """Take the score of each person's profession at the last word apart.

    ``last``: what the last name brings, whatever stands before it. ``first``: what the first name
    brings. ``person``: what is there beyond both, between people of one profession (`beyond_both`).
    """
    found: dict[str, list[Tensor]] = {"last": [], "first": [], "person": []}
    numbers = torch.arange(len(profession))
    for i, own in enumerate(profession):
        g = grid[..., own]  # [first, last, station]
        others = profession != own
        base = g[others][:, others].mean((0, 1))
        found["last"].append(g[others, i].mean(0) - base)
        found["first"].append(g[i, others].mean(0) - base)
        found["person"].append(beyond_both(g, i, (profession == own) & (numbers != i)))
    return {name: torch.stack(values) for name, values in found.items()}


def beyond_both(g: Tensor, i: int, others: Bool[Tensor, " person"]) -> Tensor:
    """Return ``g_ii - mean_j g_ij - mean_j g_ji + mean_jk g_jk``, j and k two of the others."""
    mixed = g[others][:, others]
    apart = ~torch.eye(len(mixed), dtype=torch.bool)
    mean = mixed[apart].mean(0)
    return g[i, i] - g[i, others].mean(0) - g[others, i].mean(0) + mean


def measure_names(
    opened: Opened, everyone: People, said: Said, *, mixed: int, seed: int
) -> tuple[dict[str, float], dict[str, Tensor]]:
    """Return numbers, and arrays with one row for each person.

    Args:
        opened: the model.
        everyone: whose names are read.
        said: what stands for each profession.
        mixed: how many mixed names a frozen head reads with.
        seed: draws the mixed names.
    """
    by_station, as_vector = professions(opened, said)
    own = everyone.profession
    arrays = {"right": _right(opened, everyone, as_vector)}
    arrays["right_table"] = _right_in_table(opened, everyone, said)
    texts = [f"{a} {b}" for a in everyone.first for b in everyone.last]
    states = opened.read(texts, last_word)
    grid = scores(states, states.mean(0), by_station).unflatten(0, (len(own), len(own)))
    arrays |= {f"part_{name}": value for name, value in effects(grid, own).items()}
    cut = Cut(opened, everyone.two_pieces(opened), as_vector, mixed, seed)
    arrays |= cut.measure()
    return {"people": len(own), "people_of_two_pieces": len(cut.people.first)}, arrays


def _right(opened: Opened, everyone: People, said: Tensor) -> Bool[Tensor, " person"]:
    vectors = opened.vectors(everyone.names)
    return scores(vectors, vectors.mean(0), said).argmax(-1) == everyone.profession


def _right_in_table(opened: Opened, everyone: People, said: Said) -> Bool[Tensor, " person"]:
    vectors = opened.table(everyone.names)
    texts = [text for texts in said.values() for text in texts]
    means = opened.table(texts).unflatten(0, (len(said), -1)).mean(1)
    return scores(vectors, vectors.mean(0), means).argmax(-1) == everyone.profession


class Cut:
    """What is left of the person at the sentence vector when a part is changed.

    Of people whose names are two pieces, every first with every last name of the same profession.
    """

    def __init__(
        self, opened: Opened, everyone: People, said: Tensor, mixed: int, seed: int
    ) -> None:
        self.opened, self.people, self.said = opened, everyone, said
        own = everyone.profession
        self.pairs = [(i, j) for i in range(len(own)) for j in range(len(own)) if own[i] == own[j]]
        self.texts = [f"{everyone.first[i]} {everyone.last[j]}" for i, j in self.pairs]
        drawn = torch.Generator().manual_seed(seed)
        numbers = torch.randint(len(own), (mixed, 2), generator=drawn).tolist()
        names = [f"{everyone.first[i]} {everyone.last[j]}" for i, j in numbers]
        self.reference = torch.tensor([opened.pieces.encode(name) for name in names])

    def person(self, change: AbstractContextManager[None]) -> Float[Tensor, " person"]:
        """Return what is there beyond both names while the model is changed."""
        own = self.people.profession
        with change:
            vectors = self.opened.vectors(self.texts)
        found = scores(vectors, vectors.mean(0), self.said)
        grid = torch.full((len(own), len(own), self.said.shape[0]), torch.nan)
        for (i, j), row in zip(self.pairs, found, strict=True):
            grid[i, j] = row
        rest = torch.arange(len(own))
        return torch.stack(
            [
                beyond_both(grid[..., own[i]], i, (own == own[i]) & (rest != i))
                for i in range(len(own))
            ]
        )

    def measure(self) -> dict[str, Tensor]:
        """Return the person's part, intact and cut, and what head 5 of layer 1 gives names."""
        encoder = self.opened.encoder
        layers, heads = len(encoder.layers), encoder.num_heads
        found = {"person": self.person(nullcontext())}
        frozen = [self.person(frozen_head(encoder, 0, h, self.reference)) for h in range(heads)]
        found["person_head_frozen"] = torch.stack(frozen, 1)
        found["person_layer_frozen"] = torch.stack(
            [
                self.person(frozen_weights(encoder, layer=layer, reference=self.reference))
                for layer in range(layers)
            ],
            1,
        )
        mean = ablated(
            encoder, layer=None, part="feed_forward", kind="mean", reference=self.reference
        )
        found["person_mlps_mean"] = self.person(mean)
        found |= self.weights()
        return found

    def weights(self) -> dict[str, Float[Tensor, "person head"]]:
        """Return the weights between the two names: real, and mean of mixed within professions."""
        both = read_with(self.opened, self.texts)  # [text, head]
        real, mixed = [], []
        for i in range(len(self.people.first)):
            with_i = [n for n, pair in enumerate(self.pairs) if i in pair and pair != (i, i)]
            real.append(both[self.pairs.index((i, i))])
            mixed.append(both[with_i].mean(0))
        return {"weight_real": torch.stack(real), "weight_mixed": torch.stack(mixed)}
