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


def joined(sentences: tuple[tuple[str, ...], ...]) -> list[str]:
    return [" ".join(sentence) for sentence in sentences]


# ---- Sentences


@pytest.mark.parametrize(
    "text, expected",
    [
        ("The dog runs. It sleeps!", ["the dog runs .", "it sleeps !"]),
        ("Is it? Yes:  so it is", ["is it ?", "yes :", "so it is"]),
        ("a line\nbroken", ["a line broken"]),
        ("one\n\ntwo\n  \t\nthree", ["one", "two", "three"]),
        ("  \n\n ", []),
        ("", []),
    ],
)
def test_sentences_by_hand(text, expected):
    assert joined(tuple(split_sentences(text))) == expected


@pytest.mark.parametrize(
    "sentence, expected",
    [
        ("Don't call __init__(self)", ["don't", "call", "__init__", "(", "self", ")"]),
        ("x1==0x1F, y_2 <= 3.25", ["x1", "==", "0", "x1f", ",", "y_2", "<", "=", "3", ".", "25"]),
        ("``open()``...and so on", ["``", "open", "(", ")", "``", "...", "and", "so", "on"]),
        ("dogs' beds", ["dogs", "'", "beds"]),
        ("12th -- naïve", ["12", "th", "--", "na", "ï", "ve"]),
    ],
)
def test_tokens_by_hand(sentence, expected):
    assert [list(tokens) for tokens in split_sentences(sentence)] == [expected]


# ---- Files

CODE = '''"""The module."""

class Outer:
    """A class."""

    def method(self):
        """A method."""

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


def test_docstrings_of_a_file_come_from_the_outside_in(tmp_path):
    path = tmp_path / "code.py"
    path.write_text(CODE, encoding="utf-8")
    expected = ["The module.", "A class.", "Asynchronous.", "A method.", "Far inside."]
    assert docstrings(path) == expected


def test_indentation_is_cleaned_away(tmp_path):
    path = tmp_path / "code.py"
    path.write_text('def f():\n    """One.\n\n    Two.\n    """\n', encoding="utf-8")
    assert docstrings(path) == ["One.\n\nTwo."]


@pytest.mark.parametrize(
    "content",
    [b'"""One."""\ndef f(:', b'"""One \xe9."""\n', b'"""One\x00."""\n', b"", b"# a comment\n"],
    ids=["syntax error", "undecodable", "null byte", "empty", "comment"],
)
def test_a_file_that_is_no_python_or_says_nothing_gives_none(tmp_path, content):
    path = tmp_path / "code.py"
    path.write_bytes(content)
    assert docstrings(path) == []


@pytest.mark.parametrize(
    "content",
    [b'# coding: latin-1\n"""One caf\xe9."""\n', b'\xef\xbb\xbf"""One caf\xc3\xa9."""\n'],
    ids=["latin-1", "byte-order mark"],
)
def test_a_file_is_read_in_the_encoding_it_declares(tmp_path, content):
    path = tmp_path / "code.py"
    path.write_bytes(content)
    assert docstrings(path) == ["One café."]


# ---- A small library


def test_every_second_document_is_tested_topics_before_files(library):
    library(
        {"b": "Topic b is trained on.", "a": "Topic a is tested. It goes first."},
        {"pkg/beta.py": "File beta is trained on.", "alpha.py": "File alpha is tested."},
    )
    found = read(test_every=2)
    assert joined(found.test) == [
        "topic a is tested .",
        "it goes first .",
        "file alpha is tested .",
    ]
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


def test_short_and_long_sentences_are_left_out(library):
    text = "One two. One two three. One two three four. One two three four five."
    library({"a": text}, {"b.py": "Nothing."})
    assert joined(read(longest=5).test) == ["one two three .", "one two three four ."]
    assert joined(read(longest=4).test) == ["one two three ."]


def test_tests_and_other_packages_are_left_out(library):
    text = "This is file {}."
    names = ["test/a.py", "pkg/tests/b.py", "idlelib/c.py", "site-packages/d.py", "pkg/e.py"]
    library({}, {**{name: text.format(name[-4]) for name in names}, "f.txt": text.format("f")})
    found = read()
    assert joined((*found.training, *found.test)) == ["this is file e ."]


# ---- Python's own


@pytest.mark.slow
def test_pythons_sentences_come_once_and_are_of_the_lengths_asked_for():
    found = docstring_sentences()
    every = (*found.training, *found.test)
    assert len(set(every)) == len(every)
    assert not set(found.training) & set(found.test)
    assert {len(sentence) for sentence in every} <= set(range(4, 64))
    assert len(found.training) > 3 * len(found.test) > 3000
    assert all(token == token.lower() and token.strip() for s in every for token in s)


@pytest.mark.slow
def test_pythons_topics_are_each_in_one_part():
    found = docstring_sentences()
    training, test, seen = set(found.training), set(found.test), set()
    for number, name in enumerate(sorted(topics)):
        own = {s for s in split_sentences(topics[name]) if 4 <= len(s) <= 63} - seen
        assert own <= (training if number % 10 else test)
        seen |= own
    assert len(seen & test) > 100
    assert len(seen & training) > 1000


@pytest.mark.slow
def test_the_text_is_read_once():
    assert docstring_sentences() is docstring_sentences()


# ---- What is refused


def test_a_python_without_the_topics_is_named(monkeypatch):
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}")

    monkeypatch.setattr("bottomup.data.pydoc.import_module", missing)
    with pytest.raises(ModuleNotFoundError, match="this Python has no pydoc_data.topics"):
        read()


def test_a_python_without_its_library_is_named(library, tmp_path):
    library({"a": "This is a topic."}, {"test/a.py": "This is no library."})
    with pytest.raises(FileNotFoundError, match="expected Python's library below") as caught:
        read()
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"longest": 3}, ValueError, "longest: expected an integer of at least 4, got 3"),
        ({"longest": 7.5}, TypeError, "longest: expected an integer, got 7.5"),
        ({"test_every": 1}, ValueError, "test_every: expected an integer of at least 2, got 1"),
        ({"test_every": True}, TypeError, "test_every: expected an integer, got True"),
    ],
)
def test_bad_settings_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        docstring_sentences(**options)
