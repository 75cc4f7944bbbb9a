"""The script of a model: the record's parameters bit for bit, the same at each build, light."""

import base64
import gzip
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import ipywidgets
import numpy as np
import pytest

from bottomup import results
from bottomup.explorables import Explorable
from bottomup.explorables.engine import MODELS, model_payload, model_script, with_scripts
from bottomup.results.translator import Translator

WIDGET = SimpleNamespace(
    _repr_mimebundle_=lambda: {"application/vnd.jupyter.widget-view+json": "a view"}
)
MOST_BYTES = 620_000  # compressed, on demand
for_each = pytest.mark.parametrize("name", MODELS)


@for_each
def test_weights_are_the_records_bit_for_bit(name: str):
    payload, arrays = model_payload(name), results.load(f"{name}.json").arrays
    upper, lower = np.frombuffer(base64.b64decode(payload["weights"]), "u1").reshape(2, -1)
    bits = upper.astype("u2") << 8 | lower
    at = 0
    for key, shape in payload["parameters"]:
        [kept] = [array for path, array in arrays.items() if path.endswith(f"/weights.{key}")]
        assert kept.dtype == np.float16 and list(kept.shape) == shape
        assert (bits[at : at + kept.size] == kept.ravel().view("u2")).all(), key
        at += kept.size
    assert at == len(bits) == payload["training"]["parameters"] == 299_520


@for_each
def test_the_header_says_what_the_model_is(name: str):
    payload, made = model_payload(name), Translator.from_record(results.load(f"{name}.json"))
    assert tuple(payload["source_words"]) == made.source_words.tokens
    assert tuple(payload["target_tokens"]) == made.target_tokens.tokens
    assert len(payload["glosses"]) == len(made.target_tokens) == len(payload["classes"]["target"])
    assert payload["config"].items() <= vars(made.model.config).items()
    assert payload["training"]["steps"] == {"encoder_decoder": 2400, "decoding_search": 150}[name]
    assert [key for key, _ in payload["parameters"]] == [
        key for key, _ in made.model.named_parameters()
    ]


@for_each
def test_the_script_is_the_payload_and_may_stand_inside_a_page(name: str):
    script = model_script(name)
    found = re.fullmatch(r"\(globalThis\.bottomupModels \?\?= \{\}\)\.(\w+) = (\{.*\});\n", script)
    assert found is not None and found[1] == name
    assert json.loads(found[2]) == model_payload(name)
    assert "<" not in script
    assert len(gzip.compress(script.encode())) <= MOST_BYTES


@pytest.mark.slow
def test_another_process_makes_the_same_script(tmp_path: Path):
    code = (
        "import hashlib; from bottomup.explorables.engine import model_script; "
        "print(hashlib.sha256(model_script('encoder_decoder').encode()).hexdigest())"
    )
    command = [sys.executable, "-c", code]
    made = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, cwd=tmp_path)
    expected = hashlib.sha256(model_script("encoder_decoder").encode()).hexdigest()
    assert made.stdout == f"{expected}\n"


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
    assert "globalThis.one" not in bundle["text/html"]
    assert bundle["application/vnd.jupyter.widget-view+json"] == "a view"
    [[output]] = [options["outputs"] for options in shown]
    html = output["data"]["text/html"]
    assert html == f"<script>globalThis.one = 1;</script>\n{bundle['text/html']}"
