"""Time the translator that runs in the page, in node, and compare what it writes with PyTorch.

It translates test sentences of chapter 05 greedily, one after the other, as a reader would have it.
Milliseconds are those of the wall for a token, EOS counted, in rounds over the same sentences.

    python -m bench.live [--sentences 300] [--rounds 5]
"""

import argparse
import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.timing import spread
from bottomup.data import make_batch, minilang
from bottomup.decoding import greedy
from bottomup.experiments.shared.translation import LONGEST
from bottomup.explorables.engine import model_payload
from bottomup.results.translator import translator

NAME = "encoder_decoder"
SCRIPT = Path(__file__).with_name("live.js")


def compared(count: int) -> list[dict[str, list[int]]]:
    """Return test sentences as token numbers, and what PyTorch writes for each."""
    made = translator()
    pairs = minilang.load(60_000, seed=0).test[:count]
    sources = [made.source_words.encode(pair.source) for pair in pairs]
    found = []
    for source in sources:
        batch = make_batch([(source, [])])
        decoded = greedy(made.model, batch.source, batch.source_mask, max_length=LONGEST)
        found.append({"source": source, "written": decoded.to_lists()[0]})
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    node = shutil.which("node")
    if node is None:
        raise SystemExit("no node found: install it (Debian: apt-get install nodejs)")
    given = {
        "payload": model_payload(NAME),
        "sentences": compared(options.sentences),
        "rounds": options.rounds,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "given.json")
        path.write_text(json.dumps(given), encoding="utf-8")
        done = subprocess.run(
            [node, SCRIPT, path], capture_output=True, encoding="utf-8", check=True
        )
    found = json.loads(done.stdout)
    print(f"{found['same']} of {len(given['sentences'])} translations are PyTorch's")
    print(f"milliseconds a token: {spread(found['milliseconds'])}")
    print(f"milliseconds to read the parameters: {found['reading']:.0f}")


if __name__ == "__main__":
    main()
