"""Exercise: bits per character from a perplexity per token."""

from collections.abc import Callable
from math import log, log2, log10

import torch

from bottomup.exercises.engine import Answers, Case, Inputs, Mistake
from bottomup.exercises.engine.scalars import compare_scalar
from bottomup.i18n import _


def bits_per_character(perplexity: float, tokens: int, text: str) -> float:
    import math

    nats = tokens * math.log(perplexity)  # of the whole text
    return nats / (len(text) * math.log(2))


def with_base_two(perplexity: float, tokens: int, text: str) -> float:
    return tokens / len(text) * float(torch.tensor(perplexity, dtype=torch.float64).log2())


def with_a_tensor(perplexity: float, tokens: int, text: str) -> torch.Tensor:
    loss = torch.tensor(perplexity, dtype=torch.float64).log()  # nats a token
    characters = sum(1 for _character in text)
    return loss * tokens / characters / torch.tensor(2.0, dtype=torch.float64).log()


def with_the_perplexity_of_a_character(perplexity: float, tokens: int, text: str) -> float:
    return log2(perplexity ** (tokens / len(text)))


# ---- Mistakes

HANGUL = _("Korean: twelve characters, three of them spaces")
Wrong = Callable[[float, int, str], float]


def _over(count: Callable[[str], int]) -> Wrong:
    """The right number of bits, divided by another count of the text."""
    return lambda perplexity, tokens, text: tokens * log2(perplexity) / count(text)


MISTAKES = (
    Mistake("nats", lambda perplexity, tokens, text: tokens * log(perplexity) / len(text)),
    Mistake(
        "multiplied-by-log-2",
        lambda perplexity, tokens, text: tokens * log(perplexity) / len(text) * log(2),
    ),
    Mistake(
        "converted-twice",
        lambda perplexity, tokens, text: tokens * log2(perplexity) / (len(text) * log(2)),
    ),
    Mistake(
        "per-token",
        lambda perplexity, tokens, text: log2(perplexity),
        (lambda perplexity, tokens, text: log(perplexity),),
    ),
    Mistake(
        "tokens-missing",
        lambda perplexity, tokens, text: log2(perplexity) / len(text),
        (lambda perplexity, tokens, text: log(perplexity) / len(text),),
    ),
    Mistake(
        "whole-text",
        lambda perplexity, tokens, text: tokens * log2(perplexity),
        (lambda perplexity, tokens, text: tokens * log(perplexity),),
    ),
    Mistake(
        "logarithm-missing",
        lambda perplexity, tokens, text: tokens * perplexity / len(text),
        (
            lambda perplexity, tokens, text: tokens * perplexity / (len(text) * log(2)),
            lambda perplexity, tokens, text: perplexity / len(text),
        ),
    ),
    Mistake(
        "tokens-and-characters-exchanged",
        lambda perplexity, tokens, text: len(text) * log2(perplexity) / tokens,
        (lambda perplexity, tokens, text: len(text) * log(perplexity) / tokens,),
    ),
    Mistake(
        "perplexity-per-character",
        lambda perplexity, tokens, text: perplexity ** (tokens / len(text)),
    ),
    Mistake(
        "spaces-left-out",
        _over(lambda text: len("".join(text.split()))),
        (_over(lambda text: len(text.replace(" ", ""))), _over(lambda text: len(text.strip()))),
    ),
    Mistake(
        "words-counted",
        _over(lambda text: len(text.split())),
        (lambda perplexity, tokens, text: tokens * log(perplexity) / len(text.split()),),
    ),
    Mistake("alphabet-counted", _over(lambda text: len(set(text)))),
    Mistake("bytes-counted", _over(lambda text: len(text.encode())), case=HANGUL),
    Mistake(
        "base-ten",
        lambda perplexity, tokens, text: tokens * log10(perplexity) / len(text),
        (lambda perplexity, tokens, text: tokens * log10(perplexity) / (len(text) * log(2)),),
    ),
)


# ---- Cases


def _hand(perplexity: float, tokens: int, text: str) -> Callable[[torch.Generator], Inputs]:
    return lambda generator: {"perplexity": perplexity, "tokens": tokens, "text": text}


def _random(tokens: int, characters: int) -> Callable[[torch.Generator], Inputs]:
    def make(generator: torch.Generator) -> Inputs:
        letters = torch.randint(5, (characters,), generator=generator).tolist()
        perplexity = 1 + 50 * float(torch.rand((), generator=generator))
        return {
            "perplexity": perplexity,
            "tokens": tokens,
            "text": "".join("aeno "[letter] for letter in letters),
        }

    return make


CASES = (
    Case(_("ten characters in five tokens, perplexity 4"), _hand(4.0, 5, "low slower")),
    Case(_("the same text in ten tokens, perplexity 2"), _hand(2.0, 10, "low slower")),
    Case(_("a model that is certain"), _hand(1.0, 3, "so it is")),
    Case(_("a blind guess among 32 characters"), _hand(32.0, 7, "low owl")),
    Case(HANGUL, _hand(16.0, 5, "책 세 권을 읽었습니다")),
    Case(_("a text of two lines"), _hand(9.0, 6, "the owl\nis slow")),
    Case(_("61 characters in 23 tokens"), _random(23, 61), seed=1),
    Case(_("101 characters in 103 tokens"), _random(103, 101), seed=2),
    Case(_("a long text, thirty thousand tokens"), _hand(90.5, 30_000, "an owl " * 10_007)),
)

ANSWERS = Answers(
    solution=bits_per_character,
    alternatives=(with_base_two, with_a_tensor, with_the_perplexity_of_a_character),
    mistakes=MISTAKES,
    cases=CASES,
    compare=compare_scalar,
)
