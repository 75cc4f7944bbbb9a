"""What is told of stored outputs is what the package itself says in the other language."""

import json
import os
import subprocess
import sys
from functools import cache

import pytest

from tools.notebooks.paths import ROOT
from tools.translate import strings
from tools.translate.retell import Teller

# In a process of its own: many strings are looked up when their module is imported.
SAY = """
import json, sys
from bottomup import i18n
i18n.catalogue = lambda name: Marked()
class Marked(dict):
    def get(self, message, otherwise): return f"⟦{message}⟧" if message in known else message
known = set(json.loads(sys.stdin.readline()))
from bottomup.exercises import check
from bottomup import results
import torch, math
said = {}
for slug, sources in json.loads(sys.stdin.readline()).items():
    for number, source in enumerate(sources):
        names = {"torch": torch, "math": math}
        exec(source, names)
        answers = [value for value in names.values() if type(value).__name__ == "function"]
        said[f"{slug} {number}"] = check(slug, answers[-1])._repr_html_()
said["claims"] = [each.sentence + " | " + each.rule.text for each in results.ledger()[:60]]
print(json.dumps(said))
"""
SLUGS = ("causal-mask", "scaled-dot-product-attention")


@cache
def known() -> list[str]:
    return [message for message, _ in strings.messages()]


def sources() -> dict[str, list[str]]:
    recorded = json.loads((ROOT / "book/wrong_answers/self_attention.json").read_text("utf-8"))
    return {
        slug: ["\n".join(each["source"]) for each in recorded[slug]["answers"]] for slug in SLUGS
    }


@cache
def said(*messages: str) -> dict[str, object]:
    given = json.dumps(messages) + "\n" + json.dumps(sources()) + "\n"
    environment = {**os.environ, "BOTTOMUP_LANGUAGE": "qps", "CI": "1"}
    done = subprocess.run(
        [sys.executable, "-c", SAY], input=given, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def teller() -> Teller:
    return Teller({message: f"⟦{message}⟧" for message in known()})


@pytest.mark.parametrize("key", [f"{slug} {n}" for slug in SLUGS for n in (0, 1)])
def test_a_report_is_told_as_a_kernel_says_it(teller: Teller, key: str):
    assert teller.html(str(said()[key])) == said(*known())[key]


def test_claims_are_told_as_the_package_says_them(teller: Teller):
    english, own = said()["claims"], said(*known())["claims"]
    told = [" | ".join(map(teller.text, each.split(" | "))) for each in english]
    assert told == own


def test_code_and_words_of_example_sentences_stay(teller: Teller):
    assert teller.html("<pre>query</pre><td>cat</td>") == "<pre>query</pre><td>cat</td>"


def test_of_a_figures_data_the_labels_are_told(teller: Teller):
    payload = '{"labels":{"step":"Step","key":"window"},"x":["Step","window"]}'
    html = (
        '<script>\nconst { mount } = modules["steps/steps.js"];\n'
        f'const payload = {payload};\nconst style = "";\n</script>'
    )
    labels = ('"Step","key":"window"', '"⟦Step⟧","key":"⟦window⟧"')
    assert teller.html(html) == html.replace(*labels)
