"""What the package said in English, said in another language: stored outputs, without a run.

A report, a label of a figure or a table of claims is made of the package's messages. `Teller` finds
them again, fills in what stood in their places, and leaves numbers, code and words of the example
sentences alone. A test compares it with what a kernel says in that language.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape, unescape
from typing import Any, NamedTuple

from bottomup.explorables.shared.explorable import _script_json
from tools.translate.drawn import example_words

PLACE = re.compile(r"\{(\w*)(?:![rsa])?(?::[^{}]*)?\}")
# Between the parts of a text: the number of a claim stands apart from its sentence.
LINES = re.compile(r"\n+")
CELLS = re.compile(r" *\| *|(?<=\d) +(?=[A-Z])|(?<=[a-z]) (?=\()|(?<=\d[a-z]) (?=[A-Z])")
SENTENCES = re.compile(r"(?<=[.?!]) +|: ")
CLAUSES = re.compile(r", ")
STOP = re.compile(r"\.$")
LABELS = {"got", "expected"}  # above a value in a report, where else an argument's name is
SURE = 12  # letters of a message that it shares with no other text
FIGURE = re.compile(
    r'(modules\["(?P<name>\w+)/\w+\.js"\];\nconst payload = )(?P<payload>.+)(?=;\nconst style)'
)
# Where the package's texts stand in a figure's payload, if not in its labels alone. Every other
# string is a key of the script, a word of a sentence, or the chapter's own; drawings in steps are
# drawn again.
TEXTS = {
    "alignments": {"labels", "scores.label"},
    "layer_slider": {"labels", "stations"},
    "mask_painter": {"labels", "masks.label"},
    "token_journey": {"labels", "sides.stations.name", "sides.stations.formulas"},
}
IN_LABELS = {"labels"}
# What no reader reads as a sentence; `<code>` stands inside one.
APART = re.compile(
    r"(<(?P<kind>script|style|pre)\b.*?</(?P=kind)>|</?(?!code>)[a-zA-Z][^>]*>)", re.DOTALL
)
SPOKEN = re.compile(r'(\b(?:aria-label|title|alt)=")([^"]+)')
WORD = re.compile(r"[^\W\d_]{2,}")


class Way(NamedTuple):
    """One way to tell a text, and how many letters it leaves in English."""

    told: str
    left: int
    opens_with_place: bool = False  # which would take in what stands before


@dataclass(frozen=True)
class Template:
    """A message with places, as a pattern, its translation, and the names of the places."""

    pattern: re.Pattern[str]
    translation: str
    names: tuple[str, ...]
    letters: int  # of the message itself

    @classmethod
    def of(cls, message: str, translation: str) -> "Template":
        """Return the template of a message."""
        pieces = PLACE.split(message)
        words, names = [_plain(piece) for piece in pieces[::2]], tuple(pieces[1::2])
        letters = sum(map(str.isalpha, "".join(words)))
        return cls(re.compile("(.+?)".join(map(re.escape, words))), translation, names, letters)

    @property
    def opens_with_place(self) -> bool:
        """Whether the message begins with a place."""
        return self.pattern.pattern.startswith("(")

    def filled(self, values: list[str]) -> str:
        """Return the translation with values in its places: by name, else in turn."""
        waiting, named = iter(values), dict(zip(self.names, values, strict=True))
        return _plain(
            PLACE.sub(lambda p: named.get(p[1], p[0]) if p[1] else next(waiting), self.translation)
        )


def _plain(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")


class Teller:
    """Says English texts of the package in another language.

    Args:
        translations: message -> translation.
    """

    def __init__(self, translations: Mapping[str, str]) -> None:
        self.labels = translations
        kept = example_words()
        self.exact = {m: t for m, t in translations.items() if m not in kept}
        self.told: dict[str, Way] = {}

    @cached_property
    def templates(self) -> list[Template]:
        """Messages with places, those that say most first."""
        made = [Template.of(m, t) for m, t in self.exact.items() if PLACE.search(m)]
        return sorted((each for each in made if each.letters), key=lambda t: -t.letters)

    def text(self, text: str) -> str:
        """Return a text of sentences, lines or cells."""
        return self._way(text).told

    def html(self, html: str) -> str:
        """Return HTML, with what a reader sees or hears in the other language."""
        parts = APART.split(html)
        told = []
        for number, part in enumerate(parts):
            if number % 3 == 0:
                before_a_value = "".join(parts[number + 1 : number + 2]).startswith("<pre")
                is_argument = before_a_value and part.isidentifier() and part not in LABELS
                told.append(part if is_argument else self._sentence(part))
            elif number % 3 == 1:
                told.append(self._markup(part))
        return "".join(told)

    def _markup(self, tag: str) -> str:
        if tag.startswith("<script"):
            return FIGURE.sub(self._figure, tag, count=1)
        head, close, rest = tag.partition(">")
        said = SPOKEN.sub(lambda found: found[1] + escape(self.text(unescape(found[2]))), head)
        return said + close + rest

    def _figure(self, found: re.Match[str]) -> str:
        return found[1] + _script_json(self.payload(found["name"], json.loads(found["payload"])))

    def payload(self, name: str, payload: Any) -> Any:
        """Return the payload of a figure with its texts in the other language."""
        return self._data(payload, TEXTS.get(name, IN_LABELS), "")

    def _data(self, value: Any, texts: Collection[str], place: str) -> Any:
        """Return what stands at a place; all below one of `texts` is text."""
        is_text = place in texts
        if isinstance(value, str):
            # A label that is a word of the example sentences, too, is a label here.
            return self.labels.get(value) or self.text(value) if is_text else value
        if isinstance(value, list):
            return [self._data(each, texts, place) for each in value]
        if isinstance(value, dict):
            return {
                key: self._data(each, texts, place if is_text else f"{place}.{key}".lstrip("."))
                for key, each in value.items()
            }
        return value

    def _sentence(self, html: str) -> str:
        if not WORD.search(html):
            return html
        plain = unescape(html.replace("<code>", "`").replace("</code>", "`"))
        told = self.text(plain)
        if told == plain:
            return html
        quoted = "&quot;" in html or "&#x27;" in html
        return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(told, quote=quoted))

    def _way(self, text: str) -> Way:
        """Return the best way to tell a text."""
        if text not in self.told:
            self.told[text] = self._best(text)
        return self.told[text]

    def _best(self, text: str) -> Way:
        core = text.strip()
        if not WORD.search(text):
            return Way(text, 0)
        if core != text:
            way = self._way(core)
            return way._replace(told=text.replace(core, way.told, 1))
        if text in self.exact:
            return Way(self.exact[text], 0)
        if LINES.search(text):
            return self._parts(text, LINES)
        splits = (self._parts(text, between) for between in (STOP, CELLS, SENTENCES, CLAUSES))
        # The one that leaves the least in English; of equals the first: what says most itself.
        return min([*self._filled(text), *splits], key=lambda way: way[1:])

    def _parts(self, text: str, between: re.Pattern[str]) -> Way:
        """Return a text told part by part."""
        parts, marks = between.split(text), between.findall(text)
        if len(parts) == 1:
            return Way(text, letters(text))
        ways = [self._way(part) for part in parts]
        told = "".join(way.told + mark for way, mark in zip(ways, [*marks, ""], strict=True))
        return Way(told, sum(way.left for way in ways))

    def _filled(self, text: str) -> Iterator[Way]:
        """Yield the translations of messages with places that the text fills."""
        for template in self.templates:
            if found := template.pattern.fullmatch(text):
                ways = [self._way(value) for value in found.groups()]
                told, left = [way.told for way in ways], sum(way.left for way in ways)
                # A short message that finds nothing it knows in its places may be another text.
                if template.letters >= SURE or not left or told != list(found.groups()):
                    yield Way(template.filled(told), left, template.opens_with_place)


def letters(text: str) -> int:
    """Return how many letters of words a text has."""
    return sum(map(len, WORD.findall(text)))
