"""An interactive figure: data, a script, and a picture for viewers without script."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from bottomup.explorables.shared import bundle

DIGITS = 4  # of each number; more cannot be seen and would make the page heavier

# Where a script stands in HTML these end it or change how it is read; in JavaScript the last two
# used to end a line. In JSON they only occur inside strings, where an escape means the same.
_ESCAPES = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}

# A module cannot ask where it stands, and the same figure may stand twice on a page.
_PAGE = """\
<style>
{colors}</style>
<div class="bottomup-explorable" data-explorable="{id}" role="group" aria-label="{label}"
  data-lm-suppress-shortcuts="true">
{fallback}
</div>
<script type="module">
{script}
const {{ mount }} = modules["{entry}"];
const payload = {payload};
const style = {style};
for (const element of document.querySelectorAll('[data-explorable="{id}"]:not([data-mounted])')) {{
  element.dataset.mounted = "";
  mount(element, payload, style);
}}
</script>
"""


@dataclass(frozen=True, repr=False)
class Explorable:
    """An interactive figure. End a cell with it to show it.

    The HTML is self-contained and the same for the same data. It holds `fallback`, which the
    script replaces by the figure. While a key is pressed in the figure, JupyterLab's shortcuts
    keep still.

    Args:
        payload: what to draw: mappings with string keys, sequences, strings, numbers, booleans and
            None. Numbers are rounded to four digits. ``payload["labels"]["title"]`` is the figure's
            name for readers who hear the page.
        fallback: HTML for viewers that run no script.
        name: the folder of its script and style, which have the same name. The script is an ES
            module that exports ``mount(element, payload, style)``. The id begins with the name.
    """

    payload: Mapping[str, Any]
    fallback: str
    name: str

    @property
    def id(self) -> str:
        """The figure's name and eight hexadecimal digits of the SHA-256 of the data."""
        digest = hashlib.sha256(self.data.encode()).hexdigest()
        return f"{self.name.replace('_', '-')}-{digest[:8]}"

    @property
    def data(self) -> str:
        """The payload as JSON that may stand inside a script of a page."""
        return _script_json(_rounded("payload", self.payload))

    def __repr__(self) -> str:
        return f"<{self.id}: an interactive figure, shown in a notebook and on the page>"

    def _repr_html_(self) -> str:
        return _PAGE.format(
            id=self.id,
            label=escape(self.payload["labels"]["title"]),
            fallback=self.fallback,
            colors=bundle.short_style(bundle.read("shared/page.css")),
            script=bundle.script(self.name),
            entry=bundle.entry(self.name),
            payload=self.data,
            style=_script_json(bundle.style(self.name)),
        )


def _script_json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return "".join(_ESCAPES.get(character, character) for character in text)


def _rounded(name: str, value: Any) -> Any:
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{name}: expected finite numbers, got {value}")
        short = round(value, DIGITS)
        return int(short) if short.is_integer() else short
    if isinstance(value, Mapping):
        return {str(key): _rounded(f"{name}[{key!r}]", item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_rounded(f"{name}[{index}]", item) for index, item in enumerate(value)]
    raise TypeError(f"{name}: expected what JSON can express, got {type(value).__name__}")
