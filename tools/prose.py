"""Turns of phrase that readers stumbled over, in the English that a built page shows at once.

    python -m tools.prose                   # how many each chapter has, in a thousand words
    python -m tools.prose 02 05 --show      # and the sentences

It warns, and decides nothing: a pattern knows words, not sense. Vale would do the same, but its
packages fetch a program from another host when they are installed, and proselint looks for other
things.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from tools.lesson import CLAIM, FOLDER, SENTENCE, article, blocks, close_folds, words_of

# What is looked for -> what to write instead.
PATTERNS = {
    "behind, for after": (r"\bbehind\b", "after, below, in"),
    "stand": (r"\bst(?:ands?|ood)\b", "is, lies, a verb of its own"),
    "tell": (r"\bt(?:ells?|old)\b", "say, show"),
    "read, of words and layers": (r"\breads?\b|\breadings?\b", "look at, use, take"),
    "a share as a noun": (
        r"\b[01]\.\d+(?: ± \d\.\d+)? of (?:the|all|its|them|nouns|each)\b", "percent"
    ),
    "a spread of zero": (r"± 0\.0+\b", "leave it out"),
    "a claim in sight": (CLAIM.pattern, "the finding in a plain sentence"),
    "a record that acts": (
        r"\b(?:records?|seeds?) "
        r"(?:has|have|says?|holds?|repeats?|trains?|finds?|shows?|disagrees?)\b",
        "we, or the network",
    ),
    "who, without a head": (r"^Who \w[^.?!]*\.$", "if you ..."),
    "a set-up without a verb": (
        r"^(?:The same|Both|All three|Here, too|Now|By|And|Also|Of|Behind|Beside|Below|On)\b"
        r"[^.:!?]{0,90}:$",
        "a verb, in the imperative",
    ),
    "an aphorism": (
        r"; (?:nothing|none|no one|neither|it does not|theirs|ours)\b", "what was measured"
    ),
}  # fmt: skip


def found(html: str) -> Iterator[tuple[str, str]]:
    """Yield each pattern that a page shows, with its sentence."""
    for sentence in sentences(html):
        for name, (pattern, _instead) in PATTERNS.items():
            yield from ((name, sentence) for _ in re.finditer(pattern, sentence, re.IGNORECASE))


def sentences(html: str) -> Iterator[str]:
    """Yield the sentences that are in sight."""
    for text in blocks(close_folds(article(html)), set()):
        yield from SENTENCE.split(text or "")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what each page has."""
    parser = argparse.ArgumentParser(prog="python -m tools.prose", description=__doc__)
    parser.add_argument("chapters", nargs="*", help="such as 02 or 01b; all without one")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="of the built site")
    parser.add_argument("--show", action="store_true", help="print the sentences")
    options = parser.parse_args(arguments)
    for path in sorted(options.folder.joinpath("chapters").glob("*.html")):
        if options.chapters and path.stem.split("_")[0] not in options.chapters:
            continue
        html = path.read_text("utf-8")
        words = len(words_of(" ".join(sentences(html))))
        hits = list(found(html))
        print(f"{path.stem}: {1_000 * len(hits) / words:.1f} in a thousand words")
        for name, count in Counter(name for name, _sentence in hits).most_common():
            print(f"  {count:4}  {name}: {PATTERNS[name][1]}")
        for name, sentence in hits if options.show else ():
            print(f"      {name}: {sentence}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
