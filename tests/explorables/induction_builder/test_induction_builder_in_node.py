"""The circuit in the page is the one of the package: weights, answers, counts, cut paths."""

from itertools import product
from pathlib import Path

import torch

from bottomup.analysis.patching import patched
from bottomup.data import successor_frequencies
from bottomup.models import InductionByHand
from tests.explorables import node

SYMBOLS = 5
PARTS = {"queries": "W_Q", "keys": "W_K", "values": "W_V"}
TEXTS = [[0, 1, 2, 3, 4, 0, 1, 2], [0, 1, 0, 2, 0, 1, 0, 3], [1, 1, 1, 2, 1, 1, 4, 1]]


def case(text: list[int], beta: float, begin: bool, cut: list[str]) -> dict[str, object]:
    tokens = torch.tensor([[SYMBOLS, *text] if begin else text])
    model = InductionByHand(
        vocabulary=SYMBOLS + 1,
        length=tokens.shape[1],
        beta=beta,
        begin=SYMBOLS if begin else None,
    ).double()
    start = model.embed(tokens)
    patches = {
        f"layers.1.{PARTS[part]}": getattr(model.layers[1], PARTS[part])(start) for part in cut
    }
    with patched(model, patches):
        output = model(tokens)
    first, second = (weights[0, 0].tolist() for weights in output.weights)
    return {
        "text": text,
        "setting": {
            "symbols": SYMBOLS,
            "beta": beta,
            "begin": begin,
            "cuts": {part: part in cut for part in PARTS},
        },
        "first": first,
        "second": second,
        "answers": output.logits[0, :, :SYMBOLS].tolist(),
        "counted": successor_frequencies(tokens, SYMBOLS + 1)[0, :, :SYMBOLS].tolist(),
    }


def test_pure_functions(tmp_path: Path):
    cuts = [[], ["queries"], ["keys"], ["values"], [*PARTS]]
    settings = product(TEXTS, (1.0, 8.0, 40.0), (True, False), cuts)
    given = {"cases": [case(*setting) for setting in settings]}
    node.check(Path(__file__).with_name("circuit.test.js"), given, tmp_path)
