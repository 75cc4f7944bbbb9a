"""The stretches of a Markdown text that are translated: one a block, found with the book's parser.

A block is a paragraph, a heading, a table's cell, an item of a list, a fold's ``<summary>``, or a
definition of the glossary, whose names are Korean and English in every edition. What a directive of
`READ_INSIDE` holds is read in the same way. Everything else, code above all, stays. A text in which
no block is replaced is the text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

import yaml
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

from tools.notebooks.paths import ROOT

READ_INSIDE = re.compile(r"\{(note|tip|warning|admonition|div|table|benchmark-reason)\}")
SUMMARY = re.compile(r"<summary>(.*?)</summary>", re.DOTALL)
DEFINITION = re.compile(r"^ +(\S.*)$", re.MULTILINE)  # of the glossary, below its names
OPTION = re.compile(r":[\w-]+:")  # of a directive: ``:class: chapters``
# Between two lines of a paragraph in a list or a quotation.
BREAK = r"[ \t]*\n[ \t>]*"
_MARKED = r"(?:\$[^$]+\$|`[^`]+`)"
# The same in every language: numbers, formulae, names of code, alone or with commas.
SAME = re.compile(rf"[\d\s.,()±–-]*|{_MARKED}(, {_MARKED})*|\[`[^`]+`\]\([^)]*\)")


@dataclass(frozen=True)
class Block:
    """A stretch of a text, from `start` to `end`, and the message that stands for it.

    The message is the stretch; lines that are indented or quoted are joined.
    """

    start: int
    end: int
    message: str


@cache
def parser() -> MarkdownIt:
    """Return the parser with the syntax that ``_config.yml`` turns on."""
    settings = yaml.safe_load(ROOT.joinpath("_config.yml").read_text("utf-8"))["parse"]
    extensions = set(settings["myst_enable_extensions"])
    return create_md_parser(MdParserConfig(enable_extensions=extensions), RendererHTML)


def blocks(text: str) -> list[Block]:
    """Return the blocks of a text, in the order in which they stand.

    Raises:
        ValueError: a block is not found where the parser says that it is.
    """
    return [block for block in _all_blocks(text) if not SAME.fullmatch(block.message)]


def replaced(text: str, translations: dict[str, str]) -> str:
    """Return a text with each block replaced whose message has a translation."""
    parts, last = [], 0
    for block in blocks(text):
        if new := translations.get(block.message):
            parts += [text[last : block.start], new]
            last = block.end
    return "".join(parts) + text[last:]


def _all_blocks(text: str) -> Iterator[Block]:
    starts = [0, *accumulate(map(len, text.splitlines(keepends=True)))]
    cursor, row = 0, (0, 0)
    for token in parser().parse(text, {}):
        if token.type == "tr_open":
            row = _lines(token)
        elif token.type == "inline" and token.content:
            first, last = _lines(token, row)
            block = _find(text, token.content, max(cursor, starts[first]), starts[last])
            cursor = block.end
            yield block
        elif token.type == "html_block":
            first, last = _lines(token)
            for found in SUMMARY.finditer(text, starts[first], starts[last]):
                yield Block(found.start(1), found.end(1), found[1])
        elif token.type in ("fence", "colon_fence"):
            body = starts[_lines(token)[0] + 1]
            for block in _inside(token):
                yield Block(body + block.start, body + block.end, block.message)


def _lines(token: Token, otherwise: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    first, last = token.map or otherwise
    return first, max(last, first + 1)  # the term of a definition has no line, by the parser


def _find(text: str, content: str, start: int, end: int) -> Block:
    lines = content.split("\n")
    # In a table's cell the source has a stroke with a backslash before it.
    pattern = BREAK.join(re.escape(line).replace(r"\|", r"\\?\|") for line in lines)
    found = re.compile(pattern).search(text, start, end)
    if found is None:
        raise ValueError(f"text: expected the block {content!r} in {text[start:end]!r}")
    whole = found[0]
    message = whole if whole.replace("\\|", "|") == content else " ".join(map(str.strip, lines))
    return Block(found.start(), found.end(), message)


def _inside(token: Token) -> Iterator[Block]:
    name = token.info.strip()
    if name.startswith("{glossary}"):
        for found in DEFINITION.finditer(token.content):
            yield Block(found.start(1), found.end(1), found[1])
    elif READ_INSIDE.match(name):
        yield from (b for b in _all_blocks(token.content) if not OPTION.match(b.message))
