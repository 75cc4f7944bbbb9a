"""Chapter 08 on Python's documentation: a tiny run, what is measured, claims by hand."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bottomup.experiments import Claim, Record, Verdict
from bottomup.experiments.engine.claim import EverySeedAbove
from bottomup.experiments.representation_analysis.config import Config
from bottomup.experiments.representation_analysis.docstrings import (
    experiment as docstrings,
)
from bottomup.experiments.representation_analysis.measure import Networks
from tests.experiments.records import record_of
from tests.experiments.representation_analysis import made_up_layers as layers
from tests.experiments.representation_analysis.tiny_layers import CPU, asked

TINY = docstrings.PRESETS["tiny"]
CLAIMS = [f"08.6{letter}" for letter in "abcdefgh"]


# ---- A tiny run


@pytest.fixture(scope="module")
def tiny() -> Record:
    return docstrings.run(TINY, [3], "cpu")


def test_a_tiny_run_has_two_objectives_and_every_claim(tiny: Record):
    found = tiny.runs[0]["metrics"]["networks"]
    networks = ["lm", "mlm", "untrained", "untrained_causal"]
    assert list(found) == [*networks, "tokens", "frequency_loss"]
    assert tiny.arrays == {}
    claims = docstrings.EXPERIMENT.claims(tiny)
    assert [claim.id for claim in claims] == CLAIMS
    assert {claim.verdict for claim in claims} == {Verdict.UNDECIDED}  # one seed


def test_a_network_that_has_hardly_been_trained_knows_less_than_the_frequencies(tiny: Record):
    (guess,) = tiny.metric("networks.frequency_loss")
    for objective in ("lm", "mlm"):
        (loss,) = tiny.metric(f"networks.{objective}.loss")
        assert 4 < guess < 7 < loss < 10  # thousands of words: 8 nats each, if all come alike


# ---- Presets and what is measured


def test_presets():
    assert list(docstrings.PRESETS) == ["tiny", "laptop", "recorded", "full"]
    for config in docstrings.PRESETS.values():
        assert docstrings.variants(config) == ["networks"]
        assert (config.corpus, config.objectives) == ("docstrings", ("lm", "mlm"))
        assert config.warmup < config.steps
        assert config.d_model % config.num_heads == 0
        assert config.starts == 1
        assert config.rows >= 100 * config.d_model  # as many as a distance asks for
        assert config.frequent < config.types
    recorded, main = docstrings.PRESETS["recorded"], Config()
    for name in ("d_model", "num_layers", "num_heads", "d_ff", "norm", "clusters", "types"):
        assert getattr(recorded, name) == getattr(main, name)  # the networks of the mini-language


def test_the_guess_stands_beside_what_the_networks_hold(monkeypatch, tmp_path: Path):
    seen = asked(monkeypatch, docstrings, "measure_networks", {"lm": {"loss": 2.5}})
    texts = {TINY: SimpleNamespace(frequency_loss=lambda: 6.5)}
    monkeypatch.setattr(docstrings, "load_text", texts.__getitem__)
    path = tmp_path / "networks-3.pt"
    found = docstrings.measure(TINY, "networks", 3, CPU, path)
    assert seen == [Networks(TINY, 3, CPU, path)]
    assert found.metrics == {"lm": {"loss": 2.5}, "frequency_loss": 6.5}
    assert found.arrays == {}
    assert list(tmp_path.iterdir()) == []


# ---- Claims


def claims(changes: Any = None) -> dict[str, Claim]:
    """Of networks without a translator, which these sentences have not."""
    runs = []
    for factor in layers.FACTORS:
        table = layers.metrics(changes, factor=factor)
        del table["mt"], table["distances"]
        runs.append({"networks": table})
    made = record_of("representation_analysis_docstrings", runs, {})
    return layers.by_id(docstrings.EXPERIMENT.claims(made))


def test_claims_stand_in_order_in_one_section():
    found = claims()
    assert list(found) == CLAIMS
    assert {claim.section for claim in found.values()} == {"How far the findings carry"}
    assert {claim.record for claim in found.values()} == {
        "representation_analysis_docstrings/recorded"
    }
    layers.assert_readable(list(found.values()))


def test_rules_are_those_of_the_mini_language():
    same = {"b": "08.1a", "c": "08.1d", "e": "08.1e", "f": "08.2a", "g": "08.2e", "h": "08.5a"}
    found, main = claims(), layers.main_rules()
    for letter, name in same.items():
        assert found[f"08.6{letter}"].rule == main[name]
    assert found["08.6a"].rule == EverySeedAbove(1)
    assert found["08.6d"].rule == EverySeedAbove(0)


@pytest.mark.parametrize(
    ("letter", "holds", "changes", "fails"),
    [
        ("a", 6.1 - 2.9, {"mlm.loss": 5.7}, 0.4),
        ("b", 1.3, {"lm.information.*.plug_in": (5.3, 3.0, 3.0, 5.1)}, 0.2),
        ("c", 0.4, {"mlm.information.*.plug_in": (5.2, 4.9, 4.1, 4.91)}, 0.01),
        ("d", 1.1, {"mlm.information.*.plug_in": (5.2, 4.7, 4.9, 3.8)}, -0.2),
        ("e", 0.6, {"untrained_causal.information.*.plug_in": (5.6, 5.2, 5.0, 4.2)}, -0.1),
        ("f", 0.6, {"lm.next.*.plug_in": (1.8, 2.9, 2.1, 1.87)}, 0.07),
        ("g", 0.8, {"mlm.exchanged.read.*.plug_in": (3.7, 0.1, 0.1, 2.1)}, -0.2),
        ("h", 0.25, {"lm.neighbours.*.share": (1, 1, 1, 0.97)}, -0.02),
    ],
)
def test_a_claim_holds_and_fails_by_hand(letter: str, holds: float, changes: Any, fails: float):
    for given, value, verdict in ((None, holds, Verdict.HOLDS), (changes, fails, Verdict.FAILS)):
        claim = claims(given)[f"08.6{letter}"]
        assert claim.values == pytest.approx(
            [factor * value for factor in layers.FACTORS], abs=1e-12
        )
        assert claim.verdict == verdict
