"""Symbols of TeX formulae, read as far as a page of notation can be compared with them.

A symbol is a letter, Latin or Greek, or a word in upright type, with its accent and with the name
that stands below or above it: ``W_Q``, ``\\tilde h``, ``d_model``. An index is no name: ``h_j``,
``h_{t-1}`` and ``h_0`` are the same symbol, ``h_*``. Exponents are left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

CODE = re.compile(r"^(```+|~~~+).*?^\1|`[^`\n]+`", re.DOTALL | re.MULTILINE)
FORMULA = re.compile(
    r"\$\$(?P<block>.+?)\$\$"
    r"|(?<![\\$])\$(?!\s)(?P<inline>[^$\n]+?)\$(?!\d)"
    r"|\\begin\{(?P<kind>align|equation)\*?\}(?P<bare>.+?)\\end\{(?P=kind)\*?\}",
    re.DOTALL,
)
TOKEN = re.compile(r"\\[A-Za-z]+\*?\s*|\\.|[A-Za-z]{3,}|[A-Za-z]|\d[\d.]*|\S")
ACCENTS = {r"\hat", r"\tilde", r"\bar", r"\mathcal", r"\mathbf", r"\boldsymbol"}
UPRIGHT = {r"\operatorname", r"\operatorname*", r"\mathrm", r"\text"}
DROPPED = {r"\tag", r"\label", r"\begin", r"\end"}  # with the group behind them
GREEK = set(
    r"\alpha \beta \gamma \delta \epsilon \varepsilon \zeta \eta \theta \kappa \lambda \mu \nu \xi"
    r" \rho \sigma \tau \phi \varphi \chi \psi \omega \ell"
    r" \Gamma \Delta \Theta \Lambda \Phi \Psi \Omega".split()
)
NAME = re.compile(r"[A-Za-z]+\d?")  # or letters that are indices
NAMED = {"W", "U", "d"}  # maps and widths: a letter below them is a name, W_k and d_k of the keys
COUNTING = {"i", "j"}  # but for these two


@dataclass(frozen=True)
class Symbol:
    """A base with its accent, and as text what stands above and below it."""

    base: str
    above: str = ""
    below: str = ""

    def name(self, indices: set[str]) -> str:
        """Return the symbol's name, with "*" for an index: the same for ``h_j`` and ``h_{t-1}``."""
        above = "()" if self.above.startswith("(") else self.above
        above = f"^{above}" if above == "()" or re.fullmatch("[A-Za-z]", above) else ""
        below = self.below.split(",")[0]  # of W_{O,h}, the map
        below = "*" if self.counts(below, indices) else below
        return self.base + above + (f"_{below}" if self.below else "")

    def counts(self, below: str, indices: set[str]) -> bool:
        """Say whether what stands below is an index and names nothing."""
        if below.isalpha():
            return set(below) <= (COUNTING if self.base in NAMED else indices)
        return not (NAME.fullmatch(below) or below.startswith(r"\text"))


def formulae(text: str) -> list[str]:
    """Return what stands between dollars or in an environment of its own in a Markdown text."""
    found = FORMULA.finditer(CODE.sub("", text))
    return [match["block"] or match["inline"] or match["bare"] for match in found]


def symbols(formula: str) -> Iterator[Symbol]:
    """Yield the symbols of a formula, those of its indices and exponents among them."""
    yield from _Reader(TOKEN.findall(formula)).all()


@dataclass
class _Reader:
    tokens: list[str]
    at: int = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def group(self) -> str:
        """Take the next token, or the next group, and return it without its braces."""
        taken, depth = [self.take()], 1
        if taken != ["{"]:
            return taken[0]
        while depth:
            taken.append(self.take())
            depth += {"{": 1, "}": -1}.get(taken[-1], 0)
        return "".join(taken[1:-1])

    def all(self) -> Iterator[Symbol]:
        while self.peek():
            base, scripts = self.base(), {"^": "", "_": ""}
            while self.peek() in ("_", "^", "'"):
                mark = self.take()
                if mark == "'":
                    base += mark
                else:
                    scripts[mark] = self.group()
            exponential = base == "e" and scripts["^"] and not scripts["_"]
            if base and not exponential:
                yield Symbol(base, scripts["^"], scripts["_"])
            for script in scripts.values():
                for part in script.split(","):
                    if not NAME.fullmatch(part):
                        yield from symbols(part)

    def base(self) -> str:
        """Take the next token with what belongs to it; return "" unless it begins a symbol."""
        token = self.take().strip()  # a command has the blanks behind it
        if token in DROPPED:
            self.group()
        elif token in ACCENTS:
            return f"{token} {self.group()}"
        elif token in UPRIGHT:
            word = self.group().replace(r"\,", "")
            named = token.startswith(r"\operatorname") or self.peek() in ("(", "_")
            return word if named and word.isalpha() else ""
        elif token in GREEK or token.isalpha():
            return token
        return ""
