"""What of a chapter's outputs the package said: by which messages, and what stood in their places.

A chapter runs once more in a language of marks, in which every message stands between them, with
what fills its places. So a sentence is told in another language from the message and its places,
and no finished English is taken apart. `FOLDER` holds what was found, a line each: a cell's id,
where in its outputs a text stands, and the text, as parts.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from html import escape, unescape
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from bottomup.explorables.shared.explorable import _script_json
from tools.notebooks import drawings, marks, sources
from tools.notebooks.marks import BEGIN, CLOSE, END, HIDDEN, OPEN, PLACE, THEN, shown
from tools.notebooks.paths import ROOT

FOLDER = ROOT / "locale" / "outputs"
# A string, a message with a text for each of its places, or several of these in a row.
Text = str | dict[str, Any] | list[Any]
Found = list[tuple[str, str, Text]]  # id of a cell, where a text stands in its outputs, its parts
Say = Callable[[str, str], str]  # where a text stands, and the text -> what stands there instead

PRINTED = "printed"  # where a line stands that a cell prints

TOKENS = re.compile(f"([{OPEN}{THEN}{BEGIN}{END}{CLOSE}])")
FIGURE = re.compile(r'(modules\["\w+/\w+\.js"\];\nconst payload = )(.+)(?=;\nconst style)')
# What no reader reads as a sentence; `<code>` stands inside one.
APART = re.compile(
    r"(<(?P<kind>script|style|pre)\b.*?</(?P=kind)>|</?(?!code>)[a-zA-Z][^>]*>)", re.DOTALL
)
SPOKEN = re.compile(r'(\b(?:aria-label|title|alt)=")([^"]+)')


def in_marks(notebook: NotebookNode) -> NotebookNode:
    """Return a notebook ready to run in the language of marks, with a first cell of its own."""
    for cell in notebook.cells:
        if drawings.TAG in cell.metadata.get("tags", ()):  # drawn again in every language
            cell.source = cell.source.rpartition("\n")[0]
    notebook.cells.insert(0, new_code_cell(first_cell()))
    return notebook


def first_cell() -> str:
    """Return what lets a kernel speak: it runs in its own folder, without `tools`."""
    source = Path(marks.__file__).read_text("utf-8") + "\n\nspeak()\n"
    return f"exec({source!r}, {{}})\n"  # the names of the chapter are not touched


def of_notebook(notebook: NotebookNode) -> str:
    """Return as JSON, a line for each text, what the outputs of such a notebook are made of."""
    lines = [
        json.dumps([cell.id, place, text], ensure_ascii=False)
        for cell in notebook.cells
        for place, text in of_cell(cell)
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def file_of(path: Path) -> Path:
    """Return where lies what was found in a notebook."""
    return FOLDER / f"{path.stem}.json"


def stored(path: Path) -> Found:
    """Return what was found in a notebook when it ran last."""
    return [
        (cell, place, text) for cell, place, text in json.loads(file_of(path).read_text("utf-8"))
    ]


def of_cell(cell: NotebookNode) -> list[tuple[str, Text]]:
    """Return where a text with a message stands in the outputs of a cell, and its parts."""
    found: dict[tuple[str, str], Text] = {}

    def keep(place: str, marked: str) -> str:
        text, english = parsed(marked), HIDDEN.sub("", marked)
        if OPEN in marked and in_english(text) == english:
            found[place, english] = text
        return marked

    for data in told_outputs(cell):
        replaced(data["text/html"], keep)
    for output in printed_outputs(cell):
        by_line(output.text, keep)
    return [(place, text) for (place, _english), text in found.items()]


def told_outputs(cell: NotebookNode) -> Iterator[NotebookNode]:
    """Yield the HTML outputs of a cell, without those that are made again in every language."""
    if not {sources.TAG, drawings.TAG} & {*cell.metadata.get("tags", ())}:
        for output in cell.get("outputs", ()):
            if "text/html" in output.get("data", {}):
                yield output.data


def printed_outputs(cell: NotebookNode) -> Iterator[NotebookNode]:
    """Yield what a cell prints."""
    for output in cell.get("outputs", ()):
        if output.output_type == "stream":
            yield output


def by_line(text: str, say: Say) -> str:
    """Return what was printed with each line as `say` says it."""
    return "\n".join(say(PRINTED, line) for line in text.split("\n"))


# ---- A text and its parts


def parsed(marked: str) -> Text:
    """Return the parts of a text with marks."""
    return _whole(_parts(iter(TOKENS.split(marked)), "", {}))


def _parts(tokens: Iterator[str], end: str, places: dict[str, Text]) -> Iterator[Text]:
    """Yield the parts up to a mark; what stands in a message's places is put into `places`."""
    for token in tokens:
        if token and token == end:
            return
        if token == OPEN:
            message, inside = _name(tokens), dict[str, Text]()
            _whole(_parts(tokens, CLOSE, inside))  # the words of the message
            yield {"message": message} | ({"places": inside} if inside else {})
        elif token == BEGIN:
            name = _name(tokens)
            places[name] = _whole(_parts(tokens, END, {}))
        elif token:
            yield token


def _whole(parts: Iterator[Text]) -> Text:
    found = [*parts]
    return found[0] if len(found) == 1 else found or ""


def _name(tokens: Iterator[str]) -> str:
    name, _then = next(tokens, ""), next(tokens, "")
    return shown(name)


def told(text: Text, tell: Callable[[str], str]) -> str:
    """Return a text in the language in which a message is told."""
    if isinstance(text, str):
        return text
    if isinstance(text, list):
        return "".join(told(part, tell) for part in text)
    places = {name: told(each, tell) for name, each in text.get("places", {}).items()}
    return filled(tell(text["message"]), places)


def messages(text: Text) -> Iterator[str]:
    """Yield the messages of which a text is made."""
    if isinstance(text, list):
        for part in text:
            yield from messages(part)
    elif isinstance(text, dict):
        yield text["message"]
        for part in text.get("places", {}).values():
            yield from messages(part)


def in_english(text: Text) -> str:
    """Return a text as it stands in a stored output."""
    return told(text, str)


def filled(message: str, places: Mapping[str, str]) -> str:
    """Return a message with texts in its places: by name, else in turn."""
    numbers = iter(range(len(message)))
    text = PLACE.sub(lambda found: places.get(found[1] or str(next(numbers)), found[0]), message)
    return text.replace("{{", "{").replace("}}", "}") if places else text


# ---- Where texts stand in HTML


def replaced(html: str, say: Say, place: str = "") -> str:
    """Return HTML with what a reader sees or hears as `say` says it."""
    parts = APART.split(html)
    for number, part in enumerate(parts):
        if number % 3 == 0:
            parts[number] = _sentence(part, say, place)
        elif number % 3 == 1:
            parts[number] = _markup(part, say, place)
        else:
            parts[number] = ""  # the kind of the element before
    return "".join(parts)


def _markup(tag: str, say: Say, place: str) -> str:
    if tag.startswith("<script"):
        return FIGURE.sub(
            lambda found: found[1] + _script_json(_data(json.loads(found[2]), say, place)), tag, 1
        )
    head, close, rest = tag.partition(">")
    spoken = SPOKEN.sub(lambda found: found[1] + escape(say(place, unescape(found[2]))), head)
    return spoken + close + rest


def _data(value: Any, say: Say, place: str) -> Any:
    """Return what stands at a place of a figure's data, ``labels.step``."""
    if isinstance(value, str):
        return replaced(value, say, place) if "</" in value else say(place, value)
    if isinstance(value, list):
        return [_data(each, say, place) for each in value]
    if isinstance(value, dict):
        return {key: _data(each, say, f"{place}.{key}".lstrip(".")) for key, each in value.items()}
    return value


def _sentence(html: str, say: Say, place: str) -> str:
    plain = unescape(html.replace("<code>", "`").replace("</code>", "`"))
    told = say(place, plain)
    if told == plain:
        return html
    quoted = "&quot;" in html or "&#x27;" in html
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(told, quote=quoted))
