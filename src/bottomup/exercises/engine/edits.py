"""What a learner writes in place of the right thing: an edit of an answer's source.

In the text of an exercise a line such as

    - `dim=-1` → `dim=0` or `dim=1`, and `torch.where(…)` → itself or `weights`

is a family: every combination of options gives one answer, but for the one in which all places
stay as they are. Read aloud it says what the mistake is. ``nothing`` takes the place out,
``itself`` leaves it, ``each`` before a place means all its occurrences, and ``in with-loops: `` in
front edits another right answer than the solution. ``…`` stands for anything up to the matching
bracket, or to the end of the line; in an option it repeats what it matched in the place. ``⏎`` is a
new line with the indentation of its place.

All places are looked for in the source as it stands, so that their order does not matter. It is an
error if a place does not occur exactly once (with ``each``: at least twice), if places overlap, or
if the program stays the same, so that an edit cannot drift when a solution is tidied. A place
neither starts nor ends inside a word.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product

HOLE, NEWLINE = "…", "⏎"
KEPT, DELETED = "itself", "nothing"
OPTION = rf"(?:`[^`]+`|{KEPT}|{DELETED})"
CHANGE = re.compile(rf"(each )?`([^`]+)` → ({OPTION}(?: or {OPTION})*)")
FAMILY = re.compile(rf"(?:in ([a-z0-9-]+): )?({CHANGE.pattern}(?:,(?: and)? {CHANGE.pattern})*)")
BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
NOTATION = "places such as '`dim=-1` → `dim=0` or nothing, and `x` → itself or `-x`'"


@dataclass(frozen=True)
class Change:
    """A place in a source, and what stands there instead; every occurrence of it, or the one."""

    place: str
    new: str
    each: bool = False

    def __str__(self) -> str:
        place, new = (text.replace(NEWLINE, "\n") for text in (self.place, self.new))
        return f"{place!r} -> {new!r}"


Edit = tuple[Change, ...]


@dataclass(frozen=True)
class Family:
    """Edits that stand in one line of a text.

    Args:
        base: name of the right answer that is edited; empty: the solution.
        edits: one for each choice of options.
    """

    base: str
    edits: tuple[Edit, ...]


def read_family(line: str) -> Family:
    """Read a line of edits.

    Raises:
        ValueError: it is written otherwise; it says how.
    """
    found = FAMILY.fullmatch(line)
    if not found:
        raise ValueError(f"expected {NOTATION}, got {line!r}")
    changes = [
        [_chosen(place, option, bool(each)) for option in re.findall(OPTION, options)]
        for each, place, options in CHANGE.findall(found[2])
    ]
    edits = [tuple(filter(None, chosen)) for chosen in product(*changes)]
    return Family(found[1] or "", tuple(edit for edit in edits if edit))


def _chosen(place: str, option: str, each: bool) -> Change | None:
    if option == KEPT:
        return None
    return Change(place, "" if option == DELETED else option.strip("`"), each)


def edited(source: str, edit: Edit) -> str:
    """Return a source with an edit made.

    Raises:
        ValueError: a place is not there, is there more than once, or overlaps another one; the
            result is no Python; or it is the same program.
    """
    replaced = sorted(
        (found for change in edit for found in _replacements(source, change)), reverse=True
    )
    for (start, _end, _new), (_start, end, _other) in pairwise(replaced):
        if end > start:
            raise ValueError(f"expected places apart from each other, got {told(edit)}")
    result = source
    for start, end, new in replaced:
        result = result[:start] + new + result[end:]
    try:
        same = ast.dump(ast.parse(result)) == _program(source)
    except SyntaxError as error:
        raise ValueError(
            f"expected Python after {told(edit)}, got {error.msg}:\n{result}"
        ) from None
    if same:
        raise ValueError(f"expected another program after {told(edit)}, got the same")
    return result


def told(edit: Edit) -> str:
    """Return an edit as text for an error."""
    return " and ".join(map(str, edit))


def _replacements(source: str, change: Change) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and new text of each occurrence of a place."""
    begins = re.finditer(f"(?={_pattern(change.place.split(HOLE)[0])})", source)
    matches = [_match(source, change.place, begin.start()) for begin in begins]
    found = [match for match in matches if match]
    if not (len(found) > 1 if change.each else len(found) == 1):
        often = "several times" if change.each else "once"
        raise ValueError(f"expected {change.place!r} {often}, got it {len(found)} times:\n{source}")
    for start, end, holes in found:
        first = end - len(source[start:end].lstrip())
        line = source[source.rfind("\n", 0, first) + 1 :]
        indent = line[: len(line) - len(line.lstrip())]
        leaves = change.place.endswith(NEWLINE) and not source[:end].endswith("\n" + indent)
        if leaves and end < len(source):
            said = f"expected the line after {change.place!r} in the same block"
            raise ValueError(f"{said}:\n{source}")
        kept, parts = iter(holes), change.new.replace(NEWLINE, "\n" + indent).split(HOLE)
        if len(parts) > len(holes) + 1:
            raise ValueError(f"expected at most {len(holes)} {HOLE}, got {change.new!r}")
        yield start, end, parts[0] + "".join(next(kept) + part for part in parts[1:])


def _match(source: str, place: str, start: int) -> tuple[int, int, list[str]] | None:
    """Return start and end of a place that begins at `start`, and what its holes hold."""
    first, *chunks = place.split(HOLE)
    end, holes = _after(source, first, start), list[str]()
    for chunk in chunks:
        stop = None if end is None else _end_of_hole(source, end, chunk)
        if stop is None:
            return None
        holes.append(source[end:stop])
        end = _after(source, chunk, stop)
    if end is None or _inside_a_word(source, start):
        return None
    return None if _inside_a_word(source, end) else (start, end, holes)


def _end_of_hole(source: str, start: int, chunk: str) -> int | None:
    """Return where a hole ends: at the text that follows it, or else at the end of its line."""
    depth = 0
    for index in range(start, len(source)):
        if depth == 0 and _after(source, chunk or "\n", index) is not None:
            return index
        depth += BRACKETS.get(source[index], 0)
        if depth < 0 or (depth == 0 and source[index] == "\n"):
            return None
    return None if chunk or depth else len(source)


def _after(source: str, text: str, start: int) -> int | None:
    """Return where a text ends that stands at `start`; a new line takes its indentation with it."""
    found = re.compile(_pattern(text)).match(source, start)
    return found.end() if found else None


@cache
def _pattern(text: str) -> str:
    return r"\n *".join(map(re.escape, text.split(NEWLINE)))


@cache
def _program(source: str) -> str:
    return ast.dump(ast.parse(source))


def _inside_a_word(source: str, at: int) -> bool:
    """Say whether a word goes on here: `norm` is no place in `layer_norm`, nor 1 in 10."""
    return bool(re.fullmatch(r"\w\w", source[max(at - 1, 0) : at + 1]))
