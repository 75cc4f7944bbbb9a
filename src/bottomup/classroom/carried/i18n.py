"""What is said to the reader, in the language in which the exercises were handed out."""

import json
from importlib.resources import files

MESSAGES: dict[str, str] = json.loads(
    files(__name__.partition(".")[0]).joinpath("handed_out/messages.json").read_text("utf-8")
)


def _(message: str) -> str:
    """Return `message` in that language."""
    return MESSAGES.get(message, message)
