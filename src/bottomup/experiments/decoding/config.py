"""Chapter 06: the choices of the experiment on real data, and their names."""

from dataclasses import dataclass, replace

KINDS = ("bottomup", "torch")


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How one translator is built and trained.

    Attributes:
        vocabulary: pieces of the joint vocabulary, for both languages.
        d_model, layers, num_heads, d_ff: sizes; `layers` on each side.
        norm: "pre" or "post".
        dropout, smoothing: as in chapter 05.
        tokens_per_batch: source tokens in a batch.
        steps: length of the training.
        warmup: steps until the rate has its peak.
        decay: "linear", to 0 at the end, or "inverse square root".
        learning_rate: the peak.
    """

    vocabulary: int = 4_000
    d_model: int = 128
    layers: int = 4
    num_heads: int = 4
    d_ff: int = 256
    norm: str = "pre"
    dropout: float = 0.2
    smoothing: float = 0.1
    tokens_per_batch: int = 2_048
    steps: int = 8_400
    warmup: int = 300
    decay: str = "linear"
    learning_rate: float = 4e-3


# The plain module's recipe, as it was given to be beaten: half of its budget is warm-up.
PLAIN = Recipe(
    vocabulary=8_000,
    norm="post",
    dropout=0.3,
    tokens_per_batch=4_096,
    steps=3_787,
    warmup=2_000,
    decay="inverse square root",
    learning_rate=5e-3,
)


@dataclass(frozen=True, kw_only=True)
class Texts:
    """What every translator reads and is tested on.

    Attributes:
        corpus: "multi30k", English to German, or "minilang", English to Korean, which needs no
            file and serves the tests.
        max_length: positions of a sentence in either model, and tokens of a translation.
        evaluate_every: steps between two points of the curve.
        watched: validation sentences of the curve.
        tested: test sentences; a number below that of the corpus is for tests.
    """

    corpus: str = "multi30k"
    max_length: int = 96
    evaluate_every: int = 400
    watched: int = 500
    tested: int = 1_000


@dataclass(frozen=True, kw_only=True)
class Config(Texts):
    """The choices of the experiment.

    Attributes:
        bottomup, torch: the recipes of the two translators.
        beam: width of the search whose translations are kept.
        widths: beam widths that are compared, without a length penalty and with `length_penalty`.
        penalties: exponents of the length penalty that are compared, at `beam`.
        length_penalty: that of the search whose translations are kept.
    """

    bottomup: Recipe = Recipe()
    torch: Recipe = PLAIN
    beam: int = 5
    widths: tuple[int, ...] = (1, 2, 3, 5, 10, 30)
    penalties: tuple[float, ...] = (0.0, 0.3, 0.6, 1.0, 1.5)
    length_penalty: float = 0.6


TINY = Recipe(
    vocabulary=300,
    d_model=8,
    layers=1,
    num_heads=2,
    d_ff=12,
    tokens_per_batch=64,
    steps=3,
    warmup=2,
)
LARGE = Recipe(d_model=256, d_ff=1_024, dropout=0.3, tokens_per_batch=4_096, steps=12_000)

PRESETS = {
    "tiny": Config(
        corpus="minilang",
        bottomup=TINY,
        torch=replace(TINY, norm="post", decay="inverse square root"),
        evaluate_every=2,
        watched=7,
        tested=11,
        beam=2,
        widths=(1, 2),
        penalties=(0.0, 1.0),
        max_length=128,
    ),
    "laptop": Config(
        bottomup=Recipe(steps=800), torch=replace(PLAIN, steps=400), evaluate_every=200
    ),
    "multi30k": Config(),
    "multi30k-gpu": Config(
        bottomup=LARGE,
        torch=replace(PLAIN, d_model=256, d_ff=1_024, steps=12_000, learning_rate=3e-3),
    ),
}
