"""Chapter 06: is it the module that translates better, or the recipe?

Three translators of Multi30k, English to German: ``ours``, the package's Transformer with the
chapter's recipe; ``torch_ours``, `nn.Transformer` with the same recipe; and ``torch_plain``,
`nn.Transformer` with the plain recipe. Each reads every training pair equally often, so that the
budget is the same on every machine; the processor seconds are recorded beside it.
"""

from dataclasses import dataclass, replace

from bottomup.experiments.decoding.config import PLAIN, TINY, Recipe, Texts
from bottomup.experiments.decoding.corpus import learn_pieces
from bottomup.experiments.decoding.training import train
from bottomup.experiments.decoding.translations import measure_greedy
from bottomup.experiments.engine.units import Outcome, Trial

# each translator's kind and recipe
TRANSLATORS = {
    "ours": ("bottomup", "ours"),
    "torch_ours": ("torch", "ours"),
    "torch_plain": ("torch", "plain"),
}
VARIANTS = tuple(TRANSLATORS)


OURS = Recipe(steps=538)
SHORT_PLAIN = replace(PLAIN, steps=278, warmup=147)


@dataclass(frozen=True, kw_only=True)
class Config(Texts):
    """The choices of the experiment: two epochs of Multi30k, unless said otherwise.

    Attributes:
        ours: the chapter's recipe; its steps are two epochs of its batches.
        plain: the plain recipe; its steps are two epochs of its batches, and as large a part of
            them as of the long training is warm-up.
    """

    evaluate_every: int = 200
    watched: int = 200
    ours: Recipe = OURS
    plain: Recipe = SHORT_PLAIN


PRESETS = {
    "tiny": Config(
        corpus="minilang",
        ours=TINY,
        plain=replace(TINY, norm="post", decay="inverse square root", steps=2),
        evaluate_every=2,
        watched=7,
        tested=11,
        max_length=128,
    ),
    "laptop": Config(
        ours=Recipe(steps=269, warmup=150), plain=replace(PLAIN, steps=139, warmup=73), tested=200
    ),
    "recorded": Config(),
    "full": Config(),
}


def measure(config: Config, variant: str, trial: Trial) -> Outcome:
    """Train one translator and score its greedy translations of the test sentences."""
    kind, name = TRANSLATORS[variant]
    recipe: Recipe = getattr(config, name)
    model, training = train(config, recipe, kind, trial)
    written = measure_greedy(model, learn_pieces(config.corpus, recipe.vocabulary), config)
    return Outcome({**training, "greedy": written.metrics["greedy"]})
