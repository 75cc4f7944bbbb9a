"""The frame of a new exercise: a folder with text and cases that load, its slug in its chapter."""

import re
from importlib import import_module
from pathlib import Path

from bottomup.exercises.engine.registry import CHAPTERS, ROOM, file_stem

TEXT = '''# A title

*Difficulty 2, importance 3 of 5, 10 minutes.* What the reader is to write.

## Stub

```python
def {name}(x):
    """What it returns.

    x [batch, position]: what it holds.
    Returns what, of which shape. Change no input in place.
    """
    ...
```

## Hints

1. A nudge.
2. Nearly there.

## Solution

```python
def {name}(x):
    return x.cumsum(dim=-1)
```

## Also right

### with-loops

```python
def {name}(x):
    return torch.stack([x[..., : i + 1].sum(-1) for i in range(x.shape[-1])], dim=-1)
```

## Mistakes

See: The heading of a section of the chapter

### another-axis

Why it is wrong. What one would see in a model.

- shown: `dim=-1` → `dim=0`

### one-too-few

Why it is wrong. What one would see in a model.

- shown: `x.cumsum(…)` → `x.cumsum(…) - x`
'''

CASES = '''"""Cases of what it is about (Paper, year, equation)."""

from bottomup.exercises.engine import case, normal, tensor
from bottomup.i18n import _

CASES = (
    case(
        _("three numbers by hand"),
        x=tensor([[1.0, 2.0, 4.0]]),
        gives=tensor([[1.0, 3.0, 7.0]]),
    ),
    case(_("random numbers"), seed=1, x=normal(5, 7)),
)
'''


def make(folder: str, slug: str, room: Path = ROOM) -> list[Path]:
    """Write text, cases and the line in the chapter's order; return the files.

    Raises:
        ValueError: there is no such chapter, the slug is no slug, or its files exist.
    """
    if folder not in CHAPTERS:
        raise ValueError(f"chapter: expected one of {', '.join(CHAPTERS)}, got {folder!r}")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", slug):
        raise ValueError(f"slug: expected words joined by hyphens, got {slug!r}")
    name = file_stem(slug)
    place = room / folder / name
    if place.exists():
        raise ValueError(f"slug: {place.parent} already holds {name}")
    place.mkdir()
    order = room / folder / "__init__.py"
    slugs = (*import_module(f"bottomup.exercises.{folder}").EXERCISES, slug)
    order.write_text(with_order(order.read_text(encoding="utf-8"), slugs), encoding="utf-8")
    text, cases = place / "text.md", place / "cases.py"
    text.write_text(TEXT.format(name=name), encoding="utf-8")
    cases.write_text(CASES, encoding="utf-8")
    return [text, cases, order]


def with_order(source: str, slugs: tuple[str, ...]) -> str:
    """Return the source of a chapter's `__init__` with another order of slugs."""
    listed = "".join(f'    "{slug}",\n' for slug in slugs)
    return re.sub(r"^EXERCISES = \(.*?\)$", f"EXERCISES = (\n{listed})", source, flags=re.M | re.S)
