"""The beam tree's ranking and its outlook: what a search with each alpha finds."""

import json
from pathlib import Path

from bottomup.decoding import beam_search, gnmt_penalty
from tests.decoding.markov import source_of
from tests.explorables import node
from tests.explorables.beam_demo import (
    BEAM,
    LARGEST,
    MODEL,
    MOST,
    NUMBERS,
    RESULTS,
    WORDS,
    dogs,
    search,
    stop_figure,
)

ALPHAS = (0, 0.3, 0.4, 0.6, 0.9, 1.0, 1.2, 1.5)


def decoded(width: int, alpha: float) -> list[dict[str, object]]:
    """What a search with this alpha returns, the best first."""
    found = beam_search(
        dogs(), *source_of([5]), beam=width, max_length=LARGEST, length_penalty=alpha, n_best=width
    )
    return [
        {
            "sequence": [WORDS[token] for token in tokens],
            "total": found.log_probabilities[0, place].item(),
            "penalty": gnmt_penalty(len(tokens) + 1, alpha),
            "score": found.scores[0, place].item(),
        }
        for place, tokens in enumerate(found.to_lists()[0])
    ]


def stop(searched: float) -> dict[str, object]:
    """A search, and for other alphas whether one would have gone on."""
    first, made = stop_figure(length_penalty=searched)

    def longer(alpha: float) -> bool:
        again = search(MODEL, 2, n_best=1, max_length=MOST, length_penalty=alpha)
        return len(again.steps) > len(first.steps)

    alphas = [{"alpha": alpha, "longer": longer(alpha)} for alpha in ALPHAS]
    assert any(one["longer"] for one in alphas) == (searched < 1.5)
    tree = json.loads(made.data)["trees"][0]
    return {"tree": tree, "searched": searched, "longest": MOST, "alphas": alphas}


def test_pure_functions(tmp_path: Path):
    payload = json.loads(BEAM.data)
    ranks = [
        {"tree": tree, "words": payload["words"], "alpha": alpha, "decoded": decoded(width, alpha)}
        for width, tree in zip(RESULTS, payload["trees"], strict=True)
        for alpha in ALPHAS
    ]
    stops = [stop(searched) for searched in (0, 0.6, 1.5)]
    given = {"ranks": ranks, "stops": stops, "numbers": NUMBERS}
    node.check(Path(__file__).with_name("search.test.js"), given, tmp_path)
