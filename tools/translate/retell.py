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
from tools.translate.kept import NAME

PLACE = re.compile(rf"\{{({NAME})(?:![rsa])?(?::([^{{}}]*))?\}}")
# Between the parts of a text: the number of a claim stands apart from its sentence.
LINES = re.compile(r"\n+")
CELLS = re.compile(r" *\| *")
PIECES = re.compile(r"(?<=\d) +(?=[A-Z])|(?<=[a-z]) (?=\()|(?<=\d[a-z]) (?=[A-Z])")
SENTENCES = re.compile(r"(?<=[.?!]) +|: ")
CLAUSES = re.compile(r", ")
STOP = re.compile(r"\.$")
LABELS = {"got", "expected"}  # above a value in a report, where else an argument's name is
SURE = 12  # letters of a message that it shares with no other text
# What stands in a place: anything, or a number where the format ends in one of `NUMERIC`.
ANYTHING, NUMERIC = "(.+?)", tuple("deEfFgGn%,")
NUMBER = r"([-+−]?(?:\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?|inf|nan)%?)"
NUMERAL = re.compile(NUMBER)
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
# Words in a row, as in a sentence; names of code and of people come one or two at a time.
PROSE = re.compile(r"(?:[A-Za-z]{2,}[ ,]+){2}[A-Za-z]{2,}")
CODE = re.compile(r"`[^`]*`")


class Way(NamedTuple):
    """One way to tell a text, and why another is better: the least comes first."""

    told: str
    left: int = 0  # letters in English
    prose: bool = False  # whether they are more than names
    messages: int = 0  # of which it is made
    opens_with_place: bool = False  # which would take in what stands before


@dataclass(frozen=True)
class Template:
    """A message with places, as a pattern, its translation, and the names of the places."""

    pattern: re.Pattern[str]
    translation: str
    names: tuple[str, ...]
    letters: int  # of the message itself
    longest: str  # stretch of it: what a text lacks that does not fill it
    marked: tuple[bool, ...]  # places between quotation marks, or before a colon

    @classmethod
    def of(cls, message: str, translation: str) -> "Template":
        """Return the template of a message."""
        pieces = PLACE.split(message)
        words, names, formats = [_plain(piece) for piece in pieces[::3]], pieces[1::3], pieces[2::3]
        pattern = re.escape(words[0])
        for number, (name, form) in enumerate(zip(names, formats, strict=True)):
            before = names.index(name)
            again = name and before < number  # the same value stands there
            pattern += rf"(\{before + 1})" if again else _place(form)
            pattern += re.escape(words[number + 1])
        letters = sum(map(str.isalpha, "".join(words)))
        longest, marked = max(words, key=len), tuple(map(_is_marked, words, words[1:]))
        return cls(re.compile(pattern), translation, tuple(names), letters, longest, marked)

    def values(self, text: str) -> tuple[str, ...] | None:
        """Return what stands in the places of a text that fills the message."""
        found = self.pattern.fullmatch(text) if self.longest in text else None
        return found and found.groups()

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


def _place(form: str | None) -> str:
    return NUMBER if form and form.endswith(NUMERIC) else ANYTHING


def _is_marked(before: str, behind: str) -> bool:
    return behind.startswith(":") or (before.endswith(("“", '"')) and behind.startswith(("”", '"')))


def _plain(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")


class Teller:
    """Says English texts of the package in another language.

    Args:
        translations: message -> translation.
    """

    def __init__(self, translations: Mapping[str, str]) -> None:
        self.labels = translations
        self.kept = example_words()
        self.exact = {m: t for m, t in translations.items() if m not in self.kept}
        self.told: dict[str, Way] = {}

    @cached_property
    def templates(self) -> list[Template]:
        """Messages with places, those that say most first: more letters, fewer places."""
        made = [Template.of(m, t) for m, t in self.exact.items() if PLACE.search(m)]
        return sorted(
            (each for each in made if each.letters), key=lambda t: (-t.letters, len({*t.names}))
        )

    @cached_property
    def links(self) -> dict[str, str]:
        """Messages that stand between two others, with a space at both ends."""
        return {m: t for m, t in self.exact.items() if m[0] == m[-1] == " " and not PLACE.search(m)}

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
            return Way(text)
        if core != text:
            way = self._way(core)
            return way._replace(told=text.replace(core, way.told, 1))
        if text in self.exact:
            return Way(self.exact[text], messages=1)
        if LINES.search(text):
            return self._apart(text, LINES)
        ways = [self._english(text), *self._filled(text), *self._linked(text)]
        ways += [self._apart(text, CELLS)]
        ways += [self._grouped(text, between) for between in (PIECES, SENTENCES)]
        # Within a sentence all is told, but for names: half of one is worse than none.
        inside = (self._grouped(text, CLAUSES), self._apart(text, STOP))
        ways += [way for way in inside if not way.prose]
        # The one that leaves the least in English; of equals the first: what says most itself.
        return min(ways, key=lambda way: way[1:])

    def _english(self, text: str) -> Way:
        """Return a text as it is."""
        if NUMERAL.fullmatch(text):
            return Way(text)
        is_example = self.kept.issuperset(WORD.findall(text))
        is_prose = not is_example and PROSE.search(CODE.sub("`", text)) is not None
        return Way(text, letters(text), is_prose)

    def _apart(self, text: str, between: re.Pattern[str]) -> Way:
        """Return a text told part by part."""
        parts, marks = between.split(text), [*between.findall(text), ""]
        if len(parts) == 1:
            return self._english(text)
        ways = [self._way(part) for part in parts]
        return _whole("".join(way.told + mark for way, mark in zip(ways, marks, strict=True)), ways)

    def _grouped(self, text: str, between: re.Pattern[str]) -> Way:
        """Return a text told by messages that each say one part of it, or several in a row."""
        marks = list(between.finditer(text))
        if not marks:
            return self._english(text)
        starts = [0, *(mark.end() for mark in marks)]
        ends = [*(mark.start() for mark in marks), len(text)]
        best = [Way("")]  # the best way to tell the first 0, 1, 2, … parts
        for last, end in enumerate(ends):
            ways = []
            for first in range(1 if end == len(text) else 0, last + 1):  # the whole text is no part
                before, group = best[first], text[starts[first] : end]
                mark = text[ends[first - 1] : starts[first]] if first else ""
                ways += [
                    _whole(before.told + mark + way.told, (before, way))
                    for way in ([self._way(group)] if first == last else self._by_message(group))
                ]
            best.append(min(ways, key=lambda way: way[1:]))
        return best[-1]

    def _linked(self, text: str) -> Iterator[Way]:
        """Yield what is told part by part between messages that link parts."""
        for link, translation in self.links.items():
            parts = text.split(link)
            ways = [self._way(part) for part in parts] if len(parts) > 1 else []
            if ways and not any(way.left for way in ways):
                yield _whole(translation.join(way.told for way in ways), ways, messages=1)

    def _by_message(self, text: str) -> list[Way]:
        """Return the ways to tell a text by one message."""
        return [Way(self.exact[text], messages=1)] if text in self.exact else [*self._filled(text)]

    def _filled(self, text: str) -> Iterator[Way]:
        """Yield the translations of messages with places that the text fills.

        The words of a long message prove that it is meant. A short one, such as "{a} and {b}", is
        found in many sentences: it is meant where all that stands in its places is known, but for
        a name between marks.
        """
        for template in self.templates:
            values = template.values(text)
            if values is None:
                continue
            ways = [self._way(value) for value in values]
            if template.letters >= SURE or all(map(_is_known, ways, values, template.marked)):
                told = template.filled([way.told for way in ways])
                yield _whole(told, ways, messages=1, opens_with_place=template.opens_with_place)


def _is_known(way: Way, value: str, is_marked: bool) -> bool:
    is_name = is_marked and not way.prose and way.told == value
    return not way.left or is_name


def _whole(
    told: str, ways: Collection[Way], *, messages: int = 0, opens_with_place: bool = False
) -> Way:
    """Return what is told of parts, which leave in English what each of them leaves."""
    return Way(
        told,
        sum(way.left for way in ways),
        any(way.prose for way in ways),
        messages + sum(way.messages for way in ways),
        opens_with_place,
    )


def letters(text: str) -> int:
    """Return how many letters of words a text has."""
    return sum(map(len, WORD.findall(text)))
