"""The sentences of Python's documentation: by hand on a small library, and of Python's own."""

import sysconfig
from collections.abc import Callable
from pathlib import Path
from pydoc_data.topics import topics
from types import SimpleNamespace

import pytest

from bottomup.data import docstring_sentences
from bottomup.data.docstrings import docstrings, split_sentences

read = docstring_sentences.__wrapped__  # the function under its cache
Library = Callable[[dict[str, str], dict[str, str]], None]


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Library:
    """A few topics and files in place of Python's."""

    def use(topics: dict[str, str], files: dict[str, str]) -> None:
        module = SimpleNamespace(topics=topics)
        monkeypatch.setattr("bottomup.data.pydoc.import_module", lambda name: module)
        monkeypatch.setattr(sysconfig, "get_paths", lambda: {"stdlib": str(tmp_path)})
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f'"""{text}"""\n', encoding="utf-8")

    return use


def joined(sentences) -> list[str]:
    return [" ".join(sentence) for sentence in sentences]


@pytest.mark.parametrize(
    "text, expected",
    [
        ("The dog runs. It sleeps!", ["the dog runs .", "it sleeps !"]),
        ("Is it? Yes:  so it is", ["is it ?", "yes :", "so it is"]),
        ("a line\nbroken", ["a line broken"]),
        ("one\n\ntwo\n  \t\nthree", ["one", "two", "three"]),
        ("  \n\n ", []),
        ("Don't call __init__(self)", ["don't call __init__ ( self )"]),
        ("x1==0x1F, y_2 <= 3.25", ["x1 == 0 x1f , y_2 < = 3 . 25"]),
        ("``open()``...and so on", ["`` open ( ) `` ... and so on"]),
        ("dogs' beds", ["dogs ' beds"]),
        ("12th -- naïve", ["12 th -- na ï ve"]),
    ],
)
def test_sentences_and_tokens_by_hand(text, expected):
    assert joined(split_sentences(text)) == expected


CODE = b'''"""The module."""

class Outer:
    """A class."""

    def method(self):
        """A method.

        Of two paragraphs.
        """

    class Silent:
        def inner(self):
            """Far inside."""


async def later():
    """Asynchronous."""


def silent():
    return """no docstring"""


def empty():
    ""
'''


@pytest.mark.parametrize(
    "content, expected",
    [
        (
            CODE,  # from the outside in, without indentation
            [
                *("The module.", "A class.", "Asynchronous."),
                *("A method.\n\nOf two paragraphs.", "Far inside."),
            ],
        ),
        (b'"""One."""\ndef f(:', []),
        (b'"""One \xe9."""\n', []),
        (b'"""One\x00."""\n', []),
        (b"", []),
        (b"# a comment\n", []),
        (b'# coding: latin-1\n"""One caf\xe9."""\n', ["One café."]),
        (b'\xef\xbb\xbf"""One caf\xc3\xa9."""\n', ["One café."]),
    ],
)
def test_docstrings_of_a_file(tmp_path, content, expected):
    path = tmp_path / "code.py"
    path.write_bytes(content)
    assert docstrings(path) == expected


def test_every_second_document_is_tested_topics_before_files(library):
    library(
        {"b": "Topic b is trained on.", "a": "Topic a is tested. It goes first."},
        {"pkg/beta.py": "File beta is trained on.", "alpha.py": "File alpha is tested."},
    )
    found = read(test_every=2)
    tested = ["topic a is tested .", "it goes first .", "file alpha is tested ."]
    assert joined(found.test) == tested
    assert joined(found.training) == ["topic b is trained on .", "file beta is trained on ."]


@pytest.mark.parametrize("every, tested", [(2, [0, 2, 4, 6]), (3, [0, 3, 6]), (7, [0]), (11, [0])])
def test_every_so_many_documents_are_tested(library, every, tested):
    names = "abcdefg"
    library({name: f"This is topic {name}." for name in names}, {"x.py": "Too short."})
    found = read(test_every=every)
    assert joined(found.test) == [f"this is topic {names[place]} ." for place in tested]
    assert len(found.training) == 7 - len(tested)


def test_equal_sentences_count_once_where_they_come_first(library):
    again = "This stands in both. This stands in both."
    library({"a": "Only a says this."}, {"b.py": again, "c.py": f"{again} Only c says this."})
    found = read(test_every=2)
    assert joined(found.training) == ["this stands in both ."]
    assert joined(found.test) == ["only a says this .", "only c says this ."]


def test_short_and_long_sentences_tests_and_other_packages_are_left_out(library):
    text = "One two. One two three. One two three four. One two three four five."
    names = ["test/a.py", "pkg/tests/b.py", "idlelib/c.py", "site-packages/d.py", "pkg/e.py"]
    files = {name: f"This is file {name[-4]}." for name in names}
    library({"a": text}, {**files, "f.txt": "This is file f."})
    found = read(longest=5)
    assert joined(found.test) == ["one two three .", "one two three four ."]
    assert joined(found.training) == ["this is file e ."]
    assert joined(read(longest=4).test) == ["one two three ."]


def test_a_python_without_its_library_is_named(library, tmp_path):
    library({"a": "This is a topic."}, {"test/a.py": "This is no library."})
    with pytest.raises(FileNotFoundError, match="expected Python's library below") as caught:
        read()
    assert str(tmp_path) in str(caught.value)


@pytest.mark.slow
def test_pythons_sentences_come_once_in_one_part_and_are_of_the_lengths_asked_for():
    found = docstring_sentences()
    every = (*found.training, *found.test)
    assert len(set(every)) == len(every)
    assert {len(sentence) for sentence in every} <= set(range(4, 64))
    assert len(found.training) > 3 * len(found.test) > 3000
    assert all(token == token.lower() and token.strip() for s in every for token in s)
    training, test, seen = set(found.training), set(found.test), set()
    for number, name in enumerate(sorted(topics)):
        own = {s for s in split_sentences(topics[name]) if 4 <= len(s) <= 63} - seen
        assert own <= (training if number % 10 else test)
        seen |= own
    assert len(seen & test) > 100
    assert docstring_sentences() is found
