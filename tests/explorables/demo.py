"""A small payload for the tests: two sentences, two scores, weights set by hand."""

import math
from dataclasses import replace

import numpy as np
import torch

from bottomup.analysis import journey
from bottomup.data import make_batch
from bottomup.drawings import Canvas, Drawing
from bottomup.explorables import (
    AlignedSentence,
    Explorable,
    HeadsOfSentence,
    LayersOfSentence,
    LengthCurves,
    PatchedPair,
    head_dictionary,
    head_gallery,
    induction_builder,
    knobs,
    layer_attention,
    mask_painter,
    names_board,
    neuron_inspector,
    patching_board,
    query_and_keys,
    superposition_map,
    token_journey,
)
from bottomup.models import Transformer, TransformerConfig
from bottomup.results.pretrained import HeadAnswers, NameScores

CAT = AlignedSentence(
    source=["the", "cat", "ate", "two", "apples", "."],
    target=["고양이", "-는", "사과", "두", "-개", "-를", "먹", "-었", "-다", "."],
    romanised=["goyangi", "-neun", "sagwa", "du", "-gae", "-reul", "meok", "-eot", "-da", "."],
    glosses=["cat", "-TOP", "apple", "two", "-CL", "-OBJ", "eat", "-PAST", "-DECL", "."],
    links=[
        (0, 1, True), (1, 0, False), (1, 1, False), (2, 4, True), (3, 3, True), (4, 3, False),
        (5, 4, False), (6, 2, True), (7, 2, False), (8, 2, False),
    ],
    weights={
        "dot": [
            [0.1, 0.8, 0.1, 0, 0, 0], [0.2, 0.6, 0.2, 0, 0, 0], [0, 0, 0.1, 0.2, 0.7, 0],
            [0, 0, 0, 0.9, 0.1, 0], [0, 0, 0, 0.5, 0.5, 0], [0, 0, 0.1, 0, 0.6, 0.3],
            [0, 0, 0.75, 0.123456, 0, 0.1], [0, 0, 0.1, 0, 0, 0.6], [0, 0, 0, 0, 0, 0.4],
            [0, 0, 0, 0, 0, 0.3],
        ],
        "bahdanau": [
            [0, 0.95, 0.05, 0, 0, 0], [0.1, 0.8, 0.1, 0, 0, 0], [0, 0, 0, 0.05, 0.95, 0],
            [0, 0, 0, 1, 0, 0], [0, 0, 0, 0.7, 0.3, 0], [0, 0, 0, 0.2, 0.8, 0],
            [0, 0, 0.95, 0, 0.05, 0], [0, 0, 0.9, 0, 0, 0.1], [0, 0, 0.5, 0, 0, 0.4],
            [0, 0, 0, 0, 0, 0.9],
        ],
    },
)  # fmt: skip

LETTER = AlignedSentence(
    source=["the", "letter", "is", "short", "."],
    target=["편지", "-는", "짧", "-다", "."],
    romanised=["pyeonji", "-neun", "jjap", "-da", "."],
    glosses=["letter", "-TOP", "short", "-DECL", "."],
    links=[(0, 1, True), (1, 0, False), (2, 3, True)],
    weights={
        "dot": [[0.2] * 5] * 5,
        "bahdanau": [
            [0, 0.9, 0.1, 0, 0], [0.5, 0.5, 0, 0, 0], [0, 0, 0.2, 0.8, 0], [0, 0, 0, 0, 0],
            [0, 0, 0, 0, 1],
        ],
    },
)  # fmt: skip

CURVES = LengthCurves(
    bins=[(4, 4), (5, 5), (6, 6), (7, 8), (9, 10), (11, 12)],
    accuracy={
        "dot": [[0.9, 0.88, 0.86, 0.8, 0.7, 0.5], [0.88, 0.84, 0.84, 0.78, 0.66, 0.44]],
        "bahdanau": [[0.95, 0.95, 0.94, 0.9, 0.85, 0.6], [0.93, 0.93, 0.9, 0.9, 0.81, 0.5]],
    },
    fixed_vector=[[0.85, 0.7, 0.55, 0.4, 0.2, 0.05], [0.8, 0.66, 0.5, 0.3, 0.14, 0.01]],
    measure="exact match",
    longest_trained=10,
)

# A word that would be read as HTML, and one that would end a script, if they were not escaped.
HOSTILE = replace(
    LETTER,
    source=[
        "<img src=x onerror=window.hit=1>",
        "</script><script>window.hit=1</script>",
        "{word}",
        "{words}",
        "<",
    ],
    glosses=["<b>bold</b>", "</div>", "<!--", "'\"", "\u2028"],
)


# The key of "street" is long, the key of "animal" points where the query points, "tired" stands
# beyond a right angle, "crossed" is opposite.
QUERY = query_and_keys(
    "it",
    [1.6, 1.2],
    {
        "animal": [0.8, 1.0],
        "street": [2.6, 0.2],
        "was": [-0.6, 1.4],
        "tired": [0.8, -1.4],
        "crossed": [-1.6, -1.3],
    },
)

# Six words that all differ; the pronoun scores the cat highest.
MASK = mask_painter(
    ["the", "cat", "saw", "it", "and", "ran"],
    [
        [0.6, 1.4, 0.1, -0.3, -0.5, 0.2],
        [1.1, 0.4, 0.9, 0.2, -0.8, 0.7],
        [-0.2, 1.6, 0.3, 1.2, -0.4, 0.1],
        [0.1, 2.1, 0.8, 0.2, -0.6, 0.3],
        [-0.4, 0.2, 1.1, 0.1, 0.5, 1.3],
        [-0.7, 1.9, 0.6, 0.4, 0.8, 0.3],
    ],
)


def _heads(words: list[str], *, seed: int) -> HeadsOfSentence:
    """Weights of two layers of eight heads, drawn at random: some heads sharp, some even."""
    generator = np.random.default_rng(seed)
    scores = generator.normal(size=(2, 8, len(words), len(words)))
    powers = np.exp(scores * np.linspace(0.3, 4, 8)[:, None, None])
    return HeadsOfSentence(words, powers / powers.sum(axis=-1, keepdims=True))


def _subsets(loss: dict[int, float], *, whole: float) -> list[float]:
    """Accuracies of every subset of eight heads: each head of a subset costs its loss."""
    return [
        round(whole - sum(loss[head] for head in loss if subset >> head & 1), 4)
        for subset in range(2**8)
    ]


# In the first layer either of heads 1 and 3 can go, but not both. In the second head 2 is needed
# and head 6 does harm.
_FIRST = [
    round(share - (0.5 if subset & 0b101 == 0b101 else 0), 4)
    for subset, share in enumerate(_subsets({0: 0.01, 2: 0.02, 5: 0.004}, whole=0.97))
]
HEADS = head_gallery(
    [
        _heads(
            "after the rain my grandmother found two old umbrellas here today .".split(), seed=5
        ),
        _heads("the cat saw the dog .".split(), seed=7),
    ],
    accuracy=[_FIRST, _subsets({1: 0.3, 5: -0.01}, whole=0.97)],
    chance=0.0625,
)


# Two heads answer two questions about three positions: one reads the first, the other the second.
QUESTIONS = head_gallery(
    [
        HeadsOfSentence(
            ["0", "1", "2"],
            [[[[0.9, 0, 0.1], [0, 1, 0]], [[0, 0, 1], [1, 0, 0]]]],
            queries=["0, then 2", "1, then 0"],
        )
    ],
    accuracy=[[0.99, 0.06, 0.05, 0]],
    chance=0.01,
    parts={"first": [[1, 0.07, 0.99, 0]], "second": [[0.99, 0.98, 0.06, 0]]},
)


def _layers(source: list[str], target: list[str], *, seed: int) -> LayersOfSentence:
    """Weights of two layers of four heads on both sides, drawn at random, none on later tokens."""
    generator = np.random.default_rng(seed)

    def drawn(queries: int, keys: int, *, causal: bool = False) -> np.ndarray:
        scores = generator.normal(size=(2, 4, queries, keys))
        powers = np.exp(scores * np.linspace(0.3, 4, 4)[:, None, None])
        powers = np.tril(powers) if causal else powers
        return powers / powers.sum(axis=-1, keepdims=True)

    s, t = len(source), len(target)
    return LayersOfSentence(source, target, drawn(s, s), drawn(t, t, causal=True), drawn(t, s))


# The first sentence has as many and as long words as may be on both sides, the second has few.
LAYERS = layer_attention(
    [
        _layers(
            "after the rain my grandmother found two interesting things here . <eos>".split(),
            "<bos> rain -GEN after grandmother -in.order.to two -CL -OBJ find -PAST .".split(),
            seed=3,
        ),
        _layers("the cat ate . <eos>".split(), "<bos> cat -TOP eat -PAST -DECL .".split(), seed=13),
    ]
)


# Two features at right angles, two antipodal pairs (the second of length 1.2), a regular pentagon,
# and the pairs with a fifth arrow that is too short to count.
_TWO = np.eye(2, 5)
_PAIRS = np.array([[1, 0, -1, 0, 0], [0, 1.2, 0, -1.2, 0]])
_TURNS = 2 * np.pi * np.arange(5) / 5
_PENTAGON = np.stack([np.cos(_TURNS), np.sin(_TURNS)])
_SHORT = np.array([[1, 0, -1, 0, 0.24], [0, 1.2, 0, -1.2, -0.32]])
SUPERPOSITION = superposition_map(
    [[_TWO, _TWO], [_PAIRS, _TWO], [_PENTAGON, _SHORT]],
    loss=[[0.05, 0.0412345], [0.02, 0.015], [0.004, 0.0031]],
    sparsities=[0.0, 0.7, 0.9],
    decays=[1.0, 0.8],
)


def _neurons() -> Explorable:
    """Twelve neurons that read 24 names; the first is active for none, the last for one sport."""
    generator = np.random.default_rng(11)
    names = [f"{first} {last}" for first in "Ana Ben Cora Dan Eva Finn".split()
             for last in "Adler Brook Cole Duarte".split()]  # fmt: skip
    facts = [number % 5 for number in range(24)]
    activations = generator.normal(size=(24, 12)).clip(min=0)
    activations[:, 0] = 0
    activations[:, 11] = [fact == 3 for fact in facts]
    return neuron_inspector(
        names,
        facts,
        ["tennis", "chess", "rowing", "judo", "golf"],
        activations=activations,
        effects=generator.normal(size=(12, 5)),
    )


NEURONS = _neurons()


JOURNEY_SOURCE = ["<pad>", "<bos>", "<eos>", "<unk>", "the", "cat", "saw", "dog", "."]
JOURNEY_TARGET = [*JOURNEY_SOURCE[:4], "-da", "goyangi", "-neun", "gae", "-reul", "bo", "-at"]


# Five symbols: one that is repeated, one that is followed by different ones, one that comes twice.
INDUCTION = induction_builder(list("abcde"), [list("abcdeabc"), list("abacabad"), list("abbcdbbe")])


def _patched(
    kind: str, clean: str, corrupted: str, written: str, answers: tuple[str, str], *, seed: int
) -> PatchedPair:
    """Effects and weights of two layers of four heads, drawn at random."""
    generator = np.random.default_rng(seed)
    n = len(clean.split())
    scores = np.exp(2 * generator.normal(size=(2, 2, 4, n)))
    weights = scores / scores.sum(axis=-1, keepdims=True)
    effects = generator.normal(scale=0.5, size=(2, 2, 9, n + 1)).round(2)
    return PatchedPair(
        kind,
        clean.split(),
        corrupted.split(),
        written.split(),
        answers,
        effects={
            direction: dict(zip(("logits", "probability"), part, strict=True))
            for direction, part in zip(("denoising", "noising"), effects, strict=True)
        },
        weights={"clean": weights[0], "corrupted": weights[1]},
    )


# The first pair has as many and as long words as may be, the second differs in two words.
PATCHES = patching_board(
    [
        _patched(
            "object",
            "the grandmothers found two interesting umbrellas and apples . <eos>",
            "the grandmothers found two interesting newspapers and apples . <eos>",
            "grandmother -TOP two interesting",
            ("umbrella", "newspaper"),
            seed=3,
        ),
        _patched("both", "a cat ate .", "the dog ate .", "", ("cat", "dog"), seed=5),
    ],
    {"logits": "difference of logits", "probability": "probability"},
)


def _name_scores() -> NameScores:
    """Scores of two first and three last names, as long as may be, drawn at random."""
    generator = np.random.default_rng(2)
    intact, frozen = generator.integers(-70, 150, size=(2, 2, 3, 3, 3)) / 241  # as they are stored
    return NameScores(
        first=["Anna", "Bartholomews"],
        last=["Fischer", "King", "Featherstone"],
        professions=["acting", "mathematics", "administration"],
        people=[(0, 0, 0), (1, 2, 1)],
        intact=intact,
        frozen=frozen,
        notice="Scores that were made for a test",
    )


NAME_SCORES = _name_scores()
NAMES = names_board(
    NAME_SCORES, examples=["Anna Fischer", "Bartholomews Featherstone", "Anna King"]
)


HEAD_ANSWERS = HeadAnswers(
    answers={
        "jordan": ([("michael", 8.31), ("andy", 6.7)], [("king", 6.2), ("sri", -1.1)]),
        "king": ([("stephen", 4.2), ("jordan", 4.1)], [("michael", 5.9), ("jordan", 0.04)]),
    },
    typical=(5.4, 5.6),
    count=4271,
    notice="Answers that were made for a test",
)
WORDS = head_dictionary(HEAD_ANSWERS, examples=["jordan", "king"])


def journey_figure(source_words: list[str], target_words: list[str]) -> Explorable:
    """An untrained model of one layer a side, and a sentence of five and seven positions."""
    config = TransformerConfig(
        source_vocabulary=len(JOURNEY_SOURCE),
        target_vocabulary=len(JOURNEY_TARGET),
        d_model=8,
        encoder_layers=1,
        decoder_layers=1,
        num_heads=2,
        d_ff=12,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        model = Transformer(config).double()
    batch = make_batch([([4, 5, 6, 8], [5, 6, 7, 8, 9, 10])])
    return token_journey(
        journey(model, batch),
        journey(model, batch, residual=False),
        source_words=source_words,
        target_words=target_words,
    )


JOURNEY = journey_figure(JOURNEY_SOURCE, JOURNEY_TARGET)


def grown(steps: int) -> Canvas:
    """A cache after some steps."""
    canvas = Canvas(320, 90)
    for step in range(steps):
        canvas.box(10 + 60 * step, 30, 50, 30, f"$k_{step + 1}$", look="lit")
    canvas.text(160, 76, "keys kept so far", size=12, look="quiet")
    return canvas


GROWING = Drawing(
    "A cache that grows", "One key more at each step.", (grown(1), grown(2), grown(3))
)
PICTURES = [GROWING.svg(number) for number in range(3)]
STEPS_SAY = ["The first key is kept.", "A second one, beside it.", "Three keys are read."]
STEPS = GROWING.in_steps(STEPS_SAY)


LOGITS = {"dog": 2.0, "cat": 1.0, "owl": 0.0}


def chances(temperature: float = 1.0, k: int = 2) -> dict[str, float | None]:
    """The softmax of three logits, of which the k largest are kept."""
    powers = {word: math.exp(logit / temperature) for word, logit in list(LOGITS.items())[:k]}
    return {word: powers[word] / sum(powers.values()) if word in powers else None
            for word in LOGITS}  # fmt: skip


CHANCES = knobs("Next word", chances, temperature=[0.5, 0.8, 1.0, 2.0], k=range(1, 4))

SEEN_SENTENCES = ["we saw an owl today", "one two three four five six"]


def seen(sentence: str = SEEN_SENTENCES[0], sharpness: float = 1.0) -> dict[str, dict[str, float]]:
    """Weights that fall with the distance of two words."""
    words = sentence.split()
    return {
        one: {other: math.exp(-sharpness * abs(i - j)) for j, other in enumerate(words)}
        for i, one in enumerate(words)
    }


SEEN = knobs("Words seen", seen, sentence=SEEN_SENTENCES, sharpness=[0.5, 1.0])
