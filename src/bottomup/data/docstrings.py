"""The sentences of Python's documentation and docstrings: a real text that is always there."""

import ast
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bottomup.checks import check_integer
from bottomup.data.pydoc import python_topics
from bottomup.data.remembered import remembered

# Not installed everywhere, not documentation, or documentation of other packages.
LEFT_OUT = {"test", "tests", "idlelib", "turtledemo", "lib2to3", "site-packages", "dist-packages"}
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
PARAGRAPH = re.compile(r"\n\s*\n")
SENTENCE_END = re.compile(r"(?<=[.!?:])\s+")
# A name or word, a number, or a mark with its repetitions.
TOKEN = re.compile(r"[a-z_][a-z0-9_]*(?:'[a-z]+)?|[0-9]+|([^\sa-z0-9_])\1*")
SHORTEST = 4

Sentence = tuple[str, ...]


class Sentences(NamedTuple):
    """Tokenised sentences to train on and to test, no sentence twice."""

    training: tuple[Sentence, ...]
    test: tuple[Sentence, ...]


@remembered
def docstring_sentences(*, longest: int = 63, test_every: int = 10) -> Sentences:
    """Return the sentences of ``help()``'s topics and of the standard library's docstrings.

    Letters become lower case; a token is a word or name, a number, or a mark, which may be
    repeated. Words are of the letters a to z: any other letter counts as a mark. Sentences of fewer
    than 4 tokens or more than `longest` are left out, and of equal ones all but the first. Of the
    documents, the topics and then the files, each in alphabetical order, the first and every
    `test_every`-th after it are kept for testing.

    The texts are those of the running Python, so numbers measured on them belong to one version of
    it.

    Args:
        longest: most tokens of a sentence, at least 4.
        test_every: a document of so many is tested, at least 2.

    Raises:
        ModuleNotFoundError: this Python comes without ``pydoc_data``.
        FileNotFoundError: this Python comes without its library's source files.

    Source: Python's standard library. Chapter 08 trains on it.
    """
    check_integer("longest", longest, at_least=SHORTEST)
    check_integer("test_every", test_every, at_least=2)
    topics = python_topics()
    documents = [topics[name] for name in sorted(topics)]
    documents += ["\n\n".join(docstrings(path)) for path in _library_files()]
    seen: set[Sentence] = set()
    parts: tuple[list[Sentence], list[Sentence]] = ([], [])
    for number, document in enumerate(documents):
        for sentence in split_sentences(document):
            if SHORTEST <= len(sentence) <= longest and sentence not in seen:
                seen.add(sentence)
                parts[number % test_every == 0].append(sentence)
    return Sentences(tuple(parts[False]), tuple(parts[True]))


def split_sentences(text: str) -> Iterator[Sentence]:
    """Yield the tokenised sentences of a text.

    One ends at a full stop, exclamation mark, question mark or colon before a blank, or with its
    paragraph, behind which stands an empty line.
    """
    for paragraph in PARAGRAPH.split(text):
        for sentence in SENTENCE_END.split(paragraph.strip()):
            tokens = tuple(found[0] for found in TOKEN.finditer(sentence.lower()))
            if tokens:
                yield tokens


def docstrings(path: Path) -> list[str]:
    """Return the docstrings of a Python file, the outer ones first; none if it is not Python."""
    try:
        tree = ast.parse(path.read_bytes())  # bytes, since a file may declare its encoding
    except (SyntaxError, ValueError):  # some files of the library test just that
        return []
    found = (ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, DOCUMENTED))
    return [text for text in found if text]


def _library_files() -> list[Path]:
    root = Path(sysconfig.get_paths()["stdlib"])
    files = [
        path
        for path in sorted(root.rglob("*.py"))
        if LEFT_OUT.isdisjoint(path.relative_to(root).parts)
    ]
    if not files:
        raise FileNotFoundError(f"expected Python's library below {root}, found no source files")
    return files
