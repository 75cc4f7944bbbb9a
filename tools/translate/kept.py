"""What a translated message must keep of the English one, and how Korean joins particles."""

import re
from calendar import month_name
from collections import Counter
from collections.abc import Iterator

from markdown_it.token import Token

from bottomup.particles import AFTER_CONSONANT, SOUND
from tools.translate.blocks import parser

# Of Markdown: what these hold must be the same, in any order.
KEPT = {"math_inline", "math_inline_double", "code_inline", "html_inline", "myst_role"}
COUNTED = {"strong_open", "em_open"}
# A name, ``bins[0]``, or ``mean[additive.{longest}]``, of which a claim's text is filled.
NAME = r"(?:[\w.]|\[(?:[^\[\]{}]|\{\w+\})*\])*"
PLACE = re.compile(rf"(?<!\{{)\{{{NAME}(?:![rsa])?(?::[^{{}}]*)?\}}(?!\}})")
CODE = re.compile(r"`[^`]+`")
FORMULA = re.compile(r"\$[^$]+\$")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
NO_PROSE = re.compile(r"<!--.*?-->|`[^`]*`|\$[^$]*\$|\]\([^)]*\)|\{[^}]*\}", re.DOTALL)
EXERCISE = re.compile(r"\w+ (\w+\.\d+): ")
# A paper stays as it is: its authors' initials, before or behind the first one's name.
REFERENCE = re.compile(r"(?:[A-Z]\.[ -])+\w|[\w-]+, [A-Z]\.")
MARKUP = re.compile(r"<code>.*?</code>|<!--.*?-->|`[^`]*`|\$[^$]*\$|\{[^}]*\}", re.DOTALL)
HANGUL = re.compile("[가-힣]")
WORD = re.compile(r"[A-Za-z]{2,}")

PARTICLE = re.compile(
    r"(?:(?<!\^)(?P<digit>\d)|(?<![\w\\])\$(?P<letter>[A-Za-z])\$)(?P<particle>[은는이가을를과와]|으?로)(?![가-힣])"
)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def faults(english: str, korean: str) -> Iterator[str]:
    """Yield what is wrong with the translation of a block of Markdown."""
    yield from _different("kept", _bag(english), _bag(korean))
    yield from _shape(english, korean)
    if "*" in _text(korean) and "*" not in _text(english):
        yield "a star is printed: emphasis does not close before a particle"
    yield from _common(english, korean)


def faults_of_string(english: str, korean: str) -> Iterator[str]:
    """Yield what is wrong with the translation of a string of the package."""
    for name, pattern in (("place", PLACE), ("code", CODE), ("formula", FORMULA)):
        counts = Counter(pattern.findall(english)), Counter(pattern.findall(korean))
        yield from _different(name, *counts)
    unnamed = [place for place in PLACE.findall(english) if not re.match(r"\{\w", place)]
    if unnamed != [place for place in PLACE.findall(korean) if not re.match(r"\{\w", place)]:
        yield "places without a name are in another order"
    yield from _common(english, korean)


def _common(english: str, korean: str) -> Iterator[str]:
    yield from _numbers(english, korean)
    yield from particles(korean)
    is_prose = len(WORD.findall(MARKUP.sub("", english))) > 4 and not REFERENCE.match(english)
    if is_prose and not HANGUL.search(korean):
        yield "not translated"


def particles(korean: str) -> Iterator[str]:
    """Yield each particle behind a digit or a letter that its sound does not take."""
    for found in PARTICLE.finditer(COMMENT.sub("", korean)):
        closed, is_liquid = SOUND[(found["digit"] or found["letter"]).lower()]
        particle = found["particle"]
        if particle in AFTER_CONSONANT:
            right = AFTER_CONSONANT[particle] == closed
        else:
            right = (particle == "으로") == (closed and not is_liquid)
        if not right:
            yield f"particle: {found[0]!r}"


def _different(name: str, english: Counter[str], korean: Counter[str]) -> Iterator[str]:
    for each in sorted((english - korean) + (korean - english)):
        yield f"{name}: {each!r}: {english[each]} in English, {korean[each]} here"


def _shape(english: str, korean: str) -> Iterator[str]:
    if _kinds(english) != _kinds(korean):
        yield f"another kind of block: {_kinds(korean)}, not {_kinds(english)}"
    if korean.count("\n") != english.count("\n"):
        yield "another number of lines"
    if NO_PROSE.sub("", korean).count("|") != NO_PROSE.sub("", english).count("|"):
        yield "a stroke would begin another cell"
    own, its = EXERCISE.match(english), EXERCISE.match(korean)
    if english.startswith("Exercise ") and own and (its is None or its[1] != own[1]):
        yield f"heading: expected a word, {own[1]!r} and a colon"


def _kinds(text: str) -> list[str]:
    return [token.type for token in parser().parse(text, {}) if token.level == 0]


def _leaves(text: str) -> Iterator[Token]:
    for block in parser().parseInline(text, {}):
        waiting = list(block.children or [])
        while waiting:
            token = waiting.pop(0)
            yield token
            waiting[:0] = token.children or []


def _bag(text: str) -> Counter[str]:
    found: Counter[str] = Counter()
    for token in _leaves(text):
        if token.type in KEPT:
            found[f"{token.type} {_role(token)}"] += 1
        elif token.type in COUNTED:
            found[token.type.removesuffix("_open")] += 1
        elif token.type in ("link_open", "image"):
            found[f"link {token.attrGet('href') or token.attrGet('src')}"] += 1
    return found


def _role(token: Token) -> str:
    """Return what must be kept: of a role with a text of its own, ``text <target>``, the target."""
    if token.type != "myst_role":
        return token.content
    target = re.search(r"<([^<>]+)>$", token.content)
    return f"{token.meta['name']} {target[1] if target else token.content}"


def _text(text: str) -> str:
    return "".join(token.content for token in _leaves(text) if token.type == "text")


def _numbers(english: str, korean: str) -> Iterator[str]:
    """Yield numbers that are lost, and those that the English neither writes nor spells."""
    own, its = _counted(english), _counted(korean)
    for number in sorted(own - its):
        if len(number) > 1 and not re.search(rf"{re.escape(number)} {MILLIONS}", english):
            yield f"number {number} is lost"
    known = {_value(number) for number in NUMBER.findall(english)} | {*_spelled(english), 1}
    for found in NUMBER.finditer(NO_PROSE.sub(" ", korean)):
        behind = found.string[found.end() :][:1]
        if _value(found[0]) not in known and behind not in tuple(MYRIADS):
            yield f"number {found[0]} is not in English"


def _counted(text: str) -> Counter[str]:
    return Counter(NUMBER.findall(NO_PROSE.sub(" ", text)))


def _value(number: str) -> float | str:
    plain = number.replace(",", "")
    return float(plain) if plain.count(".") < 2 else plain


MILLIONS = "(?:thousand|million|billion)"
MYRIADS = "만억천백"  # 3.4 million is 340만
UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
OTHERWISE = {
    "no": 0, "none": 0, "nothing": 0, "nobody": 0, "both": 2, "twice": 2, "second": 2, "pair": 2,
    "double": 2, "third": 3, "quarter": 4, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12,
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
    "ninety": 90, "hundred": 100, "thousand": 1000,
}  # fmt: skip
PARTS = {
    "half": 2, "halve": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8,
    "ninth": 9, "tenth": 10, "twentieth": 20, "fiftieth": 50, "hundredth": 100, "thousandth": 1000,
}  # fmt: skip
OF_MANY = re.compile(r"\b(?:in|of) (?:five|ten|twenty|fifty)\b")  # one sentence in twenty
MONTHS = {name.lower(): number for number, name in enumerate(month_name) if name}  # 11월
ENDINGS = "ths", "th", "es", "s"


def _spelled(english: str) -> set[float]:
    """Return the numbers that a text says in words: nine tenths are also 0.9 and 90 %."""
    words = set(re.findall(r"[a-z]+", english.lower()))
    words |= {word.removesuffix(ending) for word in words for ending in ENDINGS}
    found = {float(number) for number, name in enumerate(UNITS) if name in words}
    found |= {float(number) for name, number in (OTHERWISE | MONTHS).items() if name in words}
    named = {float(part) for word, part in PARTS.items() if word in words}
    named |= {part for part in found if part > 1 and OF_MANY.search(english.lower())}
    counts = {1.0, *found} | ({0.5} if "half" in words else set())
    shares = {round(scale * n / part, 9) for part in named for n in counts for scale in (1, 100)}
    more = {1.5, 2.0, 30.0} if words & {"half", "halve"} else set()  # half as long again, a minute
    return found | shares | more
