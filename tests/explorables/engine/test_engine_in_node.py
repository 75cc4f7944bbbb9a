"""The engine against PyTorch: the same logits, translations, beams, samples, changes, gradients."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bottomup.experiments.shared.translation import LONGEST
from bottomup.explorables.engine import model_payload
from tests.explorables import node
from tests.explorables.engine.reference import (
    all_changes,
    beams,
    encoded,
    gradients,
    logits,
    samplings,
    sentences,
    translator,
    under,
    written,
)

HERE = Path(__file__).parent
FULL, HALF = "encoder_decoder", "decoding_search"
SENTENCES = 50
DONOR = "the grandmother read a book yesterday ."


@cache
def pairs() -> list[tuple[list[int], list[int]]]:
    return encoded(sentences()[:SENTENCES])


def plain_comparison(name: str, compared: int, written_count: int) -> dict[str, Any]:
    """Without changes: logits of some sentences, and what is written for more of them."""
    model = translator(name).model
    most = LONGEST - 1  # with BOS in front, all positions that the half-trained one has
    shown = [(source, target[:most]) for source, target in pairs()[:compared]]
    sources = [source for source, _ in pairs()[:written_count]]
    tokens = written(model, sources, LONGEST)
    return {
        "payload": model_payload(name),
        "logits": [
            {"source": source, "target": target, "logits": logits(model, source, target)}
            for source, target in shown
        ],
        "greedy": [
            {"source": source, "written": numbers}
            for source, numbers in zip(sources, tokens, strict=True)
        ],
    }


@cache
def compared_pairs() -> list[tuple[list[int], list[int]]]:
    """A short sentence and a longer one."""
    by_length = sorted(pairs(), key=lambda pair: len(pair[0]))
    return [by_length[0], by_length[len(by_length) // 2]]


@pytest.mark.parametrize("name, compared, decoded", [(FULL, 8, 50), (HALF, 5, 20)])
def test_logits_and_translations_are_those_of_pytorch(
    name: str, compared: int, decoded: int, tmp_path: Path
):
    node.check(HERE / "plain.test.js", plain_comparison(name, compared, decoded), tmp_path)


@pytest.mark.slow
def test_so_they_are_under_every_change(tmp_path: Path):
    state = translator(FULL).state(DONOR, "encoder_layers.0", 2)
    longer = compared_pairs()[1:]
    changed = [under(changes, longer, LONGEST) for changes in all_changes(state)]
    given = {"payload": model_payload(FULL), "pairs": longer, "changes": changed}
    node.check(HERE / "transformer.test.js", given, tmp_path)


@pytest.mark.slow
def test_beams_and_samples_are_those_of_pytorch(tmp_path: Path):
    model = translator(HALF).model  # unsure, so that beams differ from each other
    sources = [source for source, _ in pairs()[:5]]
    source, target = pairs()[0]
    rows = logits(model, source, target)
    given = {
        "payload": model_payload(HALF),
        "beams": beams(HALF, sources, LONGEST),
        "rows": rows,
        "samplings": samplings(rows),
    }
    node.check(HERE / "decoding.test.js", given, tmp_path)


def test_gradients_saliency_and_training_are_those_of_pytorch(tmp_path: Path):
    (first, right), (second, other) = compared_pairs()
    given = {
        "payload": model_payload(FULL),
        # A right translation has next to no gradient, a wrong one a large one.
        "gradients": [gradients(first, other, 0.01, 4), gradients(second, right, 0.01, 4)],
    }
    node.check(HERE / "training.test.js", given, tmp_path)
