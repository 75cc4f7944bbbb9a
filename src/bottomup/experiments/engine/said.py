"""What claims said: their sentences and measures by number and digest, ``claims_said.json``.

The register keeps digests alone. Where a claim changed after a record, the ledger shows what it
said before, and finds the words here. ``python -m tools.register update`` adds those of every
claim; none is ever taken out. A measure's digest leaves numbers out, so the numbers in its text are
those of one of its records.
"""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

from bottomup.experiments.engine.claim import Claim
from bottomup.experiments.engine.register import digest, digest_of_measure

FILE = "claims_said.json"


@cache
def said() -> dict[str, str]:
    """Return the texts by `key`, as they are committed."""
    return read(files("bottomup.experiments").joinpath(FILE).read_text(encoding="utf-8"))


def key(number: str, digest: str) -> str:
    """Return the name of a text: the claim's number, and the digest that the register has."""
    return f"{number} {digest}"


def read(text: str) -> dict[str, str]:
    """Return the texts of a file by `key`."""
    found: dict[str, str] = json.loads(text)
    return found


def write(texts: Mapping[str, str]) -> str:
    """Return the file's text, a line each."""
    return json.dumps(dict(sorted(texts.items())), indent=0, ensure_ascii=False) + "\n"


def with_words_of(texts: Mapping[str, str], claims: Iterable[Claim]) -> dict[str, str]:
    """Return the texts with the sentences and measures of claims; what is there already stays."""
    found = dict(texts)
    for claim in claims:
        found.setdefault(key(claim.id, digest(claim.sentence)), claim.sentence)
        found.setdefault(key(claim.id, digest_of_measure(claim.measured)), claim.measured)
    return found
