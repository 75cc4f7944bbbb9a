"""The text of Python's topics, and what a Python without it is told."""

from pydoc_data.topics import topics
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

from bottomup.data import docstring_sentences, documentation_text

read = documentation_text.__wrapped__  # the function under its cache
TOPICS = {"d": "dad", "a": "ab", "c": "a b", "b": "b\nc", "e": "bad"}


def decode(numbers: Tensor, characters: str) -> str:
    return "".join(characters[number] for number in numbers.tolist())


def test_five_topics_by_hand(monkeypatch):
    monkeypatch.setattr(
        "bottomup.data.pydoc.import_module", lambda name: SimpleNamespace(topics=TOPICS)
    )
    text = read(2)  # in the order of their names: a, c and e are tested
    assert text.characters == "\n abcd"
    assert decode(text.test, text.characters) == "ab\na b\nbad"
    assert decode(text.training, text.characters) == "b\nc\ndad"
    assert text.training.tolist() == [3, 0, 4, 0, 5, 2, 5]
    assert text.training.dtype == text.test.dtype == torch.int64
    for every, tested in ((3, "ab\ndad"), (4, "ab\nbad"), (5, "ab"), (7, "ab")):
        assert decode(read(every).test, read(every).characters) == tested
    monkeypatch.setitem(TOPICS, "a", "ab~")  # in the test text alone
    assert read(2).characters == "\n abcd~"


def test_pythons_topics_come_back():
    text = documentation_text()
    names = sorted(topics)
    assert decode(text.test, text.characters) == "\n".join(topics[name] for name in names[::10])
    others = [topics[name] for index, name in enumerate(names) if index % 10]
    assert decode(text.training, text.characters) == "\n".join(others)
    assert text.characters == "".join(sorted(set("\n".join(topics.values()))))
    assert documentation_text() is text


@pytest.mark.parametrize("ask", [lambda: read(10), docstring_sentences.__wrapped__])
def test_a_python_without_the_text_is_named(monkeypatch, ask):
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr("bottomup.data.pydoc.import_module", missing)
    with pytest.raises(ModuleNotFoundError, match="this Python has no pydoc_data.topics") as caught:
        ask()
    assert "No module named" in str(caught.value.__cause__)
