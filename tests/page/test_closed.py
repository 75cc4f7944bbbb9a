"""What an answer cannot reach from the page's worker."""

from typing import Any

import pytest

from tests.page.conftest import Asked

pytestmark = pytest.mark.slow

OUT = """fetch XMLHttpRequest WebSocket EventSource importScripts Worker SharedWorker indexedDB
caches BroadcastChannel WebTransport FontFace Request navigator location self postMessage onmessage
setTimeout eval""".split()

# What whoever looks through all objects finds of JavaScript's, and what it is good for.
SEARCH = """
import gc

for each in gc.get_objects():
    found = each.get("scheduleCallback") if type(each) is dict else None
    if "JsProxy" in type(found).__name__:
        for made in (found.constructor, found.constructor.constructor, found.bind.constructor):
            try:
                made("return 1")
                print("made")
            except Exception as error:
                print(error)
    if getattr(each, "__name__", "") == "run_js":
        try:
            print("ran", each("1 + 1"))
        except ImportError as error:
            print(error)
"""
SOCKET = """
import socket

try:
    socket.create_connection(("localhost", 80), timeout=1)
    print("connected")
except Exception:
    print("refused")
"""


def ask(text: str) -> dict[str, Any]:
    where = {"slug": "causal-mask", "folder": "self_attention", "language": "en"}
    return {"ask": "check", "text": f"{text}\ncausal_mask = ...\n"} | where


def test_nothing_is_left_in_the_global_scope(messages: Asked):
    (scope,) = (each["scope"] for each in messages(ask("")) if "scope" in each)
    assert set(OUT) & set(scope) == set()
    assert {"Object", "WebAssembly"} <= set(scope)


def test_no_module_leads_to_javascript(reports: Asked):
    modules = ["js", "pyodide_js", "pyodide", "pyodide.code", "pyodide.http", "_pyodide_core"]
    for said in reports(*(ask(f"import {module}") for module in modules)):
        assert "ModuleNotFoundError" in said["text"] or "no module" in said["text"]


def test_what_is_found_of_javascript_makes_nothing(reports: Asked):
    (said,) = reports(ask(SEARCH))
    lines = set(said["printed"].splitlines())
    assert lines == {"TypeError: an answer has no JavaScript", "No module named 'js'"}


def test_a_call_into_the_interpreter_reaches_no_eval(messages: Asked):
    script = "import ctypes\nctypes.pythonapi.emscripten_run_script(b'1')\n"
    (failed,) = (each["failed"] for each in messages(ask(script)) if "failed" in each)
    assert "eval is not a function" in failed


def test_python_has_no_network(reports: Asked):
    (said,) = reports(ask(SOCKET))
    assert said["printed"] == "refused\n"
