"""What the live figures hold without a script: recorded translations, and a mark for the site."""

import gzip
import json

import pytest

from bottomup.explorables import translator_live
from bottomup.explorables.engine import model_script
from bottomup.explorables.translator_live.script import live_script
from tests.explorables.translator_live.demo import figures, recorded

MOST_BYTES = 620_000  # compressed, on demand


@pytest.mark.parametrize("name", figures())
def test_the_payload_has_the_sentences_and_no_weights(name):
    made = figures()[name]
    payload = json.loads(made.data)
    assert payload["examples"][0] == "the cat ate two apples ."
    assert len(made._repr_html_()) < 26_000  # what computes comes with the model
    assert len(made.data) < (8_000 if name == "live" else 4_000)


@pytest.mark.parametrize("name", figures())
def test_the_table_has_each_translation_and_the_site_finds_the_figure(name):
    html = figures()[name]._repr_html_()
    assert html.count('data-live="translator"') == 1
    for one in recorded():
        assert one.hangul in html and one.romanised in html and " ".join(one.glosses) in html


def test_a_notebook_that_runs_is_handed_the_model_and_stores_it_nowhere():
    bundle = figures()["live"]._repr_mimebundle_()
    assert bundle["text/html"] == figures()["live"]._repr_html_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert len(bundle["text/html"]) < 200_000


@pytest.mark.parametrize("count", [0, 7])
def test_no_or_too_many_translations_are_refused(count):
    with pytest.raises(ValueError, match=f"recorded: expected 1 to 6, got {count}"):
        translator_live(recorded()[:1] * count)


def test_an_unknown_panel_or_model_is_refused():
    with pytest.raises(ValueError, match="panels: expected one of .*, got 'head'"):
        translator_live(recorded(), panels=["head"])
    with pytest.raises(ValueError, match="panels: expected 1 or more, got 0"):
        translator_live(recorded(), panels=[])
    with pytest.raises(ValueError, match="model: expected one of .*, got 'attention'"):
        translator_live(recorded(), model="attention")


def test_the_script_has_the_engine_and_the_model_and_may_stand_in_a_page():
    script = live_script("encoder_decoder")
    assert script.endswith(model_script("encoder_decoder"))
    assert "</" not in script and "<!--" not in script
    assert len(gzip.compress(script.encode())) <= MOST_BYTES
