"""The live translator's pure functions; its line of Python is read by Python."""

import ast
from pathlib import Path

import pytest

from bottomup.data import minilang
from bottomup.explorables.engine import model_payload
from bottomup.explorables.translator_live import ALL, labels
from bottomup.models import Changes, Patch
from bottomup.results.translator import translator
from tests.explorables import node
from tests.explorables.translator_live.demo import SENTENCES

# What the page writes for the setting of the test: names as tuples, in the order of Changes.
LINE = (
    'translator().translate("a .", Changes(heads=("decoder_layers.1.cross_attention:2",), '
    'skips=("encoder_layers.0.attention",), updates=("decoder_layers.0.feed_forward",), '
    'positions=("source",), causal=False, hidden=(2, 0), patches=(Patch("encoder_layers.0", 1, '
    'translator().state("the dog | slept .", "encoder_layers.0", 3)),)))'
)


def test_pure_functions(tmp_path: Path):
    given = {"labels": labels.live(ALL, whole=True), "line": LINE}
    node.check(Path(__file__).with_name("translator_live.test.js"), given, tmp_path)


def test_the_line_is_python_that_runs():
    line = LINE.replace('"a ."', '"the cat slept ."').replace("dog | slept", "dog slept")
    ast.parse(line, mode="eval")
    names = {"translator": translator, "Changes": Changes, "Patch": Patch}
    changed = eval(line, names)
    assert changed.source == ("the", "cat", "slept", ".")
    assert changed.tokens != translator().translate("the cat slept .").tokens


@pytest.mark.slow
def test_what_chapters_say_beside_the_figures(tmp_path: Path):
    tested = [" ".join(pair.source) for pair in minilang.load(60_000, seed=0).test[:25]]
    given = {
        "full": model_payload("encoder_decoder"),
        "half": model_payload("decoding_search"),
        "sentences": [*SENTENCES, *tested],
        "examples": [*SENTENCES[:2], "the chef ate bread"],
        "donor": "the dog slept .",
    }
    node.check(Path(__file__).with_name("claims.test.js"), given, tmp_path)
