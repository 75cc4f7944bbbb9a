"""Chapter 12's first interactive figure: two names, eight professions, and one head frozen."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bottomup.checks import check_integer
from bottomup.explorables.shared import inputs
from bottomup.explorables.shared.explorable import Explorable
from bottomup.explorables.shared.tables import cell, table, weight_cell
from bottomup.i18n import _
from bottomup.plotting.arrays import finite_array

if TYPE_CHECKING:  # a figure is given scores, and needs no model to be drawn
    from bottomup.results.pretrained import NameScores

__all__ = ["names_board"]

LONGEST_NAME, LONGEST_PROFESSION = 12, 14  # letters that fit on a phone
MOST_PROFESSIONS = 8
MOST_EXAMPLES = 8
STEP = 241  # of these to 1, a byte for each score; a prime, so that none is a tie of hundredths
TICK = 0.2


def names_board(scores: NameScores, *, examples: Sequence[str]) -> Explorable:
    """Build the figure: put a first and a last name together, and see where they lead.

    A chart shows how close the state at the last name is to each profession, from the embedding to
    the last layer. It does so twice: with the model as it is, and with one head frozen, so that the
    head reads every name with the same weights. Bars compare all professions at one station.

    Args:
        scores: as `bottomup.results.pretrained.name_scores` returns them, between -1 and 1.
        examples: names that a click puts together, one to eight; the first is shown first.

    Used in chapter 12.
    """
    first, last = (
        inputs.short_words(f"scores.{side}", getattr(scores, side), LONGEST_NAME, distinct=True)
        for side in ("first", "last")
    )
    professions = inputs.short_words(
        "scores.professions", scores.professions, LONGEST_PROFESSION, (2, MOST_PROFESSIONS), True
    )
    sizes = {"first": len(first), "last": len(last), "profession": len(professions)}
    axes = "first={first} last={last} station profession={profession}".format(**sizes)
    both = {
        kind: finite_array(f"scores.{kind}", getattr(scores, kind), axes=axes, low=-1, high=1)
        for kind in ("intact", "frozen")
    }
    stations = both["intact"].shape[2]
    if stations % 2 == 0 or both["frozen"].shape != both["intact"].shape:
        shapes = [array.shape for array in both.values()]
        raise ValueError(f"scores: expected twice one station and two a layer, got {shapes}")
    people = [_person(n, one, sizes) for n, one in enumerate(scores.people)]
    inputs.check_count("examples", examples, 1, MOST_EXAMPLES)
    pairs = [_pair(name, first, last) for name in examples]
    stored, low = _stored(both)
    return Explorable(
        {
            "labels": _labels(scores.notice),
            "first": first,
            "last": last,
            "professions": professions,
            "stations": _stations(stations),
            "people": people,
            "examples": pairs,
            "scores": stored,
            "low": low,
            "step": STEP,
            "ticks": _ticks(both),
        },
        fallback=_fallback(first, last, professions, people, both, scores.notice),
        name="names_board",
    )


def _person(number: int, person: Sequence[int], sizes: dict[str, int]) -> list[int]:
    name = f"scores.people[{number}]"
    inputs.check_parts(name, person, "(first, last, profession)")
    for place, size in zip(person, sizes.values(), strict=True):
        check_integer(name, place, at_least=0, below=size)
    return [int(place) for place in person]


def _pair(name: str, first: list[str], last: list[str]) -> list[int]:
    """Return the places of the two parts of a name."""
    one, _blank, other = str(name).partition(" ")
    if one not in first or other not in last:
        raise ValueError(f"examples: expected a first and a last name of the scores, got {name!r}")
    return [first.index(one), last.index(other)]


def _stored(both: inputs.Arrays) -> tuple[dict[str, str], int]:
    """Return the scores as bytes in base64, and the steps that each of them is above."""
    steps = {kind: (array * STEP).round().astype(int) for kind, array in both.items()}
    low = min(int(array.min()) for array in steps.values())
    most = max(int(array.max()) for array in steps.values()) - low
    if most > 255:
        raise ValueError(f"scores: expected them within {255 / STEP}, got {most / STEP}")
    stored = {
        kind: base64.b64encode((array - low).astype(np.uint8).tobytes()).decode("ascii")
        for kind, array in steps.items()
    }
    return stored, low


def _ticks(both: inputs.Arrays) -> list[float]:
    """Return the values with a line each, zero and two more at least."""
    low = min(-1, *(int(np.floor(array.min() / TICK)) for array in both.values()))
    high = max(1, *(int(np.ceil(array.max() / TICK)) for array in both.values()))
    return [round(TICK * place, 1) for place in range(low, high + 1)]


def _stations(count: int) -> list[str]:
    names = [_("after the embedding")]
    for layer in range(1, (count + 1) // 2):
        names += [
            _("after attention in layer {layer}").format(layer=layer),
            _("after layer {layer}").format(layer=layer),
        ]
    return names


def _fallback(
    first: list[str],
    last: list[str],
    professions: list[str],
    people: list[list[int]],
    both: dict[str, NDArray[np.float64]],
    notice: str,
) -> str:
    """Return the score of each person's own profession after the last layer as a table."""
    rows = [
        (
            f"{first[one]} {last[other]}",
            [
                cell(escape(professions[own])),
                *(weight_cell(array[one, other, -1, own]) for array in both.values()),
            ],
        )
        for one, other, own in people
    ]
    caption = [
        _("How close a name is to the person's profession, after the last layer"),
        _("Cosines, with the model as it is and with head 5 of layer 1 frozen."),
        notice,
    ]
    return table(caption, [_("profession"), _("intact"), _("frozen")], rows)


def _labels(notice: str) -> dict[str, Any]:
    return {
        "title": _("Names board"),
        "first": _("First name"),
        "last": _("Last name"),
        "examples": _("Names to try"),
        "station": _("Where"),
        "ends": [_("embedding"), _("last layer")],
        "profession": _("Profession, arrow keys move"),
        "intact": _("intact"),
        "frozen": _("frozen"),
        "others": _("the other professions, intact"),
        "axis": _("layer; between two layers: after attention"),
        "row": _("{profession}: {intact}, with the head frozen {frozen}"),
        "chart": _("{profession}, station by station. Intact: {intact}. Frozen: {frozen}."),
        "falls": _("{name}, {station}: {profession} falls from {intact} to {frozen} when the head "
                   "is frozen."),
        "rises": _("{name}, {station}: {profession} rises from {intact} to {frozen} when the head "
                   "is frozen."),
        "stays": _("{name}, {station}: {profession} stays at {intact} when the head is frozen."),
        "same": _("Both times, {profession} has the highest score of the {count}."),
        "other": _("The highest score is that of {profession}, and with the head frozen that of "
                   "{other}."),
        "nobody": _("Nobody on this board is called {name}."),
        "note": _("A score is a cosine: how far the state at the last name points to the "
                  "profession, beyond what all names have in common. Frozen: head 5 of layer 1 "
                  "reads every name with the same weights, the mean over 1,000 mixed names."),
        "notice": notice,
    }  # fmt: skip
