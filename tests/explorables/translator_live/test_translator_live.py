"""What the live figures hold without a script: recorded translations, and a mark for the site."""

import json

import pytest

from bottomup.explorables import translator_live
from tests.explorables.translator_live.demo import figures, recorded


@pytest.mark.parametrize("name", ["live", "small"])
def test_the_payload_has_the_sentences_and_no_weights(name):
    made = figures()[name]
    payload = json.loads(made.data)
    assert payload["examples"][0] == "the cat ate two apples ."
    assert len(made.data) < 12_000
    assert made.name == f"translator_{name}"


@pytest.mark.parametrize("name", ["live", "small"])
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
