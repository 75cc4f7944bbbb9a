"""What was derived from chapter 12's model for its figures: scores of names, answers of a head.

``bottomup.experiments.pretrained.derived`` wrote it. A page needs neither the model nor weights.
"""

from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bottomup.i18n import _

__all__ = ["HeadAnswers", "NameScores", "Turn", "head_answers", "name_scores", "who_is_it"]


@dataclass(frozen=True, eq=False)
class NameScores:
    """How close names are to professions, with a head as it is and with the head frozen.

    Attributes:
        first, last: the names that may be put together.
        professions: what they are compared with.
        people: for each person the places of both names and of the profession.
        intact, frozen: cosines at the last word [first, last, station, profession]: after the
            embedding, then after attention and after the MLP of each layer.
        notice: whose model it is.
    """

    first: list[str]
    last: list[str]
    professions: list[str]
    people: list[tuple[int, int, int]]
    intact: NDArray[np.float64]
    frozen: NDArray[np.float64]
    notice: str


@dataclass(frozen=True, eq=False)
class HeadAnswers:
    """Whom words look for in one head, and who looks for them.

    Attributes:
        answers: for each word two lists, the best answer first: those that it looks for, and those
            that look for it. An answer is a word and its score.
        typical: for both ways, half of all words have a first answer below that.
        count: of the words that may be an answer.
        notice: whose model it is.
    """

    answers: dict[str, tuple[list[tuple[str, float]], list[tuple[str, float]]]]
    typical: tuple[float, float]
    count: int
    notice: str


@dataclass(frozen=True, eq=False)
class Turn:
    """What *it* looks at in the head of layer 4 that turns, in the two sentences of the book.

    Attributes:
        words: the tokens of each sentence.
        weights: what *it* gives to each of them.
        nouns: the weight of the first noun less that of the second, in both sentences of 47 other
            pairs: one adjective speaks of the first noun, the other of the second.
    """

    words: list[list[str]]
    weights: list[list[float]]
    nouns: list[tuple[float, float]]


def who_is_it() -> Turn:
    """Return the weights of *it* in head 2 of layer 4."""
    arrays = _arrays("it")
    words, weights = arrays["words"].tolist(), arrays["weights"].round(4).tolist()
    return Turn(words, weights, [(first, second) for first, second in arrays["nouns"].tolist()])


def name_scores() -> NameScores:
    """Return the scores of 22 first and 23 last names, those of 24 people."""
    arrays = _arrays("board")
    intact, frozen = (
        (arrays[name] + arrays["low"]) / arrays["step"] for name in ("intact", "frozen")
    )
    return NameScores(
        first=arrays["first"].tolist(),
        last=arrays["last"].tolist(),
        professions=[_professions()[name] for name in arrays["professions"].tolist()],
        people=[(first, last, own) for first, last, own in arrays["people"].tolist()],
        intact=intact,
        frozen=frozen,
        notice=_notice(),
    )


def head_answers() -> HeadAnswers:
    """Return the answers of head 5 of layer 1 to 200 words."""
    arrays = _arrays("dictionary")
    found = zip(arrays["words"].tolist(), arrays["answers"], arrays["scores"] / 100, strict=True)
    looks_for, looked_for = arrays["typical"].tolist()
    return HeadAnswers(
        answers={
            word: (_row(words[0], scores[0]), _row(words[1], scores[1]))
            for word, words, scores in found
        },
        typical=(looks_for, looked_for),
        count=int(arrays["count"]),
        notice=_notice(),
    )


def _professions() -> dict[str, str]:
    return {
        "tennis": _("tennis"),
        "painting": _("painting"),
        "physics": _("physics"),
        "acting": _("acting"),
        "singing": _("singing"),
        "basketball": _("basketball"),
        "politics": _("politics"),
        "novels": _("novels"),
    }


def _notice() -> str:
    """Return what the file holds too, in the reader's language."""
    return _(
        "Derived from all-MiniLM-L6-v2 (Apache License 2.0; "
        "Wang et al. 2020, Reimers and Gurevych 2019)"
    )


def _row(words: NDArray[Any], scores: NDArray[Any]) -> list[tuple[str, float]]:
    return [*zip(words.tolist(), scores.tolist(), strict=True)]


def _arrays(part: str) -> dict[str, NDArray[Any]]:
    with as_file(files(__name__) / "derived.npz") as path, np.load(path) as stored:
        names = {name.removeprefix(f"{part}_"): name for name in stored.files}
        return {short: stored[name] for short, name in names.items()}
