"""What was looked for and not found: who *it* is, and one particular fact of a person."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import normalize

from bottomup.experiments.pretrained.heads import blind_head
from bottomup.experiments.pretrained.lists import rows
from bottomup.experiments.pretrained.opened import Opened
from bottomup.experiments.pretrained.quantities import HEAD


def measure_refuted(opened: Opened) -> dict[str, Tensor]:
    """Return arrays with one row for each pair of sentences, or for each person."""
    return {"it": pronouns(opened), "facts_right": facts(opened)}


@torch.no_grad()
def pronouns(opened: Opened) -> Float[Tensor, "pair layer head"]:
    """Return by how much *it* turns to the noun that its adjective speaks of.

    Two sentences differ in the adjective at their end, which speaks of the first noun in one and
    of the second in the other: half of what the difference of the weights on both nouns changes.
    """
    found = []
    for actor, verb, thing, of_actor, of_thing in rows("pronouns"):
        turned = [
            difference(opened, actor, verb, thing, adjective) for adjective in (of_actor, of_thing)
        ]
        found.append((turned[0] - turned[1]) / 2)
    return torch.stack(found)


def difference(opened: Opened, actor: str, verb: str, thing: str, adjective: str) -> Tensor:
    """Return the weights of *it* on the first noun less those on the second. [layer, head]"""
    said = ["the", actor, verb, "the", thing, "because", "it", "was", adjective, "."]
    lengths = [len(opened.pieces.cut(word)) for word in said]
    ends = torch.tensor(lengths).cumsum(0).tolist()  # the last piece of each word, from [CLS] = 0
    tokens = torch.tensor([opened.pieces.encode(" ".join(said))])
    weights = torch.stack(opened.encoder(tokens, need_weights=True).weights)[:, 0]
    it, first, second = ends[6], ends[1], ends[4]
    return weights[:, :, it, first] - weights[:, :, it, second]


def facts(opened: Opened) -> Bool[Tensor, "person way"]:
    """Return where a person's own fact is the nearest of all facts.

    Four ways: by the full name, by the last name alone, by the sum of the two names, each read
    alone, and by the full name when one head reads no word (`blind_head`).
    """
    listed = rows("facts")
    said = opened.vectors([fact for _, fact in listed])
    names = [name for name, _ in listed]
    first, last = zip(*(name.split(" ", 1) for name in names), strict=True)
    alone = [opened.vectors(list(each)) for each in (first, last)]
    with blind_head(opened.encoder, 0, HEAD):
        blind = opened.vectors(names)
    ways = [opened.vectors(names), alone[1], normalize(alone[0] + alone[1], dim=-1), blind]
    own = torch.arange(len(listed))
    right = []
    for vectors in ways:
        cosines = vectors @ said.T
        right.append((cosines - cosines.mean(0)).argmax(1) == own)
    return torch.stack(right, 1)
