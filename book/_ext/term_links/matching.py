"""The name in the glossary that a chapter means by its bold words."""

from collections.abc import Container

# What a chapter prints bold -> the entry it means, where case and plural do not lead there.
ALIASES = {
    "ablate": "ablation",
    "accessible": "accessible information",
    "additive": "additive attention",
    "antipodal": "antipodal pair",
    "clipped": "modified n-gram precision",
    "factorised": "factorised attention",
    "hidden units": "neuron",
    "highway": "highway network",
    "local-m": "local attention",
    "local-p": "local attention",
    "location": "location score",
    "plug-in": "plug-in estimate",
    "possible": "gold alignment",
    "projection-weighted": "pwcca",
    "recurrent network": "recurrent neural network",
    "resampling": "ablation",
    "residual": "skip connection",
    "soft": "soft attention",
    "state": "hidden state",
    "strided": "strided attention",
    "sure": "gold alignment",
    "surrogate": "surrogate loss",
    "tied": "weight tying",
    "top-k": "top-k sampling",
    "top-p": "top-p sampling",
    "update gate": "gated recurrent unit",
    "whiten": "whitening",
}


def entry_name(text: str, names: Container[str]) -> str | None:
    """Return the name that bold words stand for, of `names` in small letters, or None.

    The words themselves come first, then what `ALIASES` says, then their singular.
    """
    words = " ".join(text.split()).casefold()
    meant = [words, ALIASES.get(words, words), words.removesuffix("s")]
    return next((name for name in meant if name in names), None)
