"""Beam searches for the tests of their tree: one by hand, one as wide and as long as may be."""

import math

import torch
from torch import Tensor

from bottomup.data import BOS, EOS, SPECIAL_TOKENS
from bottomup.decoding import BeamDecoded, beam_search
from bottomup.explorables import Explorable, beam_tree
from tests.decoding.markov import Markov, random_table, source_of

SOURCE = "a dog barks loudly ."
WORDS = [*SPECIAL_TOKENS, "der", "ein", "Hund", "Straßenhund", "bellt", "laut", "im", "Garten", "."]
LARGEST = 12  # length

# Greedily: "der Hund bellt .", for "der" is likelier than "ein". But then there are more nouns.
FOLLOWING = {
    "<bos>": {"der": 0.5, "ein": 0.4, "Hund": 0.1},
    "der": {"Hund": 0.45, "Straßenhund": 0.35, "Garten": 0.2},
    "ein": {"Hund": 0.9, "Straßenhund": 0.1},
    "Hund": {"bellt": 0.85, "im": 0.15},
    "Straßenhund": {"bellt": 1},
    "bellt": {".": 0.48, "laut": 0.42, "<eos>": 0.1},
    "laut": {".": 0.95, "im": 0.05},
    "im": {"Garten": 1},
    "Garten": {".": 0.6, "bellt": 0.4},
    ".": {"<eos>": 0.95, "laut": 0.05},
}


def dogs() -> Markov:
    """A model in which greedy is trapped, and a longer sentence wins from α = 1 on."""
    table = torch.full((len(WORDS), len(WORDS)), -math.inf, dtype=torch.float64)
    table[:, EOS] = 0  # what no sentence holds
    for word, following in FOLLOWING.items():
        row = BOS if word == "<bos>" else WORDS.index(word)
        table[row] = -math.inf
        for other, probability in following.items():
            table[row, WORDS.index(other)] = math.log(probability)
    return Markov(table)


def search(model: Markov, width: int, **options: float) -> BeamDecoded:
    """Search for one sentence with a trace, as the figure wants it."""
    settings = {"max_length": LARGEST, "length_penalty": 1.5, "n_best": width, **options}
    return beam_search(model, *source_of([5]), beam=width, trace=True, **settings)


RESULTS = {width: search(dogs(), width) for width in (1, 2, 4)}
BEAM = beam_tree(RESULTS, source=SOURCE, target_words=WORDS, max_length=LARGEST, beam=1)


LENGTHS = (
    "a an of dog doors street Straßenbahn Donaudampfschifffahrten 고양이 -in.order.to mmmmmmmmmmmm"
)


def wide_figure(words: list[str] | None = None, *, seed: int = 2, steps: int = 20) -> Explorable:
    """A beam of five over twenty steps of a random model, with words of many lengths."""
    words = words or [*SPECIAL_TOKENS, *LENGTHS.split()]
    table: Tensor = random_table(len(words), seed)
    table[:, EOS] -= 2
    model = Markov(table, varied=True)
    decoded = {width: search(model, width, max_length=steps) for width in (2, 5)}
    return beam_tree(decoded, source="…", target_words=words, max_length=steps)


WIDE = wide_figure()


def hostile_figure() -> Explorable:
    """The search by hand with words that would be read as HTML or filled in."""
    names = {"ein": "<b>{total}", "Hund": "<img>", "bellt": "</script>", "laut": "{n}", ".": "<!--"}
    words = [names.get(word, word) for word in WORDS]
    return beam_tree({2: RESULTS[2]}, source="</b>{width}", target_words=words, max_length=LARGEST)


# A search that ends early, by the alpha it is made with.
MODEL = Markov(random_table(7, 23), varied=True)
MOST = 9
NUMBERS = [str(number) for number in range(7)]


def stop_figure(**options: float) -> tuple[BeamDecoded, Explorable]:
    """A search for the best sequence of numbers, and its figure."""
    decoded = search(MODEL, 2, n_best=1, max_length=MOST, **options)
    return decoded, beam_tree({2: decoded}, source="…", target_words=NUMBERS, max_length=MOST)
