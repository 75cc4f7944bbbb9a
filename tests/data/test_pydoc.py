from pydoc_data.topics import topics
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

from bottomup.data import documentation_text

read = documentation_text.__wrapped__  # the function under its cache
TOPICS = {"d": "dad", "a": "ab", "c": "a b", "b": "b\nc", "e": "bad"}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Five topics of a few letters in place of Python's; gives the names that were imported."""
    imported: list[str] = []

    def import_module(name: str) -> SimpleNamespace:
        imported.append(name)
        return SimpleNamespace(topics=TOPICS)

    monkeypatch.setattr("bottomup.data.pydoc.import_module", import_module)
    return imported


def decode(numbers: Tensor, characters: str) -> str:
    return "".join(characters[number] for number in numbers.tolist())


def test_five_topics_by_hand(small):
    text = read(2)  # in the order of their names: a, c and e are tested
    assert small == ["pydoc_data.topics"]
    assert text.characters == "\n abcd"
    assert decode(text.test, text.characters) == "ab\na b\nbad"
    assert decode(text.training, text.characters) == "b\nc\ndad"
    assert text.training.tolist() == [3, 0, 4, 0, 5, 2, 5]
    assert text.training.dtype == text.test.dtype == torch.int64


@pytest.mark.parametrize("every, tested", [(3, "ab\ndad"), (4, "ab\nbad"), (5, "ab"), (7, "ab")])
def test_every_so_many_topics_are_tested(small, every, tested):
    text = read(every)
    assert decode(text.test, text.characters) == tested


def test_a_character_of_the_test_text_alone_has_a_number(monkeypatch):
    monkeypatch.setitem(TOPICS, "a", "ab~")
    monkeypatch.setattr(
        "bottomup.data.pydoc.import_module", lambda name: SimpleNamespace(topics=TOPICS)
    )
    assert read(2).characters == "\n abcd~"


def test_pythons_topics_come_back():
    text = documentation_text()
    names = sorted(topics)
    assert decode(text.test, text.characters) == "\n".join(topics[name] for name in names[::10])
    others = [topics[name] for index, name in enumerate(names) if index % 10]
    assert decode(text.training, text.characters) == "\n".join(others)
    assert len(names[::10]) + len(others) == len(topics)


def test_pythons_characters_are_those_that_occur_in_their_order():
    text = documentation_text()
    assert text.characters == "".join(sorted(set(text.characters)))
    used = torch.cat([text.training, text.test]).unique().tolist()
    assert used == list(range(len(text.characters)))
    assert {"\n", " ", "e", "("} <= set(text.characters)


def test_the_text_is_read_once():
    assert documentation_text() is documentation_text()


def test_a_python_without_the_text_is_named(monkeypatch):
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr("bottomup.data.pydoc.import_module", missing)
    with pytest.raises(ModuleNotFoundError, match="this Python has no pydoc_data.topics") as caught:
        read(10)
    assert "No module named" in str(caught.value.__cause__)


@pytest.mark.parametrize(
    "every, error, message",
    [
        (1, ValueError, "test_every: expected an integer of at least 2, got 1"),
        (2.5, TypeError, "test_every: expected an integer, got 2.5"),
        (True, TypeError, "test_every: expected an integer, got True"),
    ],
)
def test_a_bad_share_is_refused(every, error, message):
    with pytest.raises(error, match=message):
        documentation_text(every)
