"""Words of a drawing as SVG: symbols between dollar signs are set as in a formula."""

import re
from collections.abc import Iterator, Sequence
from html import escape

# A symbol's pieces: a subscript or superscript, letters (in italics, with a tilde or without), or
# anything else.
PIECES = re.compile(
    r"(?P<level>[_^])(?:\{(?P<group>[^}]*)\}|(?P<one>.))|(?P<letters>[^\W\d_]+\u0303?)|."
)
SHIFT = 0.28  # of a subscript or superscript, in sizes
NARROW, WIDE = set("iljtfr.,:;'|!()[] "), set("mwMWQ@%")


def spans(words: str, size: float) -> str:
    """Return words as the content of an SVG text of `size`: ``"scores $QK^T$"``."""
    made: list[str] = []
    height = 0.0  # above or below the line on which the words stand
    for number, part in enumerate(words.split("$")):
        if not part:
            continue
        for text, kind, level in _pieces(part) if number % 2 else [(part, "", 0.0)]:
            named = f' class="{kind}"' if kind else ""
            moved = f' dy="{(level - height) * size:.1f}"' if level != height else ""
            shown = escape(text)
            made.append(f"<tspan{named}{moved}>{shown}</tspan>" if named or moved else shown)
            height = level
    return "".join(made)


def numbered(symbol: str, count: int) -> list[str]:
    """Return a symbol with the numbers from 1 as its subscript."""
    return [f"${symbol}_{number}$" for number in range(1, count + 1)]


def width(words: str, size: float) -> float:
    """Return about how wide the words are, in the units of `size`.

    Letters of a sans-serif font are counted as narrow, usual or wide, Hangul as a full square; no
    font is asked.
    """
    shown = re.sub(r"[$^_{}]", "", words)
    return size * sum(map(_wide, shown))


def _wide(letter: str) -> float:
    if letter in NARROW:
        return 0.3
    return 0.95 if "가" <= letter <= "힣" else 0.85 if letter in WIDE else 0.56


def middles(words: Sequence[str], left: float, gap: float, size: float) -> list[float]:
    """Return where the middles of words stand that follow each other in a line."""
    places, x = [], left
    for word in words:
        places.append(x + width(word, size) / 2)
        x += width(word, size) + gap
    return places


def _pieces(symbol: str) -> Iterator[tuple[str, str, float]]:
    """Yield a symbol's pieces, each with its class and how far it is lowered, in sizes."""
    for piece in PIECES.finditer(symbol):
        if piece["level"]:
            text = piece["group"] or piece["one"] or ""
            yield text, "small", SHIFT if piece["level"] == "_" else -SHIFT
        else:
            yield piece[0], "symbol" if piece["letters"] else "", 0.0
