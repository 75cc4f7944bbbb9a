"""What was derived from chapter 12's model for its figures: scores of names, answers of a head.

``bottomup.experiments.pretrained.derived`` wrote it. A page needs neither the model nor weights.
"""

from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["HeadAnswers", "NameScores", "head_answers", "name_scores"]


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


def name_scores() -> NameScores:
    """Return the scores of 22 first and 23 last names, those of 24 people."""
    arrays = _arrays("board")
    intact, frozen = (
        (arrays[name] + arrays["low"]) / arrays["step"] for name in ("intact", "frozen")
    )
    return NameScores(
        first=arrays["first"].tolist(),
        last=arrays["last"].tolist(),
        professions=arrays["professions"].tolist(),
        people=[(first, last, own) for first, last, own in arrays["people"].tolist()],
        intact=intact,
        frozen=frozen,
        notice=str(arrays["notice"]),
    )


def head_answers() -> HeadAnswers:
    """Return the answers of head 5 of layer 1 to 200 words."""
    arrays = _arrays("dictionary")
    found = zip(arrays["words"].tolist(), arrays["answers"], arrays["scores"] / 100, strict=True)
    looks_for, looked_for = arrays["typical"].tolist()
    return HeadAnswers(
        answers={word: (_row(words[0], scores[0]), _row(words[1], scores[1]))
                 for word, words, scores in found},
        typical=(looks_for, looked_for),
        count=int(arrays["count"]),
        notice=str(arrays["notice"]),
    )  # fmt: skip


def _row(words: NDArray[Any], scores: NDArray[Any]) -> list[tuple[str, float]]:
    return [*zip(words.tolist(), scores.tolist(), strict=True)]


def _arrays(part: str) -> dict[str, NDArray[Any]]:
    with as_file(files(__name__) / "derived.npz") as path, np.load(path) as stored:
        names = {name.removeprefix(f"{part}_"): name for name in stored.files}
        return {short: stored[name] for short, name in names.items()}
