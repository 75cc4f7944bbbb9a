"""A sentence pair laid out for reading: source, then each target token with sound and gloss."""

from dataclasses import dataclass
from html import escape

from bottomup.data.minilang.corpus import SentencePair
from bottomup.data.minilang.detokenize import detokenize
from bottomup.data.minilang.glosses import word_class
from bottomup.data.minilang.romanise import romanise

# Okabe and Ito's colours, as underlines: the words keep the page's own colour, light or dark.
_COLORS = {
    "noun": "#0072B2", "pronoun": "#56B4E9", "verb": "#D55E00", "adjective": "#009E73",
    "adverb": "#CC79A7", "time": "#E69F00", "number": "#F0E442",
}  # fmt: skip
_STACK = "display: inline-block; margin: 0 0.7em 0.5em 0; vertical-align: top; line-height: 1.4"


@dataclass(frozen=True, repr=False)
class Interlinear:
    """A pair for display: HTML in a notebook, three aligned lines in a terminal."""

    pair: SentencePair

    def __repr__(self) -> str:
        columns = [
            (romanise(t), g) for t, g in zip(self.pair.target, self.pair.glosses, strict=True)
        ]
        widths = [max(map(len, column)) for column in columns]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in zip(*columns, strict=True)
        ]
        return "\n".join([" ".join(self.pair.source), *lines])

    def _repr_html_(self) -> str:
        source = "".join(_stack(word, [(word, "en")]) for word in self.pair.source)
        target = "".join(
            _stack(token, [(token, "ko"), (romanise(token), "ko-Latn"), (meaning, "en")])
            for token, meaning in zip(self.pair.target, self.pair.glosses, strict=True)
        )
        written = detokenize(self.pair.target)
        whole = f'<span lang="ko">{escape(written)}</span> ({escape(romanise(written))})'
        return (
            '<div class="bottomup-interlinear" style="color: inherit; background: transparent">'
            f"<div>{source}</div><div>{target}</div><div>{whole}</div></div>"
        )


def interlinear(pair: SentencePair) -> Interlinear:
    """Lay out a sentence pair: under each target token its romanisation and its gloss.

    Words are underlined in the colour of their class, the same on both sides; function words,
    particles and endings are not. The last line is the sentence as it is written and read.
    """
    return Interlinear(pair)


def _stack(token: str, lines: list[tuple[str, str]]) -> str:
    color = _COLORS.get(word_class(token), "transparent")
    first, *rest = (f'<span lang="{language}">{escape(text)}</span>' for text, language in lines)
    head = f'<span style="border-bottom: 3px solid {color}">{first}</span>'
    return f'<span style="{_STACK}">{"<br>".join([head, *rest])}</span>'
