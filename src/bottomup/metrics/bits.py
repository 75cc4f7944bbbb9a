"""How well a model predicts: perplexity per token, bits per token and per character.

Chapter 00 shows why perplexities under different tokenisers cannot be compared.
"""

import math

from bottomup.checks import check_integer, check_number

LARGEST = 709.78  # nats a token, of which a float can still hold the perplexity


def perplexity(nats: float, *, tokens: int) -> float:
    """The number of equally likely tokens that would be as surprising, on average.

    ``perplexity = exp(nats / tokens)``

    It depends on what counts as a token: the same probability for the same text gives another
    perplexity when the text is cut into more tokens.

    Args:
        nats: the negative log-probability of the whole text, ``-log p(text)``, natural logarithm.
        tokens: how many tokens were predicted.

    Chapter 00 derives it.

    Example:
        >>> round(perplexity(nats=3 * math.log(8), tokens=3), 6)  # as if 8 were equally likely
        8.0
    """
    check_number("nats", nats, at_least=0)
    check_integer("tokens", tokens, at_least=1, below=2**63)
    mean = float(nats) / tokens
    if LARGEST < mean < math.inf:
        raise ValueError(f"nats: expected at most {LARGEST} a token, got {mean}: exp overflows")
    return math.exp(mean)


def bits_per_character(nats: float, *, characters: int) -> float:
    """Bits that the model needs for one character of the text, on average.

    ``bits per character = nats / (characters * log 2)``

    The characters belong to the text, whatever the tokeniser, so this can be compared between
    models that cut it differently.

    Args:
        nats: the negative log-probability of the whole text, ``-log p(text)``, natural logarithm.
        characters: length of the text, with its spaces.

    Chapter 00 derives it.

    Example:
        >>> bits_per_character(nats=4 * math.log(2), characters=2)
        2.0
    """
    check_number("nats", nats, at_least=0)
    check_integer("characters", characters, at_least=1, below=2**63)
    return nats / (characters * math.log(2))


def bits_per_token(nats: float, *, tokens: int) -> float:
    """Bits that the model needs for one token, on average; for images "bits per dimension".

    ``bits per token = nats / (tokens * log 2)``

    Where a token is a grey level, ``log2`` of the number of levels is what a uniform guess needs.

    Args:
        nats: the negative log-probability of all tokens, ``-log p``, natural logarithm.
        tokens: how many tokens were predicted.

    Source: Child et al. (2019), table 1, "bits per byte". Chapter 07 uses it.
    """
    check_number("nats", nats, at_least=0)
    check_integer("tokens", tokens, at_least=1, below=2**63)
    return nats / (tokens * math.log(2))
