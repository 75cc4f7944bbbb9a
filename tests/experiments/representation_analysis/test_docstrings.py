"""Chapter 08 on Python's documentation: a tiny run, what is measured."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from bottomup import experiments
from bottomup.experiments import Record, Verdict
from bottomup.experiments.representation_analysis.config import Config
from bottomup.experiments.representation_analysis.docstrings import (
    experiment as docstrings,
)
from bottomup.experiments.representation_analysis.measure import Networks
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
    claims = experiments.claims(tiny)
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
