"""The language of marks, which a notebook's kernel speaks: this file is its first cell.

What `bottomup` says in it is the English message between marks, with the message itself and the
names of its places as letters that nobody sees. They have no length and no width: there is room for
what there is room for in English.
"""

import re

OPEN, THEN, BEGIN, END, CLOSE = "\ue000\ue001\ue002\ue003\ue004"
HIDE = 0xE100  # a byte of a message, or of the name of a place, as a letter
LAST = "\uf8ff"
HIDDEN = re.compile(f"[{OPEN}{BEGIN}][^{THEN}]*{THEN}|[{END}{CLOSE}]")
PLACE = re.compile(r"\{((?:[\w.]|\[(?:[^\[\]{}]|\{\w+\})*\])*)(?:![rsa])?(?::[^{}]*)?\}")


class Marked(str):
    """A message between marks, as long as it is without them."""

    def __len__(self) -> int:
        return len(HIDDEN.sub("", self))

    def __format__(self, form: str) -> str:
        """Return it in a column: as wide as it is without marks."""
        seen = HIDDEN.sub("", self)
        return format(seen, form).replace(seen, self, 1)

    def ljust(self, width: int, fill: str = " ") -> str:  # type: ignore[override]
        """Return it at the left of a column."""
        return self + fill * (width - len(self))

    def rjust(self, width: int, fill: str = " ") -> str:  # type: ignore[override]
        """Return it at the right of a column."""
        return fill * (width - len(self)) + self

    def format(self, *values: object, **named: object) -> str:
        """Return it with values in its places."""
        return Marked(super().format(*values, **named))


class Language(dict[str, str]):
    """A catalogue that has every message."""

    def get(self, message: str, default: str = "") -> str:  # type: ignore[override]
        """Return a message between marks; one that has them stays."""
        if OPEN in message:
            return message
        numbers = iter(range(len(message)))

        def place(found: re.Match[str]) -> str:
            return f"{BEGIN}{hidden(found[1] or str(next(numbers)))}{THEN}{found[0]}{END}"

        return Marked(f"{OPEN}{hidden(message)}{THEN}{PLACE.sub(place, message)}{CLOSE}")


def hidden(name: str) -> str:
    """Return a name in letters that nobody sees."""
    return "".join(chr(HIDE + each) for each in name.encode())


def shown(letters: str) -> str:
    """Return a name that is hidden."""
    return bytes(ord(letter) - HIDE for letter in letters).decode()


def speak() -> None:
    """Let the package speak the language, of which no other part may be imported yet."""
    from bottomup import i18n

    i18n.catalogue = lambda name: Language()  # type: ignore[assignment]

    from bottomup.drawings.engine import words

    wide = words._wide
    words._wide = lambda letter: 0.0 if OPEN <= letter <= LAST else wide(letter)
    show_plots_with_texts()


def show_plots_with_texts() -> None:
    """Let matplotlib's figures be drawings whose words are words."""
    import matplotlib as mpl
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    # The same figure is the same drawing: without a date, and with ids that are no chance.
    set_matplotlib_formats("svg", metadata={"Date": None, "Creator": None})  # type: ignore[no-untyped-call]
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "bottomup"})
