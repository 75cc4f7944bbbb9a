"""The engine against PyTorch: the same logits, translations, beams, samples, changes, gradients."""

import shutil
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
from tools.notebooks.paths import ROOT

HERE = Path(__file__).parent
FULL, HALF = "encoder_decoder", "decoding_search"
SENTENCES = 200
DONOR = "the grandmother read a book yesterday ."


@cache
def pairs() -> list[tuple[list[int], list[int]]]:
    return encoded(sentences(1_000)[:SENTENCES])


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


def changed_comparison() -> list[dict[str, Any]]:
    """Under each change: a short sentence and a longer one."""
    state = translator(FULL).state(DONOR, "encoder_layers.0", 2)
    return [under(changes, compared_pairs(), LONGEST) for changes in all_changes(state)]


@cache
def compared_pairs() -> list[tuple[list[int], list[int]]]:
    by_length = sorted(pairs(), key=lambda pair: len(pair[0]))
    return [by_length[0], by_length[len(by_length) // 2]]


@pytest.mark.parametrize("name, compared, decoded", [(FULL, 12, 200), (HALF, 5, 40)])
def test_logits_and_translations_are_those_of_pytorch(
    name: str, compared: int, decoded: int, tmp_path: Path
):
    node.check(HERE / "plain.test.js", plain_comparison(name, compared, decoded), tmp_path)


@pytest.mark.slow
def test_so_they_are_under_every_change(tmp_path: Path):
    given = {"payload": model_payload(FULL), "pairs": compared_pairs()}
    given |= {"changes": changed_comparison()}
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


# ---- Planted faults

# File, what stands there, what is put in its place.
FAULTS = {
    "the root of the width": ("attention.js", "score /= Math.sqrt(slice)", "score /= 8"),
    "another head's slice": ("attention.js", "first = head * slice, to", "first = 0, to"),
    "another epsilon": ("operations.js", "EPSILON = 1e-5", "EPSILON = 1e-3"),
    "epsilon outside the root": ("operations.js", "variance + EPSILON)", "variance) + EPSILON"),
    "a variance over d - 1": ("operations.js", "** 2 / d", "** 2 / (d - 1)"),
    "no bias": ("operations.js", "s0 + b[o]", "s0"),
    "embeddings without a scale": ("transformer.js", "tokens, Math.sqrt(d_model)", "tokens, 1"),
    "positions from one": ("transformer.js", "const angle = pos", "const angle = (pos + 1)"),
    "a look at the next token": ("transformer.js", "j <= first + i", "j <= first + i + 1"),
    "a memory without its norm": ("transformer.js", "this.norm(x, \"encoder_norm\", tape)", "x"),
    "the lower byte first": ("payload.js", "(bytes[at] << 8) | bytes[count + at]",
                             "(bytes[count + at] << 8) | bytes[at]"),
}  # fmt: skip


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The engine and its tests in a folder of their own."""
    for part in ("src/bottomup/explorables/engine", "src/bottomup/explorables/shared",
                 "tests/explorables/engine"):  # fmt: skip
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("*.py*"))
    for part in ("tests/explorables/given.js", "package.json"):
        shutil.copy(ROOT / part, tmp_path / part)
    return tmp_path


def fails(copied: Path, given: dict[str, Any]) -> str:
    """The names of the tests that fail."""
    with pytest.raises(AssertionError) as caught:
        node.check(copied / "tests/explorables/engine/plain.test.js", given, copied)
    return str(caught.value)


def test_a_copy_without_a_fault_passes(copied: Path):
    given = plain_comparison(FULL, 3, 3)
    node.check(copied / "tests/explorables/engine/plain.test.js", given, copied)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_engine_is_seen(copied: Path, fault: str):
    file, right, wrong = FAULTS[fault]
    path = copied / "src/bottomup/explorables/engine" / file
    text = path.read_text(encoding="utf-8")
    assert text.count(right) == 1
    given = plain_comparison(FULL, 3, 3)
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    assert "logits of sentences are PyTorch's" in fails(copied, given)


def test_a_source_without_its_end_mark_is_seen(copied: Path):
    test = copied / "tests/explorables/engine/plain.test.js"
    text = test.read_text(encoding="utf-8")
    assert text.count("[...source, EOS]") == 2
    test.write_text(text.replace("[...source, EOS]", "source"), encoding="utf-8")
    assert "logits of sentences are PyTorch's" in fails(copied, plain_comparison(FULL, 3, 3))
