"""Figures for the tests of the layer slider: one as large as may be, one with hostile words."""

from typing import Any

import numpy as np

from bottomup.explorables import Explorable, layer_slider

NETWORKS = ["LM", "MLM", "MT", "untrained"]
STATIONS = 7
TOKENS = "the grandmother who read two interesting books sat near the fountain .".split()
OTHERS = ["newspapers", "letters", "magazines", "a", "grandfathers", "playgrounds", "umbrella"]
BOOKS = TOKENS.index("books")


def _points(seed: int) -> np.ndarray:
    """Walks that start anywhere, the second "the" beside the first [station, token, 2]."""
    steps = np.random.default_rng(seed).normal(size=(STATIONS, len(TOKENS), 2))
    steps[0] *= 3
    steps[0, 9] = steps[0, 0] + 0.05
    return steps.cumsum(axis=0)


def _neighbours(seed: int) -> list[list[list[tuple[str, float]]]]:
    """Five types a token; its own has a share that falls with depth, most of all of "books"."""
    generator = np.random.default_rng(seed)
    return [
        [
            [
                (token, 0.9 - (0.12 if number == BOOKS else 0.08) * station),
                *zip(
                    generator.choice(OTHERS, size=4, replace=False).tolist(),
                    [0.031, 0.0234, 0.02, 0.011],
                    strict=True,
                ),
            ]
            for number, token in enumerate(TOKENS)
        ]
        for station in range(STATIONS)
    ]


ARGUMENTS: dict[str, Any] = {
    "stations": STATIONS,
    "networks": NETWORKS,
    "information": {
        "LM": [4.19, 4.06, 3.73, 3.34, 3.09, 3.02, 2.9634567],
        "MLM": [4.19, 3.58, 3.36, 3.54, 3.60, 3.69, 3.63],
        "MT": [4.19, 4.15, 4.09, 3.93, 3.75, 3.70, 3.66],
        "untrained": [4.13, 3.9, 3.6, 3.3, 3.05, 2.8, 2.65],
    },
    "entropy": 4.51,
    "distances": {
        "LM–MLM": [0.05, 0.21, 0.27, 0.33, 0.36, 0.37, 0.38],
        "LM–MT": [0.06, 0.19, 0.26, 0.34, 0.38, 0.4, 0.41],
        "MLM–MT": [0.04, 0.22, 0.25, 0.28, 0.29, 0.3, 0.31],
        "LM, other start": [0.03, 0.1, 0.12, 0.15, 0.17, 0.18, 0.2],
    },
    "sentence": TOKENS,
    "points": {name: _points(seed) for seed, name in enumerate(NETWORKS)},
    "neighbours": {name: _neighbours(seed) for seed, name in enumerate(NETWORKS)},
}
LAYER_SLIDER = layer_slider(**ARGUMENTS)


def hostile_figure() -> Explorable:
    """Names and words that would be read as HTML or filled in."""
    network, pair = "<b>{station}", "</script>"
    return layer_slider(
        stations=2,
        networks=[network],
        information={network: [1, 0.5]},
        entropy=2,
        distances={pair: [0, 0.5]},
        sentence=["<img>", "{types}"],
        points={network: [[[0, 0], [1, 1]], [[1, 0], [0, 1]]]},
        neighbours={network: [[[("</b>", 0.5)], [("{token}", 1)]]] * 2},
    )
