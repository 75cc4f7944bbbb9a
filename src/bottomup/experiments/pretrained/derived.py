"""What chapter 12 shows of the model: one head's weights, scores of names, answers of a head.

``python -m bottomup.experiments.pretrained.derived`` writes the file that
`bottomup.results.pretrained` reads. It holds no weight.
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bottomup.experiments.pretrained.head_words import SPOKEN_OF, head_words, one_piece
from bottomup.experiments.pretrained.heads import frozen_head
from bottomup.experiments.pretrained.lists import OF_FAMOUS, famous, pairs, rows
from bottomup.experiments.pretrained.names import Cut, People, known, professions, scores
from bottomup.experiments.pretrained.opened import Opened, last_word, opened
from bottomup.experiments.pretrained.quantities import HEAD
from bottomup.experiments.pretrained.refuted import difference
from bottomup.files import write_atomically

FILE = Path(__file__).parents[2] / "results" / "pretrained" / "derived.npz"
NOTICE = (
    "Derived from all-MiniLM-L6-v2 (Apache License 2.0; "
    "Wang et al. 2020, Reimers and Gurevych 2019)"
)
SENTENCES = [f"The cat ate the meat because it was {state}." for state in ("hungry", "fresh")]
TURNS = 3, 1  # layer and head, from 0: of 72 the one that turned most in the record
OF_EACH = 3  # people of a profession
MIXED, SEED = 1_000, 0  # as in the record: names of two people, for the frozen head's weights
STEP = 241  # of these to 1; a prime, so that no score lies half-way between two hundredths
RECORDED, ANSWERS = 200, 8  # words, and what each of them finds


def derived(opened: Opened) -> dict[str, Any]:
    """Return both figures' arrays by name."""
    arrays = {f"board_{name}": value for name, value in board(opened).items()}
    arrays |= {f"dictionary_{name}": value for name, value in dictionary(opened).items()}
    arrays |= {f"it_{name}": value for name, value in who_is_it(opened).items()}
    return {"notice": NOTICE, **arrays}


def board(opened: Opened) -> dict[str, Any]:
    """Return the scores of first with last names, intact and with one head frozen.

    ``intact`` and ``frozen`` are whole steps above ``low``, [first, last, station, profession];
    ``people``: the places of each person's names and profession.
    """
    everyone = of_board(opened)
    by_station, as_vector = professions(opened, OF_FAMOUS)
    reference = Cut(opened, of_two_pieces(opened), as_vector, MIXED, SEED).reference
    first, last = ([*dict.fromkeys(names)] for names in (everyone.first, everyone.last))
    texts = [f"{a} {b}" for a in first for b in last]

    def read() -> Tensor:
        states = opened.read(texts, last_word)
        found = scores(states, states.mean(0), by_station)
        return (found.unflatten(0, (len(first), len(last))) * STEP).round().int()

    intact = read()
    with frozen_head(opened.encoder, 0, HEAD, reference):
        frozen = read()
    low = int(min(intact.min(), frozen.min()))
    return {
        "first": first,
        "last": last,
        "professions": [*OF_FAMOUS],
        "people": [
            (first.index(a), last.index(b), own)
            for a, b, own in zip(
                everyone.first, everyone.last, everyone.profession.tolist(), strict=True
            )
        ],
        "intact": (intact - low).numpy().astype(np.uint8),
        "frozen": (frozen - low).numpy().astype(np.uint8),
        "low": low,
        "step": STEP,
    }


def of_two_pieces(opened: Opened) -> People:
    """Return the people whom most readers know, those whose names are two pieces."""
    return known(famous(), max(map(len, famous().values()))).two_pieces(opened)


def of_board(opened: Opened) -> People:
    """Return the first of them of each profession."""
    everyone = of_two_pieces(opened)
    own = everyone.profession.tolist()
    some = [n for n, number in enumerate(own) if own[:n].count(number) < OF_EACH]
    first, last = ([names[n] for n in some] for names in (everyone.first, everyone.last))
    return People(first, last, everyone.profession[some])


def dictionary(opened: Opened) -> dict[str, Any]:
    """Return the first answers of some words, of all that `head_words` knows.

    ``answers`` and their ``scores`` in hundredths have two rows for each word: whom it looks for,
    and who looks for it. ``typical``: half of all words have a first answer below that.
    """
    known = head_words(opened)
    found = known.scores
    everyone = of_board(opened)
    some = [*SPOKEN_OF, *pairs("compounds"), *everyone.names, *pairs("related")]
    words = one_piece(opened, some)[:RECORDED]
    rows = torch.tensor([known.words.index(word) for word in words])
    best = [way.topk(ANSWERS) for way in (found[rows], found.T[rows])]
    answers = [[[known.words[n] for n in row] for row in way.indices.tolist()] for way in best]
    values = torch.stack([way.values for way in best], 1)  # [word, way, answer]
    return {
        "words": words,
        "answers": np.array(answers).swapaxes(0, 1),
        "scores": (values * 100).round().numpy().astype(np.int16),
        "typical": [round(float(way.amax(1).median()), 2) for way in (found, found.T)],
        "count": len(known.words),
    }


@torch.no_grad()
def who_is_it(opened: Opened) -> dict[str, Any]:
    """Return what *it* gives each token in the head that turns, in both sentences of the book.

    ``nouns`` are the two nouns' weights, first less second, in the record's pairs of sentences.
    """
    layer, head = TURNS
    tokens = torch.tensor([opened.pieces.encode(text) for text in SENTENCES])
    words = [[opened.pieces.pieces[number] for number in row] for row in tokens.tolist()]
    weights = opened.encoder(tokens, need_weights=True).weights[layer][:, head]
    nouns = [
        [float(difference(opened, actor, verb, thing, said)[TURNS]) for said in adjectives]
        for actor, verb, thing, *adjectives in rows("pronouns")
    ]
    return {
        "words": words,
        "weights": weights[:, words[0].index("it")].numpy().round(4),
        "nouns": np.array(nouns).round(4),
    }


def main() -> None:
    """Write the file."""
    torch.set_num_threads(1)
    arrays = derived(opened(trained=True))
    write_atomically(FILE, lambda file: np.savez_compressed(file, **arrays))


if __name__ == "__main__":
    main()
