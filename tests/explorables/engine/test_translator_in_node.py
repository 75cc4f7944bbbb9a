"""Written Korean, advice and translations in JavaScript, against Python's."""

import random
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bottomup.data.minilang import detokenize, gloss, romanise
from bottomup.data.minilang.grammar.conjugation import ENDINGS, conjugate
from bottomup.data.minilang.hangul import FINALS, INITIALS, VOWELS, join
from bottomup.data.minilang.patterns import unseen
from bottomup.data.minilang.tables import writing_tables
from bottomup.explorables.engine import model_payload
from bottomup.models import Changes
from bottomup.results.translator import UnknownWordsError
from tests.explorables import node
from tests.explorables.engine.reference import plain, sentences, translator

HERE = Path(__file__).parent
MADE = translator("encoder_decoder")
SIR = "sir , the grandmother wrote a book because it rained ."


def as_written(sequences: Iterable[Sequence[str]]) -> list[dict[str, Any]]:
    found = []
    for tokens in sequences:
        hangul = detokenize(tokens)
        found.append({"tokens": list(tokens), "hangul": hangul, "romanised": romanise(hangul)})
    return found


def wild(count: int) -> list[list[str]]:
    """Sequences of any tokens, special ones too, and of endings behind each other."""
    drawn = random.Random(5)
    tokens, bound = list(MADE.target_tokens.tokens), [*ENDINGS, "-가", "-를", "-권", "-들"]
    decomposed = [unicodedata.normalize("NFD", token) for token in ("듣", "-었", "-다")]
    return [decomposed] + [
        drawn.choices(tokens if number % 2 else [*bound, *tokens[4:40]], k=drawn.randint(0, 9))
        for number in range(count)
    ]


def forms() -> list[dict[str, Any]]:
    """Every stem of the model with one ending, and with two."""
    stems = [token for token in MADE.target_tokens.tokens[4:] if not token.startswith("-")]
    pairs = [[first, second] for first in ENDINGS for second in ENDINGS]
    return [
        {"stem": stem, "endings": endings, "word": conjugate(stem, tuple(endings))}
        for number, stem in enumerate(stems)
        for endings in [*([ending] for ending in ENDINGS), *pairs[number % 7 :: 7]]
    ]


def sounds() -> list[tuple[str, str]]:
    """Every final before every initial, with two vowels behind it, and letters alone."""
    texts = [
        join("ㄱ", "ㅏ", final) + join(initial, vowel)
        for final in FINALS
        for initial in INITIALS
        for vowel in ("ㅓ", "ㅣ")
    ]
    texts += [join(initial, vowel) for initial in INITIALS for vowel in VOWELS]
    texts += [f"-{final}다 x" for final in FINALS[1:]]
    texts += [unicodedata.normalize("NFD", text) for text in ("책을 읽었다.", "값이 좋다")]
    return [(text, romanise(text)) for text in texts]


def test_korean_is_written_as_in_python(tmp_path: Path):
    given = {
        "tables": writing_tables(),
        "sentences": as_written(pair.target for pair in sentences()),
        "wild": as_written(wild(600)),
        "forms": forms(),
        "sounds": sounds(),
    }
    assert len(given["sentences"]) > 900
    node.check(HERE / "korean.test.js", given, tmp_path)


CHANGES = (
    Changes(heads=("decoder_layers.1.cross_attention:2",)),
    Changes(positions=("source", "target")),
    Changes(updates=("encoder_layers.0.attention", "decoder_layers.1.cross_attention")),
)
ASKED = (
    "the big cat ate two apples .",
    SIR,
    "The child PLAYED baseball",
    "the man is sad.",
)
STRANGE = ("she wore glasses", "it rained", "slept", "I like you", "the man is a doctor")
REFUSED = (
    "", " . ", ",", "the cats ate a hedgehog", "zzz", "the cat ate?", "qwerty !", "the , ; :",
    "the man’s hat", "<pad> the cat", "bananna aple aple", "the cat " * 11, "naïve café", "1 2 3",
    "?!", "cafe\u0301 au lait", unicodedata.normalize("NFD", "책 the cat"),
)  # fmt: skip


def translations() -> list[dict[str, Any]]:
    found = []
    for sentence in ASKED:
        for changes in (None, *CHANGES):
            made = MADE.translate(sentence, changes)
            found.append(
                {
                    "sentence": sentence,
                    "changes": None if changes is None else plain(changes),
                    "source": made.source,
                    "tokens": made.tokens,
                    "glosses": made.glosses,
                    "hangul": made.hangul,
                    "romanised": made.romanised,
                }
            )
    return found


def refused() -> list[dict[str, Any]]:
    found = []
    for sentence in REFUSED:
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            MADE.translate(sentence)
        words = caught.value.words if isinstance(caught.value, UnknownWordsError) else None
        found.append({"sentence": sentence, "message": str(caught.value), "words": words})
    return found


def near() -> list[dict[str, Any]]:
    """Words that are no words: known ones with a letter less, more, or two exchanged."""
    drawn = random.Random(7)
    known = MADE.source_words.tokens[4:]
    asked = ["", "a", "zzzzzz", "grandmothers", "abcabcabc" * 30]
    for word in known[::3]:
        place = drawn.randrange(len(word))
        asked += [
            word[:place] + word[place + 1 :],
            word[:place] + drawn.choice("aeioust") + word[place:],
        ]
        asked += [word[::-1], word[:place] + word[place : place + 2][::-1] + word[place + 2 :]]
    return [{"word": word, "near": get_close_matches(word, known)} for word in asked]


def mixed(count: int) -> list[list[str]]:
    """Known words in any order, and test sentences with one word exchanged."""
    drawn, known = random.Random(11), list(MADE.source_words.tokens[4:])
    found = [[*drawn.choices(known, k=drawn.randint(1, 9)), "."] for _ in range(count // 2)]
    for pair in sentences()[: count // 2]:
        words = list(pair.source)
        words[drawn.randrange(len(words))] = drawn.choice(known)
        found.append(words)
    return found


def test_translations_advice_and_glosses_are_those_of_python(tmp_path: Path):
    halves = np.arange(0x10000, dtype="u2")
    numbers = halves.view(np.float16).astype(float)
    given = {
        "payload": model_payload("encoder_decoder"),
        "translations": translations(),
        "refused": refused(),
        "near": near(),
        "warned": [
            (text, list(unseen(MADE._read(text))), MADE._read(text)) for text in [*ASKED, *STRANGE]
        ]
        + [(" ".join(words), list(unseen(words)), words) for words in mixed(400)],
        "glosses": [gloss(token) for token in MADE.target_tokens.tokens],
        "halves": [
            (int(bits), number)
            for bits, number in zip(halves, numbers.tolist(), strict=True)
            if np.isfinite(number) and bits % 7 == 0 and number != 0
        ],
    }
    assert len(given["translations"]) == 16
    node.check(HERE / "translator.test.js", given, tmp_path)
