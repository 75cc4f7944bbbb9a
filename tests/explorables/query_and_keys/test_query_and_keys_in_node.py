"""Scores, weights and angles of query and keys: what torch computes."""

import json
from pathlib import Path

import torch

from bottomup.attention import masked_softmax
from tests.explorables import node
from tests.explorables.demo import QUERY


def case(generator: torch.Generator) -> dict[str, object]:
    query = torch.randn(2, generator=generator, dtype=torch.float64)
    keys = torch.randn(5, 2, generator=generator, dtype=torch.float64)
    dots = keys @ query
    cosines = torch.cosine_similarity(query[None], keys)
    return {
        "query": query.tolist(),
        "keys": keys.tolist(),
        "dots": dots.tolist(),
        "cosines": cosines.tolist(),
        "angles": torch.rad2deg(torch.acos(cosines)).tolist(),
        "temperatures": [
            {"temperature": value, "weights": masked_softmax(dots[None] / value)[0].tolist()}
            for value in (0.1, 0.5, 1, 3)
        ],
    }


def test_pure_functions(tmp_path: Path, generator: torch.Generator):
    payload = json.loads(QUERY.data)
    words = [vector["word"] for vector in payload["vectors"]]
    cases = [case(generator) for _ in range(20)]
    given = {"labels": payload["labels"], "words": words, "cases": cases}
    node.check(Path(__file__).with_name("query_and_keys.test.js"), given, tmp_path)
