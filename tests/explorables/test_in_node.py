"""The scripts' pure functions, run by node: what the package computes for them is in `GIVEN`."""

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
import torch

from bottomup.analysis import reached
from bottomup.analysis.patching import patched
from bottomup.attention import masked_softmax
from bottomup.data import successor_frequencies
from bottomup.experiments.pretrained.head_words import HeadWords
from bottomup.explorables import neuron_inspector, segments
from bottomup.explorables.head_dictionary.script import words_payload
from bottomup.explorables.segments import LAYERS, MEMORIES, SEGMENTS
from bottomup.explorables.shared import bundle
from bottomup.explorables.translator_live import ALL, labels
from bottomup.models import InductionByHand, longest_reach
from tests.explorables import node
from tests.explorables.demo import (
    CHANCES,
    HEADS,
    MASK,
    NAME_SCORES,
    NAMES,
    PATCHES,
    QUERY,
    WORDS,
    chances,
)
from tests.explorables.layer_slider.places import expected_dots
from tests.explorables.layer_slider_demo import LAYER_SLIDER
from tests.explorables.pattern_painter.settings import SETTINGS, Setting
from tests.explorables.shared.test_bundle import SCRIPTS
from tests.explorables.translator_live.demo import LINE

SYMBOLS = 5
PARTS = {"queries": "W_Q", "keys": "W_K", "values": "W_V"}


def induction(text: list[int], beta: float, begin: bool, cut: list[str]) -> dict[str, object]:
    """What the circuit of the package reads and answers, some paths cut."""
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
    cuts = {part: part in cut for part in PARTS}
    first, second = (weights[0, 0].tolist() for weights in output.weights)
    return {
        "text": text,
        "setting": {"symbols": SYMBOLS, "beta": beta, "begin": begin, "cuts": cuts},
        "first": first,
        "second": second,
        "answers": output.logits[0, :, :SYMBOLS].tolist(),
        "counted": successor_frequencies(tokens, SYMBOLS + 1)[0, :, :SYMBOLS].tolist(),
    }


def induction_cases() -> dict[str, object]:
    texts = [[0, 1, 2, 3, 4, 0, 1, 2], [0, 1, 0, 2, 0, 1, 0, 3], [1, 1, 1, 2, 1, 1, 4, 1]]
    cuts = [[], ["queries"], ["keys"], ["values"], [*PARTS]]
    return {"cases": [induction(*one) for one in product(texts, (1, 8, 40), (True, False), cuts)]}


def knob_tables() -> dict[str, object]:
    places = list(product(*(range(len(values)) for values in CHANCES.axes.values())))
    expected = [
        [None if share is None else round(share, 2) for share in chances(*setting).values()]
        for setting in product(*CHANCES.axes.values())
    ]
    return {"payload": json.loads(CHANCES.recorded.data), "places": places, "expected": expected}


def slider_places() -> dict[str, object]:
    payload = json.loads(LAYER_SLIDER.data)
    places = [
        [expected_dots(stations, place) for place in range(len(stations))]
        for stations in payload["points"]
    ]
    return {"tokens": payload["tokens"], "points": payload["points"], "places": places}


def masks() -> dict[str, object]:
    """Weights and reach under the ready masks, and under masks drawn at random."""
    payload = json.loads(MASK.data)
    scores = torch.tensor(payload["scores"], dtype=torch.float64)
    generator = torch.Generator().manual_seed(7)
    tried = [torch.tensor(ready["mask"]) for ready in payload["masks"]]
    tried += [(torch.rand(6, 6, generator=generator) < share).int() for share in (0.5, 0.3, 0.1)]
    tried[-1][4] = 0
    cases = []
    for mask in tried:
        powers = [torch.linalg.matrix_power(mask.double(), layers) for layers in (1, 2, 3, 4)]
        weights = masked_softmax(scores, mask.bool()).tolist()
        reach = [(power > 0).int().tolist() for power in powers]
        cases.append({"mask": mask.tolist(), "weights": weights, "reach": reach})
    return {**payload, "scores": scores.tolist(), "cases": cases}


def neurons() -> dict[str, object]:
    made = neuron_inspector(
        ["Ana", "Ben"],
        [0, 1],
        ["tennis", "chess"],
        activations=[[2.0, 2.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0]],
        effects=[[1.0, 0.0], [0.0, 1.0], [-1.0, -2.0], [1.0, 0.0]],
    )
    return dict(json.loads(made.data))


def pattern(setting: Setting) -> dict[str, object]:
    """What the package counts for a setting of the pattern painter."""

    def whole(*sets: torch.Tensor, **options: bool) -> list[list[int]]:
        return reached(*sets, **options).int().tolist()

    sets, printed = setting.sets, setting.printed_sets
    least = setting.summary if setting.pattern == "fixed" else 1
    return {
        "wish": setting._asdict(),
        "sets": [mask.int().tolist() for mask in sets],
        "needed": setting.needed,
        "costs": {
            stride: setting._replace(stride=stride).needed for stride in range(least, setting.n + 1)
        },
        "reach": [
            {
                "flipped": flipped,
                "residual": residual,
                "reached": whole(*(sets[::-1] if flipped else sets), residual=residual),
            }
            for flipped, residual in product((False, True), repeat=2)
        ],
        "printed": {
            "sets": [mask.int().tolist() for mask in printed],
            "reached": whole(*printed),
        },
    }


def vectors() -> dict[str, object]:
    """Scores, weights and angles of queries and keys drawn at random."""
    generator = torch.Generator().manual_seed(20170612)
    cases = []
    for _ in range(20):
        query, *keys = torch.randn(6, 2, generator=generator, dtype=torch.float64)
        stacked = torch.stack(keys)
        dots, cosines = stacked @ query, torch.cosine_similarity(query[None], stacked)
        temperatures = [
            {"temperature": value, "weights": masked_softmax(dots[None] / value)[0].tolist()}
            for value in (0.1, 0.5, 1, 3)
        ]
        found = {"dots": dots, "cosines": cosines, "angles": torch.rad2deg(torch.acos(cosines))}
        given = {"query": query, "keys": stacked, **found}
        cases.append(
            {name: value.tolist() for name, value in given.items()} | {"temperatures": temperatures}
        )
    payload = json.loads(QUERY.data)
    words = [vector["word"] for vector in payload["vectors"]]
    return {"labels": payload["labels"], "words": words, "cases": cases}


def reaches() -> dict[str, object]:
    cases = []
    for layers, segment, memory in product(LAYERS, (*SEGMENTS, 3, 5), (*MEMORIES, 7)):
        setting = {"layers": layers, "segment": segment, "memory": memory}
        cases.append({**setting, "reach": longest_reach(**setting)})
    return {**json.loads(segments().data), "cases": cases}


def board() -> dict[str, object]:
    both = {kind: getattr(NAME_SCORES, kind).tolist() for kind in ("intact", "frozen")}
    return {"payload": json.loads(NAMES.data), **both}


def words() -> dict[str, object]:
    """Queries and keys that eight bits hold exactly, and their scores."""
    generator = torch.Generator().manual_seed(11)
    query, key = (torch.randint(-127, 128, (13, 5), generator=generator) for _ in range(2))
    for side in (query, key):
        side[0] = 127  # of every column the largest
    known = HeadWords([chr(97 + n) * 3 for n in range(13)], query / 64, key / 32)
    return {
        **json.loads(WORDS.data),
        "computed": words_payload(known),
        "scores": known.scores.tolist(),
    }


GIVEN: dict[str, Callable[[], object]] = {
    "alignments/alignments": dict,
    "head_dictionary/head_dictionary": words,
    "head_gallery/head_gallery": lambda: {"accuracy": json.loads(HEADS.data)["accuracy"]},
    "induction_builder/circuit": induction_cases,
    "knobs/knobs": knob_tables,
    "layer_slider/layer_slider": slider_places,
    "mask_painter/mask_painter": masks,
    "names_board/names_board": board,
    "neuron_inspector/neuron_inspector": neurons,
    "patching_board/patching_board": lambda: json.loads(PATCHES.data),
    "pattern_painter/pattern_painter": lambda: [
        pattern(setting) for settings in SETTINGS.values() for setting in settings
    ],
    "query_and_keys/query_and_keys": vectors,
    "segments/segments": reaches,
    "shared/modules": lambda: {script: bundle.exports(script) for script in SCRIPTS},
    "shared/shared": dict,
    "superposition_map/superposition_map": dict,
    "token_journey/token_journey": dict,
    "translator_live/translator_live": lambda: {
        "labels": labels.live(ALL, whole=True),
        "line": LINE,
    },
}


@pytest.mark.parametrize("name", GIVEN)
def test_pure_functions(name: str, tmp_path: Path):
    node.check(Path(__file__).parent / f"{name}.test.js", GIVEN[name](), tmp_path)
