"""The frame of a new exercise: text and code that load, and its slug in its chapter."""

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

## Mistakes

### a-mistake

See: The heading of a section of the chapter

Why it is wrong. What one would see in a model.
'''

CODE = '''"""Exercise: what it is about (Paper, year, equation)."""

from collections.abc import Callable

import torch
from torch import Tensor

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.i18n import _


def {name}(x: torch.Tensor) -> torch.Tensor:
    return x.cumsum(-1)


def with_loops(x: Tensor) -> Tensor:
    return torch.stack([x[..., : i + 1].sum(-1) for i in range(x.shape[-1])], dim=-1)


# ---- Mistakes

MISTAKES = (Mistake("a-mistake", lambda x: x.cumsum(0)),)


# ---- Cases


def _random(*sizes: int) -> Callable[[torch.Generator], Inputs]:
    return lambda generator: {{"x": torch.randn(sizes, generator=generator)}}


CASES = (
    Case(_("three numbers by hand"), lambda generator: {{"x": torch.tensor([[1.0, 2.0, 4.0]])}}),
    Case(_("random numbers"), _random(5, 7), seed=1),
)

ANSWERS = Answers(
    solution={name},
    alternatives=(with_loops,),
    mistakes=MISTAKES,
    cases=CASES,
)
'''


def make(folder: str, slug: str, room: Path = ROOM) -> list[Path]:
    """Write text, code and the line in the chapter's order; return the files.

    Raises:
        ValueError: there is no such chapter, the slug is no slug, or its files exist.
    """
    if folder not in CHAPTERS:
        raise ValueError(f"chapter: expected one of {', '.join(CHAPTERS)}, got {folder!r}")
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", slug):
        raise ValueError(f"slug: expected words joined by hyphens, got {slug!r}")
    name = file_stem(slug)
    text, code = (room / folder / f"{name}{ending}" for ending in (".md", ".py"))
    if text.exists() or code.exists():
        raise ValueError(f"slug: {text.parent} already holds {name}")
    order = room / folder / "__init__.py"
    slugs = (*import_module(f"bottomup.exercises.{folder}").EXERCISES, slug)
    order.write_text(with_order(order.read_text(encoding="utf-8"), slugs), encoding="utf-8")
    text.write_text(TEXT.format(name=name), encoding="utf-8")
    code.write_text(CODE.format(name=name), encoding="utf-8")
    return [text, code, order]


def with_order(source: str, slugs: tuple[str, ...]) -> str:
    """Return the source of a chapter's `__init__` with another order of slugs."""
    listed = "".join(f'    "{slug}",\n' for slug in slugs)
    return re.sub(r"^EXERCISES = \(.*?\)$", f"EXERCISES = (\n{listed})", source, flags=re.M | re.S)
