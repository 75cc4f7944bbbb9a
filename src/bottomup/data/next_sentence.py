"""Pairs of sentences of which the second follows the first, or does not."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import torch

from bottomup.checks import check_choice, check_generator, check_integer
from bottomup.data.docstrings import SHORTEST, Sentence, _library_files, docstrings, split_sentences
from bottomup.data.pydoc import python_topics
from bottomup.data.remembered import remembered
from bottomup.data.vocabulary import BOS, EOS, composed

NEGATIVES = ("other", "swapped")

Document = tuple[Sentence, ...]


class SentencePair(NamedTuple):
    """Two sentences, and whether the second is the one behind the first in its document."""

    first: Sentence
    second: Sentence
    follows: bool


class Documents(NamedTuple):
    """Documents to train on and to test, each a row of sentences in their order."""

    training: tuple[Document, ...]
    test: tuple[Document, ...]


def next_sentence_pairs(
    documents: Sequence[Document], *, generator: torch.Generator, negatives: str = "other"
) -> list[SentencePair]:
    """Take each two neighbours of a document; of one half, the second does not follow.

    For each sentence but the last of its document a fair coin says whether its successor follows.
    If not, with ``negatives="other"`` the second is a sentence of another document, each of these
    as likely, and in it each sentence; with "swapped" the same two come in the other order.

    Args:
        documents: at least two with "other"; those of one sentence give no pair of their own.
        generator: draws.
        negatives: "other", as BERT's second task has it, or "swapped".

    Source: Devlin et al. (2019), section 3.1, task 2, which draws from the whole corpus; Lan et al.
    (2020) for "swapped". Chapter 10 derives it.

    Example:
        >>> documents = [[["a"], ["b"], ["c"]], [["x"], ["y"]]]
        >>> generator = torch.Generator().manual_seed(0)
        >>> pairs = next_sentence_pairs(documents, generator=generator)
        >>> len(pairs)  # a with b, b with c, x with y, or with a sentence from elsewhere
        3
    """
    check_generator("generator", generator)
    check_choice("negatives", negatives, NEGATIVES)
    if negatives == "other" and len(documents) < 2:
        raise ValueError(f"documents: expected at least two, got {len(documents)}")
    if not all(documents):
        raise ValueError("documents: expected a sentence in each, got an empty one")

    def draw(end: int) -> int:
        return int(torch.randint(end, (1,), generator=generator))

    pairs = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            if draw(2):
                pairs.append(SentencePair(first, second, follows=True))
            elif negatives == "swapped":
                pairs.append(SentencePair(second, first, follows=False))
            else:
                other = documents[(number + 1 + draw(len(documents) - 1)) % len(documents)]
                pairs.append(SentencePair(first, other[draw(len(other))], follows=False))
    return pairs


def pack(first: Sequence[int], second: Sequence[int]) -> tuple[list[int], list[int]]:
    """Join two encoded sentences as BERT reads them; return tokens and segments.

    ``BOS first EOS second EOS``, with the segment 0 up to the first EOS and 1 behind it. BERT's
    names of these marks are [CLS] and [SEP].

    Source: Devlin et al. (2019), section 3, input representations. Chapter 10 uses it.

    Example:
        >>> pack([5, 6], [7])
        ([1, 5, 6, 2, 7, 2], [0, 0, 0, 0, 1, 1])
    """
    tokens = [BOS, *first, EOS, *second, EOS]
    return tokens, [0] * (len(first) + 2) + [1] * (len(second) + 1)


def overlap(first: Sequence[str], second: Sequence[str]) -> float:
    """Return the share of words that two sentences have in common, of all words of either.

    ``|A and B| / |A or B|``, of the sets of their words. It is symmetric, so that it says nothing
    of their order.

    Example:
        >>> overlap("the cat ate".split(), "the dog ate".split())  # 2 of 4 words
        0.5
    """
    words, others = set(map(composed, first)), set(map(composed, second))
    if not words | others:
        raise ValueError("first: expected a word in one of two sentences, got none")
    return len(words & others) / len(words | others)


@remembered
def documentation(*, longest: int = 24, test_every: int = 10) -> Documents:
    """Return ``help()``'s topics and the docstrings of the standard library's files, in order.

    A document is a topic, or the docstrings of a file. Sentences are those of
    `docstring_sentences`: of fewer than 4 tokens or more than `longest` are left out, so that two
    neighbours here may have had a short one between them. Documents of fewer than two sentences are
    left out, too, and of two equal neighbours one.

    Args:
        longest: most tokens of a sentence, at least 4.
        test_every: a document of so many is tested, at least 2.

    Raises:
        ModuleNotFoundError: this Python comes without ``pydoc_data``.
        FileNotFoundError: this Python comes without its library's source files.

    Source: Python's standard library. Chapter 10 uses it.

    Example:
        >>> documents = documentation()  # doctest: +SKIP
        >>> documents.training[0][:2]  # doctest: +SKIP
    """
    check_integer("longest", longest, at_least=SHORTEST)
    check_integer("test_every", test_every, at_least=2)
    topics = python_topics()
    texts = [topics[name] for name in sorted(topics)]
    texts += ["\n\n".join(docstrings(path)) for path in _library_files()]
    documents = [tuple(_kept(text, longest)) for text in texts]
    documents = [document for document in documents if len(document) > 1]
    test = documents[::test_every]
    training = [each for number, each in enumerate(documents) if number % test_every]
    return Documents(tuple(training), tuple(test))


def _kept(text: str, longest: int) -> Iterator[Sentence]:
    before: Sentence = ()
    for sentence in split_sentences(text):
        if SHORTEST <= len(sentence) <= longest and sentence != before:
            yield sentence
            before = sentence
