"""One sentence worked by hand: a row of numbers for each word, and the matrices that read them.

*The cat ate the meat because it was hungry.* Its twin ends in *fresh*, and then *it* is the meat.
The small words are left out. Every number that follows can be checked with a pocket calculator, and
chapters 00 to 05 do so: what the rows hold, what two layers of attention find, what two heads keep
apart, what an MLP adds, and what a decoder can ask for.

The numbers are chosen, not trained: they show what attention can do. What a trained network does
stands beside them in each chapter.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from bottomup.checks import check_choice

COLUMNS = ("animal", "food", "eats", "state", "pronoun")
LAST = ("hungry", "fresh")

# 2: the word is this. 1: the word has to do with this.
ROWS = {
    "cat": (2.0, 0.0, 0.0, 0.0, 0.0),
    "ate": (0.0, 0.0, 2.0, 0.0, 0.0),
    "meat": (0.0, 2.0, 0.0, 0.0, 0.0),
    "it": (0.0, 0.0, 0.0, 0.0, 2.0),
    "hungry": (1.0, 0.0, 0.0, 2.0, 0.0),
    "fresh": (0.0, 1.0, 0.0, 2.0, 0.0),
}


class Head(NamedTuple):
    """The three matrices of a head: what words ask for, what they offer, what they pass on.

    Each has a row for every number that it makes and a column for every number that it reads, so
    that ``x @ head.query.T`` makes the queries of all words.
    """

    query: Float[Tensor, "question column"]
    key: Float[Tensor, "question column"]
    value: Float[Tensor, "passed column"]


def rows(*words: str, place: bool = False) -> Float[Tensor, "word column"]:
    """Return the rows of words in their order.

    Args:
        words: of `ROWS`, such as ``"cat", "ate", "meat"``.
        place: whether each row says in a last column where its word stands, from 1 on.

    Raises:
        ValueError: a word has no row.
    """
    for word in words:
        check_choice("words", word, ROWS)
    found = torch.tensor([ROWS[word] for word in words]).reshape(len(words), len(COLUMNS))
    if not place:
        return found
    places = torch.arange(1.0, len(words) + 1)
    return torch.cat([found, places[:, None]], dim=1)


def sentence(last: str = "hungry", *, place: bool = False) -> Float[Tensor, "5 column"]:
    """Return the rows of *cat ate meat it* and the last word, ``"hungry"`` or ``"fresh"``.

    Raises:
        ValueError: the sentence has no such last word.
    """
    check_choice("last", last, LAST)
    return rows("cat", "ate", "meat", "it", last, place=place)


# ---- Chapter 02: two layers. A word can ask for four things: an animal, a food, an act of eating,
# a state. It offers what it is, and passes on whether it has to do with an animal or a food.

_OFFER = torch.eye(5)[:4]
_PASS_ON = torch.diag(torch.tensor([1.0, 1.0, 0.0, 0.0, 0.0]))

FIRST = Head(
    query=torch.tensor([
        [0.0, 0.0, 2.0, 0.0, 0.0],  # a verb asks for an animal ...
        [0.0, 0.0, 2.0, 0.0, 0.0],  # ... and for a food
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 2.0],  # a pronoun asks for a state
    ]),
    key=_OFFER,
    value=_PASS_ON,
)  # fmt: skip
# In the second layer a word asks for the kind, animal or food, that its row holds by then.
_ASK_ITS_KIND = 4 * torch.diag(torch.tensor([1.0, 1.0, 0.0, 0.0, 0.0]))[:4]
SECOND = Head(_ASK_ITS_KIND, _OFFER, _PASS_ON)


# ---- Chapter 03: two heads, of rows with a place. A verb asks for a noun, which is an animal or a
# food and no state: one head early in the sentence, the other late.


def noun(place: float) -> Head:
    """Return a head whose verbs ask for a noun; with a negative `place` early ones score higher."""
    query = torch.zeros(4, 6)
    query[:, COLUMNS.index("eats")] = torch.tensor([4.0, 4.0, -2.0, place])
    offers = ("animal", "food", "state")
    key = torch.eye(6)[[*map(COLUMNS.index, offers), len(COLUMNS)]]
    return Head(query, key, torch.eye(6)[:2])


EARLY, LATE = noun(-2.0), noun(2.0)
# Adding what both heads found forgets which found it; early less late says who ate whom.
EARLY_LESS_LATE = torch.cat([torch.eye(2), -torch.eye(2)], dim=1)  # [2, 2 heads * 2]


# ---- Chapter 04: two neurons that add a fact: an animal eats, food is eaten. They read the rows
# that the second layer leaves; a state keeps them silent.

NEURONS = torch.tensor([[1.0, -1.0, 0.0, -1.0, 0.0], [-1.0, 1.0, 0.0, -1.0, 0.0]])
BIAS = -2.0
FACT = torch.zeros(5, 2)  # what each neuron writes
FACT[COLUMNS.index("eats")] = torch.tensor([1.0, -1.0])


# ---- Chapter 05: what a decoder asks of the finished rows.

QUESTIONS = {
    "an animal?": (4.0, 0.0, 0.0, 0.0),
    "who is it?": (0.0, 0.0, 0.0, 4.0),
    "in what state?": (0.0, 0.0, 4.0, 0.0),
    "a food?": (-4.0, 0.0, 0.0, 0.0),
    "which verb?": (0.0, 4.0, 0.0, 0.0),
}
# What the rows offer it: animal less food, eats, state, pronoun.
CROSS_KEY = torch.tensor([
    [1.0, -1.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 1.0],
])  # fmt: skip
