"""What is said of every catalogued answer, under torch and in the page: where the two differ.

A grave difference is one of the verdict or of the named mistake; a slight one is of the text or of
the HTML alone. Those that are known stand in a list, which may only shrink.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import unified_diff

from bottomup.exercises.engine.registry import find, places
from tools.exercises.answers import answers
from tools.notebooks.paths import ROOT
from tools.page.compared import Job, Said, compared

LIST = ROOT / "tests" / "smalltorch" / "differences.json"
KINDS = ("verdict", "mistake", "text", "html")  # from grave to slight

Differences = dict[str, dict[str, list[str]]]  # kind, exercise, answers


def catalogued(slugs: Sequence[str] = ()) -> Iterator[Job]:
    """Yield every answer that the course knows, of some exercises or of all."""
    for slug in slugs or places():
        for name, _answer in answers(find(slug)):
            yield {"slug": slug, "answer": name}


def differing(slugs: Sequence[str] = ()) -> tuple[Counter[str], Differences, list[str]]:
    """Return how many answers agree and differ in which way, which those are, and what is said."""
    counts, found, told = Counter[str](), Differences(), list[str]()
    for job, torch, small in compared("catalogue", catalogued(slugs)):
        kind = next((kind for kind in KINDS if torch[kind] != small[kind]), "the same")
        counts[kind] += 1
        if kind != "the same":
            found.setdefault(kind, {}).setdefault(job["slug"], []).append(job["answer"])
            told.append(
                f"== {kind}: {job['slug']}, {job['answer']}\n{difference(torch, small, kind)}"
            )
    return counts, found, told


def difference(torch: Said, small: Said, kind: str) -> str:
    """Return what torch's report says and the page's does not, and the other way round."""
    if kind in ("verdict", "mistake"):
        heads = [f"{said['verdict']}, {said['mistake']} {said['lacks']}" for said in (torch, small)]
        return f"  torch: {heads[0]}\n  page:  {heads[1]}\n{difference(torch, small, 'text')}"
    lines = torch[kind].splitlines(), small[kind].splitlines()
    return "\n".join(unified_diff(lines[0], lines[1], "torch", "page", lineterm="", n=1))


def write_list(found: Differences) -> None:
    """Write the differences down as those that are known."""
    LIST.parent.mkdir(parents=True, exist_ok=True)
    LIST.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", "utf-8")


def known_differences() -> Differences:
    """Return those that are written down."""
    read: Differences = json.loads(LIST.read_text("utf-8")) if LIST.exists() else {}
    return read
