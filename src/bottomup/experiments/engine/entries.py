"""Claims as data: ``claims.yaml`` in an experiment's room, filled from a record.

An entry of the file::

    - id: 01.1a
      kind: paper
      sentence: A model with a fixed vector translates long sentences worse.
      source: Bahdanau et al. (2015), figure 2
      paper: a steep fall, drawn without numbers
      measured: BLEU of short sentences minus that of long ones, after {steps} steps
      rule: above 5 in every seed
      values: none.bleu_fall
      section: A language with another order

What an entry does not say stands under ``defaults``. A repetition takes whatever neither says from
the claim that it repeats, whose sentence is ``{finding}``.

``values`` is a path in the record's metrics, or the name of a function in ``quantities.py`` of the
same room, such as ``apart(frequent)``, called with the record and the words in brackets. Two of
these, or a number, may have `` - `` or `` / `` between them; ``min(A, B)``, ``max(A, B)`` and
``abs(A - B)`` are taken seed by seed too.

In every text ``{steps}`` is a field of the record's configuration or a name that ``names(record)``
of ``quantities.py`` gives, and ``{mean[none.bleu]:.1f}`` is a mean over seeds of what could stand
under ``values``; so are ``max``, ``min`` and ``first``. A path may begin with one of those names,
and names may stand in it: ``{mean[none.bleu_at.{longest}]:.1f}``.
"""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from statistics import fmean
from string import Formatter
from types import ModuleType
from typing import Any

import yaml

from bottomup.checks import check_choice
from bottomup.experiments.engine.claim import Claim, Kind, rule
from bottomup.experiments.engine.record import Record
from bottomup.experiments.engine.rooms import NAMES
from bottomup.i18n import _
from bottomup.particles import with_particles

FILE = "claims.yaml"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C, where it was built
QUANTITIES = "quantities"
TEXTS = ("sentence", "source", "paper", "measured", "known")

Values = tuple[float, ...]
Entry = Mapping[str, Any]

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
CALL = re.compile(r"(?P<name>\w+)(?:\((?P<words>[^()]*)\))?")
BETWEEN: dict[str, Callable[[float, float], float]] = {
    " - ": operator.sub,
    " / ": operator.truediv,
}
EACH_SEED: dict[str, Callable[..., float]] = {"min": min, "max": max, "abs": abs}
OVER_SEEDS: dict[str, Callable[[Values], float]] = {
    "mean": fmean,
    "max": max,
    "min": min,
    "first": operator.itemgetter(0),
}


def entries(room: str) -> list[Entry]:
    """Return the entries of a room, such as ``bottomup.experiments.attention``, with defaults.

    A room whose record decides nothing has no file.
    """
    return list(_entries(room))


@cache
def _entries(room: str) -> tuple[Entry, ...]:
    file = files(room).joinpath(FILE)
    if not file.is_file():
        return ()
    content = yaml.load(file.read_text(encoding="utf-8"), LOADER)
    defaults = content.get("defaults", {})
    return tuple({**defaults, **entry} for entry in content["claims"])


def entry(number: str) -> Entry:
    """Return the entry of a claim by its number."""
    found = (each for room in NAMES.values() for each in entries(room))
    return next(each for each in found if each["id"] == number)


def claims(record: Record) -> list[Claim]:
    """Return what a record decides, in the order of the file.

    Nothing that trains is imported for it.
    """
    check_choice("record.experiment", record.experiment, NAMES)
    room = NAMES[record.experiment]
    filled = Filled(record, _quantities(room))
    return [
        filled.claim(each if "repeats" not in each else {**entry(each["repeats"]), **each})
        for each in entries(room)
        if filled.has(each.get("needs", ()))
    ]


def _quantities(room: str) -> ModuleType | None:
    name = f"{room}.{QUANTITIES}"
    return import_module(name) if find_spec(name) else None


@dataclass(frozen=True)
class Filled:
    """A record, and what the names in a room's entries stand for."""

    record: Record
    quantities: ModuleType | None

    def claim(self, said: Entry) -> Claim:
        """Return an entry's claim; what is missing in it raises KeyError with its name."""
        names = self.names
        if "{finding}" in said["sentence"]:
            names = {**names, "finding": self.text(entry(said["repeats"])["sentence"], names)}
        texts = {name: self.text(said.get(name, ""), names) for name in TEXTS}
        room = said.get("room")
        return Claim(
            id=said["id"],
            kind=Kind(said["kind"]),
            repeats=said.get("repeats"),
            sentence=texts["sentence"],
            source=texts["source"],
            paper_value=texts["paper"],
            measured=texts["measured"],
            rule=rule(said["rule"].format_map(names)),
            values=self.values(said["values"].format_map(names)),
            record=self.record.name,
            section=said["section"],
            room=None if room is None else self.values(room.format_map(names)),
            digits=said.get("digits", 2),
            known=texts["known"],
        )

    def has(self, paths: Sequence[str]) -> bool:
        """Say whether the record measured all that stands under some paths."""
        try:
            for path in paths:
                self.record.metric(path.format_map(self.names))
        except LookupError:
            return False
        return True

    def values(self, text: str) -> Values:
        """Return one number a seed."""
        found = CALL.fullmatch(text)
        if found and found["name"] in EACH_SEED:
            parts = map(self.values, found["words"].split(", "))
            return tuple(map(EACH_SEED[found["name"]], *parts))
        for sign, between in BETWEEN.items():
            if sign in text:
                left, right = map(self.values, text.split(sign))
                return tuple(map(between, left, right))
        if NUMBER.fullmatch(text):
            return (float(text),) * len(self.record.seeds)
        if found is None:
            head, dot, rest = text.partition(".")
            return self.record.metric(f"{self.own.get(head, head)}{dot}{rest}")
        quantity = getattr(self.quantities, found["name"], None)
        if quantity is None:
            raise LookupError(
                f"values: expected a path of metrics or a function of {QUANTITIES}.py of "
                f"{self.record.experiment}, got {text!r}"
            )
        words = found["words"].split(", ") if found["words"] else []
        values: Values = quantity(self.record, *words)
        return values

    @cached_property
    def own(self) -> Mapping[str, Any]:
        """What the room's names stand for."""
        names = getattr(self.quantities, "names", None)
        return {} if names is None else names(self.record)

    @cached_property
    def names(self) -> Mapping[str, Any]:
        """What a text can be filled with."""
        plain = {**self.record.config, **self.own}
        over_seeds = {
            name: OverSeeds(lambda path: self.values(path.format_map(plain)), over)
            for name, over in OVER_SEEDS.items()
        }
        return {**plain, **over_seeds}

    def text(self, template: str, names: Mapping[str, Any]) -> str:
        """Return a text in the reader's language, its names filled in."""
        return with_particles(Typeset().vformat(_(template), (), names))


@dataclass(frozen=True)
class OverSeeds:
    """One number for all seeds, looked up as ``mean[additive.bleu]``."""

    values: Callable[[str], Values]
    over: Callable[[Values], float]

    def __getitem__(self, text: str) -> float:
        return self.over(self.values(text))


class Typeset(Formatter):
    """Fills in numbers with a minus sign where ``format`` writes a hyphen."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a value as its format says."""
        text = str(super().format_field(value, format_spec))
        return text.replace("-", "−") if isinstance(value, int | float) else text
