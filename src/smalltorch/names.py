"""What the real torch has: whether a name that is missing here is a slip or a gap.

`known_names.txt` holds its names, a line for each module and one for `Tensor`, and the arguments
of each function that is here too, with a star where torch has several forms of it. It is made by
`python -m tools.smalltorch_names`.
"""

from functools import cache
from pathlib import Path

from smalltorch.refusal import not_here


def lacking(name: str, owner: str) -> BaseException:
    """Return what is raised for a missing attribute: a refusal, or torch's own error."""
    if name in known_names().get(owner, ()):
        return not_here(f"{owner}.{name}")
    if owner == "Tensor":
        return AttributeError(f"'Tensor' object has no attribute '{name}'")
    return AttributeError(f"module '{owner}' has no attribute '{name}'")


@cache
def known_names() -> dict[str, frozenset[str]]:
    """Return the public names of the real torch, by where they stand: "torch", "Tensor"."""
    lines = Path(__file__).with_name("known_names.txt").read_text("utf-8").splitlines()
    return {
        owner: frozenset(names.split()) for owner, names in (line.split(": ") for line in lines)
    }
