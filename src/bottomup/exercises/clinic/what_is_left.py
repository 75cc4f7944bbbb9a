"""Exercise: which diseases are left, and which readings would tell them apart."""

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

import torch

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _

Signs = Mapping[str, Mapping[str, int | None]]
Seen = Mapping[str, int]
Left = tuple[list[str], list[str]]


def still_possible(
    signs: dict[str, dict[str, int | None]], seen: dict[str, int]
) -> tuple[list[str], list[str]]:
    left = [
        disease
        for disease, shows in signs.items()
        if all(shows[reading] in (None, sign) for reading, sign in seen.items())
    ]
    telling = [
        reading
        for reading in next(iter(signs.values()))
        if len({signs[d][reading] for d in left} - {None}) > 1
    ]
    return left, telling


def with_loops(signs: Signs, seen: Seen) -> Left:
    left = []
    for disease, shows in signs.items():
        excluded = False
        for reading, sign in seen.items():
            if shows[reading] is not None and shows[reading] != sign:
                excluded = True
        if not excluded:
            left.append(disease)
    telling = []
    for reading in list(signs.values())[0]:  # noqa: RUF015
        known = [signs[d][reading] for d in left if signs[d][reading] is not None]
        if known and any(sign != known[0] for sign in known):
            telling.append(reading)
    return left, telling


# ---- One step in another way: what the mistakes are made of

Keeps = Callable[[Mapping[str, int | None], Seen], bool]
Rule = Callable[[int | None, int], bool]


def agrees(sign: int | None, shown: int) -> bool:
    return sign in (None, shown)


def keeping(rule: Rule, join: Callable[[Iterable[bool]], bool] = all) -> Keeps:
    """Return whether a disease stays, by a rule for one reading."""
    return lambda shows, seen: not seen or join(rule(shows[r], s) for r, s in seen.items())


def known_signs(signs: set[int | None]) -> int:
    return len(signs - {None})


KEEPS = keeping(agrees)


def with_step(
    keeps: Keeps = KEEPS,
    *,
    differ: Callable[[set[int | None]], int] = known_signs,
    among_all: bool = False,
) -> Callable[[Signs, Seen], Left]:
    """Return the right answer with some steps replaced.

    Args:
        keeps: whether a disease stays.
        differ: from the signs of a reading to how many differ.
        among_all: whether excluded diseases are told apart, too.
    """

    def answer(signs: Signs, seen: Seen) -> Left:
        left = [disease for disease, shows in signs.items() if keeps(shows, seen)]
        asked = list(signs) if among_all else left
        readings = next(iter(signs.values()))
        return left, [r for r in readings if differ({signs[d][r] for d in asked}) > 1]

    return answer


def _excluded(signs: Signs, seen: Seen) -> Left:
    left, telling = with_step()(signs, seen)
    return [disease for disease in signs if disease not in left], telling


def _false_or_alike(sign: int | None, shown: int) -> bool:
    return not sign or sign == shown


def _true_signs(signs: set[int | None]) -> int:
    return len({sign for sign in signs if sign})


def _all_apart(*, more_than_one: bool) -> Callable[[Signs, Seen], Left]:
    """Readings in which no two of the known signs are alike."""

    def answer(signs: Signs, seen: Seen) -> Left:
        left, _telling = with_step()(signs, seen)
        telling = []
        for reading in next(iter(signs.values())):
            known = [signs[d][reading] for d in left if signs[d][reading] is not None]
            if len(set(known)) == len(known) > (1 if more_than_one else 0):
                telling.append(reading)
        return left, telling

    return answer


def _seen_alone(signs: Signs, seen: Seen) -> Left:
    left, telling = with_step()(signs, seen)
    return left, [reading for reading in telling if reading in seen]


def _all_known(signs: Signs, seen: Seen) -> Left:
    left, telling = with_step()(signs, seen)
    return left, [r for r in telling if all(signs[d][r] is not None for d in left)]


def _sorted(signs: Signs, seen: Seen) -> Left:
    left, telling = with_step()(signs, seen)
    return sorted(left), sorted(telling)


def _sorted_diseases(signs: Signs, seen: Seen) -> Left:
    left, telling = with_step()(signs, seen)
    return sorted(left), telling


def _sorted_readings(signs: Signs, seen: Seen) -> Left:
    left, telling = with_step()(signs, seen)
    return left, sorted(telling)


def _neighbours_compared(signs: Signs, seen: Seen) -> Left:
    left, telling = with_step()(signs, seen)

    def tells(reading: str) -> bool:
        pairs = [{signs[one][reading], signs[other][reading]} for one, other in pairwise(left)]
        return any(known_signs(pair) > 1 for pair in pairs)

    return left, [reading for reading in telling if tells(reading)]


BETWEEN = _("an unknown sign between two known ones")
UNKNOWN = _("a sign on which the seeds differ")

MISTAKES = (
    Mistake(
        "unknown-excludes", with_step(keeping(lambda sign, shown: sign == shown)), case=UNKNOWN
    ),
    Mistake(
        "one-agreement-is-enough",
        with_step(keeping(agrees, any)),
        (with_step(lambda shows, seen: any(agrees(shows[r], s) for r, s in seen.items())),),
    ),
    Mistake(
        "zero-taken-for-unknown",
        with_step(keeping(_false_or_alike), differ=_true_signs),
        (with_step(keeping(_false_or_alike)), with_step(differ=_true_signs)),
    ),
    Mistake(
        "direction-ignored",
        with_step(keeping(lambda sign, shown: sign is None or abs(sign) == abs(shown))),
    ),
    Mistake(
        "normal-says-nothing",
        with_step(keeping(lambda sign, shown: shown == 0 or agrees(sign, shown))),
    ),
    Mistake(
        "excluded-returned", _excluded, (with_step(lambda shows, seen: not KEEPS(shows, seen)),)
    ),
    Mistake("seen-readings-alone", _seen_alone),
    Mistake("unknown-tells-nothing-of-others", _all_known),
    Mistake("unknown-tells", with_step(differ=len), case=UNKNOWN),
    Mistake("neighbours-compared", _neighbours_compared, case=BETWEEN),
    Mistake("told-from-the-excluded", with_step(among_all=True)),
    Mistake("all-told-apart", _all_apart(more_than_one=True), (_all_apart(more_than_one=False),)),
    Mistake("sorted-by-name", _sorted, (_sorted_diseases, _sorted_readings), case=UNKNOWN),
)


# ---- Cases

TABLE: dict[str, tuple[int | None, ...]] = {
    "healthy": (0, 0, 0, 0),
    "no causal mask": (1, 1, 0, None),
    "mask after softmax": (1, 0, -1, 0),
    "no shift": (None, 0, 0, -1),
    "heads reshaped": (1, 0, 0, 1),
}
READINGS = ("in a batch", "on the future", "row sums", "loss at the end")


def _of(diseases: int, **seen: int) -> Callable[[torch.Generator], Inputs]:
    """Return a case with the first diseases of the table; `seen` has underscores for spaces."""
    signs = {
        disease: dict(zip(READINGS, row, strict=True))
        for disease, row in list(TABLE.items())[:diseases]
    }
    shown = {reading.replace("_", " "): sign for reading, sign in seen.items()}
    return lambda generator: {"signs": {d: {**row} for d, row in signs.items()}, "seen": {**shown}}


def _random(diseases: int, readings: int, taken: int) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        values = (-1, 0, 0, 1, None)
        drawn = torch.randint(len(values), (diseases, readings), generator=generator).tolist()
        names = [f"reading {chr(97 + number)}" for number in range(readings)]
        signs = {
            f"disease {chr(65 + number)}": {
                name: values[which] for name, which in zip(names, row, strict=True)
            }
            for number, row in enumerate(drawn)
        }
        patient = next(iter(signs.values()))
        order = torch.randperm(readings, generator=generator).tolist()
        seen = {names[place]: patient[names[place]] or 0 for place in order[:taken]}
        return {"signs": signs, "seen": seen}

    return make


CASES = (
    Case(_("two diseases, one reading"), _of(2, in_a_batch=1)),
    Case(UNKNOWN, _of(5, in_a_batch=1)),
    Case(_("two readings"), _of(5, in_a_batch=1, row_sums=0)),
    Case(_("a normal reading"), _of(5, in_a_batch=0)),
    Case(_("a low reading"), _of(5, loss_at_the_end=-1)),
    Case(_("nothing seen yet"), _of(5)),
    Case(BETWEEN, _of(5, on_the_future=0, row_sums=0)),
    Case(_("eleven diseases"), _random(11, 7, 2), seed=1),
    Case(_("seven diseases, three readings"), _random(7, 5, 3), seed=2),
    Case(_("thirteen diseases"), _random(13, 5, 1), seed=3),
)

ANSWERS = Answers(
    solution=still_possible,
    alternatives=(with_loops,),
    mistakes=MISTAKES,
    cases=CASES,
)
