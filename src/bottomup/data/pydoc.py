"""The documentation that comes with Python, as a text of characters."""

from importlib import import_module
from typing import NamedTuple

import torch
from jaxtyping import Int64
from torch import Tensor

from bottomup.checks import check_integer
from bottomup.data.remembered import remembered


class CharacterText(NamedTuple):
    """A text to train on and one to test, as numbers of characters, and the characters."""

    training: Int64[Tensor, " position"]
    test: Int64[Tensor, " position"]
    characters: str


@remembered
def documentation_text(test_every: int = 10) -> CharacterText:
    """Return the topics of Python's ``help()``, about 465,000 characters in Python 3.11.

    Every `test_every`-th topic, in the order of their names, is kept for testing. The text is that
    of the running Python, so numbers measured on it belong to one version of it. Some topics repeat
    others: in Python 3.11 an eighth of the text to test stands in the text to train on as well.

    Args:
        test_every: a topic of so many is tested, at least 2.

    Raises:
        ModuleNotFoundError: this Python comes without ``pydoc_data``.

    Source: Python's own language reference, as its ``pydoc_data.topics`` holds it. Chapter 07
    predicts it.
    """
    check_integer("test_every", test_every, at_least=2)
    topics = python_topics()
    texts = [topics[name] for name in sorted(topics)]
    characters = "".join(sorted(set("".join(texts))))
    number = {character: index for index, character in enumerate(characters)}

    def encode(parts: list[str]) -> Tensor:
        return torch.tensor([number[character] for character in "\n".join(parts)])

    test = texts[::test_every]
    training = [text for index, text in enumerate(texts) if index % test_every]
    return CharacterText(encode(training), encode(test), characters)


def python_topics() -> dict[str, str]:
    """Return the topics of Python's ``help()``, a text for each name.

    Raises:
        ModuleNotFoundError: this Python comes without ``pydoc_data``.
    """
    try:
        topics: dict[str, str] = import_module("pydoc_data.topics").topics
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "this Python has no pydoc_data.topics, the text behind help(); "
            "installations from python.org and of Debian's python3 have it"
        ) from error
    return topics
