"""What the live figures hold without a script, their line of Python, and what chapters claim."""

import gzip
import json
from pathlib import Path

import pytest

from bottomup.data import minilang
from bottomup.explorables import translator_live
from bottomup.explorables.engine import model_payload, model_script
from bottomup.explorables.translator_live.script import live_script
from bottomup.models import Changes, Patch
from bottomup.results.translator import translator
from tests.explorables import node
from tests.explorables.translator_live.demo import LINE, SENTENCES, figures, recorded

MOST_BYTES = 620_000  # compressed, on demand


@pytest.mark.parametrize("name", figures())
def test_a_figure_holds_sentences_and_translations_and_no_weights(name):
    made = figures()[name]
    html = made._repr_html_()
    assert json.loads(made.data)["examples"][0] == "the cat ate two apples ."
    assert html.count('data-live="translator"') == 1  # by which the site finds the figure
    for one in recorded():
        assert one.hangul in html and one.romanised in html and " ".join(one.glosses) in html
    assert len(html) < 26_000  # what computes comes with the model
    assert len(made.data) < (8_000 if name == "live" else 4_000)


def test_a_notebook_that_runs_is_handed_the_model_and_stores_it_nowhere():
    bundle = figures()["live"]._repr_mimebundle_()
    assert bundle["text/html"] == figures()["live"]._repr_html_()
    assert "application/vnd.jupyter.widget-view+json" in bundle


@pytest.mark.parametrize(
    "count, options, message",
    [
        (7, {}, "recorded: expected 1 to 6, got 7"),
        (1, {"panels": ["head"]}, "panels: expected one of .*, got 'head'"),
        (1, {"panels": []}, "panels: expected 1 or more, got 0"),
        (1, {"model": "attention"}, "model: expected one of .*, got 'attention'"),
    ],
)
def test_what_is_wrong_is_refused(count, options, message):
    with pytest.raises(ValueError, match=message):
        translator_live(recorded()[:1] * count, **options)


def test_the_script_has_the_engine_and_the_model_and_may_stand_in_a_page():
    script = live_script("encoder_decoder")
    assert script.endswith(model_script("encoder_decoder"))
    assert "</" not in script and "<!--" not in script
    assert len(gzip.compress(script.encode())) <= MOST_BYTES


def test_the_line_of_python_runs():
    line = LINE.replace('"a ."', '"the cat slept ."').replace("dog | slept", "dog slept")
    changed = eval(line, {"translator": translator, "Changes": Changes, "Patch": Patch})
    assert changed.source == ("the", "cat", "slept", ".")
    assert changed.tokens != translator().translate("the cat slept .").tokens


@pytest.mark.slow
def test_what_chapters_say_beside_the_figures(tmp_path: Path):
    tested = [" ".join(pair.source) for pair in minilang.load(60_000, seed=0).test[:12]]
    given = {
        "full": model_payload("encoder_decoder"),
        "half": model_payload("decoding_search"),
        "sentences": [*SENTENCES, *tested],
        "examples": [*SENTENCES[:2], "the chef ate bread"],
        "donor": "the dog slept .",
    }
    node.check(Path(__file__).with_name("claims.test.js"), given, tmp_path)
