"""Facts about made-up people: two names give an attribute, and neither name alone does.

The people, and the sports they play, do not exist. Chapter 04 has networks learn them by heart.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Int64
from numpy.typing import NDArray
from torch import Tensor

from bottomup.checks import check_integer
from bottomup.data.labelled import Labelled
from bottomup.data.vocabulary import Vocabulary

LAST = 1  # position of the last name, where the attribute is asked for

# Each kind of word: beginnings and ends that join to words no other kind has.
FIRST_NAMES = ("Bel Cor Dav Fen Gal Hes Jum Kel Lum Mer Nev Tal", "an ia ow eth")
LAST_NAMES = ("Ash Brim Crov Dun Eld Farn Grel Holt Kest Mund Plin Strav", "ick well ova arden")
ATTRIBUTES = ("flum glen hask krell loop norr plim quon rudd snell tarn wisp", "ball ing ette o")

Table = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Facts:
    """A table of facts: person (i, j) is called ``first_names[i] last_names[j]``.

    Attributes:
        first_names, last_names, attributes: words.
        table: place of each person's attribute in `attributes`.
        words: first names, last names and attributes with their token numbers.

    The facts as lists run through the table row by row: fact ``i * len(last_names) + j`` is about
    person (i, j).
    """

    first_names: tuple[str, ...]
    last_names: tuple[str, ...]
    attributes: tuple[str, ...]
    table: Int64[Tensor, "first last"]
    words: Vocabulary

    def __len__(self) -> int:
        return self.table.numel()

    @property
    def names(self) -> list[str]:
        """The full name of each person, ``"Belan Ashick"``."""
        return [f"{first} {last}" for first in self.first_names for last in self.last_names]

    @property
    def tokens(self) -> Int64[Tensor, "fact 2"]:
        """Token numbers of each person's first and last name."""
        first, last = (torch.tensor(self.words.encode(w)) for w in self._name_words)
        return torch.cartesian_prod(first, last)

    @property
    def labels(self) -> Int64[Tensor, "fact 3"]:
        """Places of each person's first name, last name and attribute in their lists."""
        pairs = torch.cartesian_prod(*(torch.arange(len(w)) for w in self._name_words))
        return torch.cat([pairs, self.table.reshape(-1, 1)], dim=1)

    @property
    def attribute_tokens(self) -> Int64[Tensor, " attribute"]:
        """Token number of each attribute."""
        return torch.tensor(self.words.encode(self.attributes))

    def examples(self) -> list[Labelled]:
        """Return each fact as ``([first, last], {1: attribute})`` in token numbers."""
        answers = self.attribute_tokens[self.table.flatten()].tolist()
        people = self.tokens.tolist()
        return [(person, {LAST: answer}) for person, answer in zip(people, answers, strict=True)]

    @property
    def _name_words(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self.first_names, self.last_names


def make_facts(
    *, first_names: int = 20, last_names: int = 20, attributes: int = 10, seed: int = 0
) -> Facts:
    """Draw an attribute for every pair of a first and a last name, balanced over both.

    Guaranteed: each first name goes with each attribute exactly ``last_names / attributes`` times,
    and each last name with each exactly ``first_names / attributes`` times. Whoever knows one of
    the names only, can do no better than guess: right with probability ``1 / attributes``.

    Within this balance the table is random. It begins as ``(i + j) mod attributes``, which could be
    learnt as arithmetic, and is then shuffled by moves that keep the balance: two rows exchange
    their attributes in some columns, chosen so that both rows exchange the same attributes. There
    are as many moves as people. Not every balanced table is claimed to be as likely. Where every
    name would go with every attribute only once, the moves could leave the arithmetic as it was;
    hence at least twice.

    Args:
        first_names, last_names: how many; multiples of `attributes`, and at least twice as many.
        attributes: how many.
        seed: fixes the table. The words do not depend on it.

    Example:
        >>> facts = make_facts(first_names=4, last_names=4, attributes=2)
        >>> [row.bincount().tolist() for row in facts.table]  # each first name, both attributes
        [[2, 2], [2, 2], [2, 2], [2, 2]]
    """
    first = _words("first_names", first_names, *FIRST_NAMES)
    last = _words("last_names", last_names, *LAST_NAMES)
    answers = _words("attributes", attributes, *ATTRIBUTES)
    _check_multiple("first_names", first_names, attributes)
    _check_multiple("last_names", last_names, attributes)
    check_integer("seed", seed, at_least=0, below=2**63)
    generator = np.random.default_rng(seed)
    table = np.add.outer(np.arange(first_names), np.arange(last_names)) % attributes
    for _move in range(table.size):
        _exchange(table, generator)
    words = Vocabulary([*first, *last, *answers])
    return Facts(first, last, answers, torch.from_numpy(table), words)


def held_out(facts: Facts, *, every: int = 4, seed: int = 0) -> Bool[Tensor, " fact"]:
    """Choose people to test on: True for one in `every`, spread evenly over the names.

    Of the people of one first name, one in `every` is chosen, and of those of one last name too, up
    to rounding down or up. So every name occurs on both sides, each time in other combinations.

    Args:
        facts: the people.
        every: a number from 2 to that of the first names and that of the last names.
        seed: fixes the choice.
    """
    check_integer("every", every, at_least=2)
    check_integer("seed", seed, at_least=0, below=2**63)
    rows, columns = facts.table.shape
    if every > min(rows, columns):
        raise ValueError(f"every: expected at most {min(rows, columns)}, got {every}")
    generator = np.random.default_rng(seed)
    diagonals = np.add.outer(generator.permutation(rows), generator.permutation(columns))
    return torch.from_numpy(diagonals % every == 0).flatten()


def _words(name: str, count: int, beginnings: str, ends: str) -> tuple[str, ...]:
    """Return `count` different words; neighbours differ in their beginnings."""
    check_integer(name, count, at_least=2)
    heads, tails = beginnings.split(), ends.split()
    if count > len(heads) * len(tails):
        raise ValueError(f"{name}: expected at most {len(heads) * len(tails)}, got {count}")
    rounds = [divmod(number, len(heads)) for number in range(count)]
    return tuple(heads[head] + tails[(lap + head) % len(tails)] for lap, head in rounds)


def _check_multiple(name: str, count: int, attributes: int) -> None:
    if count % attributes or count < 2 * attributes:
        raise ValueError(
            f"{name}: expected a multiple of attributes={attributes}, at least twice as many, "
            f"got {count}"
        )


def _exchange(table: Table, generator: np.random.Generator) -> None:
    """Let two random rows exchange their entries in columns that hold the same attributes in both.

    Draw a column as an arrow from its attribute in the one row to that in the other. Both rows hold
    every attribute equally often, so each attribute has as many arrows in as out: a random walk
    along arrows not yet used comes back to where it began. The exchange in the columns of such a
    round trip leaves every row and every column with the attributes it had.
    """
    one, other = generator.choice(len(table), size=2, replace=False)
    unused = list(generator.permutation(table.shape[1]))
    start = here = table[one, unused[0]]
    trip: list[int] = []
    while not trip or here != start:
        column = next(column for column in unused if table[one, column] == here)
        unused.remove(column)
        trip.append(column)
        here = table[other, column]
    table[[one, other], np.array(trip)[:, None]] = table[[other, one], np.array(trip)[:, None]]
