"""The script of a model: the record's parameters bit for bit, light, and where it is stored."""

import base64
import gzip
import json
import re
from types import SimpleNamespace

import ipywidgets
import numpy as np
import pytest

from bottomup import results
from bottomup.explorables import Explorable
from bottomup.explorables.engine import MODELS, model_payload, model_script, with_scripts
from tests.explorables.engine.reference import translator

WIDGET = SimpleNamespace(
    _repr_mimebundle_=lambda: {"application/vnd.jupyter.widget-view+json": "a view"}
)
MOST_BYTES = 620_000  # compressed, on demand


@pytest.mark.parametrize("name", MODELS)
def test_the_script_holds_the_record_bit_for_bit_and_says_what_it_is(name: str):
    script, made = model_script(name), translator(name)
    found = re.fullmatch(r"\(globalThis\.bottomupModels \?\?= \{\}\)\.(\w+) = (\{.*\});\n", script)
    assert found is not None and found[1] == name
    assert "<" not in script  # it may stand inside a page
    assert len(gzip.compress(script.encode())) <= MOST_BYTES
    payload, arrays = json.loads(found[2]), results.load(f"{name}.json").arrays
    assert payload == model_payload(name)
    upper, lower = np.frombuffer(base64.b64decode(payload["weights"]), "u1").reshape(2, -1)
    bits = upper.astype("u2") << 8 | lower
    at = 0
    for key, shape in payload["parameters"]:
        [kept] = [array for path, array in arrays.items() if path.endswith(f"/weights.{key}")]
        assert kept.dtype == np.float16 and list(kept.shape) == shape
        assert (bits[at : at + kept.size] == kept.ravel().view("u2")).all(), key
        at += kept.size
    assert at == len(bits) == payload["training"]["parameters"]
    named = [key for key, _ in made.model.named_parameters()]
    assert [key for key, _ in payload["parameters"]] == named
    assert tuple(payload["source_words"]) == made.source_words.tokens
    assert tuple(payload["target_tokens"]) == made.target_tokens.tokens
    assert len(payload["glosses"]) == len(made.target_tokens) == len(payload["classes"]["target"])
    assert payload["config"].items() <= vars(made.model.config).items()
    assert payload["training"]["steps"] == {"encoder_decoder": 2400, "decoding_search": 150}[name]


def test_a_model_that_no_record_keeps_is_refused():
    with pytest.raises(ValueError, match="name: expected one of .*, got 'attention'"):
        model_payload("attention")


def test_a_kernel_shows_figure_and_scripts_and_the_notebook_stores_the_figure(
    monkeypatch: pytest.MonkeyPatch,
):
    figure = Explorable({"labels": {"title": "A figure"}}, "<p>a table</p>", "knobs")
    shown = []
    monkeypatch.setattr(ipywidgets, "Output", lambda **options: shown.append(options) or WIDGET)
    bundle = with_scripts(figure, "globalThis.one = 1;")
    assert bundle["text/html"] == figure._repr_html_()
    assert bundle["application/vnd.jupyter.widget-view+json"] == "a view"
    [[output]] = [options["outputs"] for options in shown]
    html = output["data"]["text/html"]
    assert html == f"<script>globalThis.one = 1;</script>\n{bundle['text/html']}"
