"""The page's worker in a browser: what is taken away there, which node never had."""

from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.browser import running_browser
from tests.page.test_closed import OUT, ask

pytestmark = pytest.mark.slow

# A worker that is the page's, but also says what is left in its global scope.
PROBE = """
  const post = self.postMessage.bind(self);
  await import("ADDRESS/worker.js");
  const answer = self.onmessage;
  const parent = Object.getPrototypeOf;
  self.onmessage = null;
  self.addEventListener("message", ({ data }) => {
    if (data.ask) {
      answer({ data });
      return;
    }
    const left = [];
    for (let scope = globalThis; scope; scope = parent(scope)) {
      const names = Reflect.ownKeys(scope).map(String);
      left.push(...names.filter((name) => globalThis[name] !== undefined));
    }
    post({ left });
  });
  post({ up: true });
"""
ASK = """async ([probe, ask]) => {
  const file = URL.createObjectURL(new Blob([probe], { type: "text/javascript" }));
  const worker = new Worker(file, { type: "module" });
  const said = (wanted) => new Promise((done, failed) => {
    worker.onerror = (error) => failed(error.message);
    worker.onmessage = ({ data }) => {
      if (data.failed) failed(data.failed);
      if (wanted in data) done(data[wanted]);
    };
  });
  await said("up");
  worker.postMessage(ask);
  const report = await said("report");
  worker.postMessage({});
  return [report, await said("left")];
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_an_answer_is_checked_and_nothing_leads_out(address: str):
    with running_browser("answers in the page") as browser:
        page = browser.new_page()
        page.goto(f"{address}/answer-licences.txt")
        right = "def causal_mask(n):\n    return torch.ones(n, n).bool().tril()\n"
        probe = PROBE.replace("ADDRESS", address)
        report, left = page.evaluate(ASK, [probe, ask("") | {"id": 0, "text": right}])
    assert report["verdict"] == "passed"
    assert set(OUT) & set(left) == set()
    assert {"Object", "WebAssembly"} <= set(left)
