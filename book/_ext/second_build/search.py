"""The search index of a build that kept pages.

Sphinx reads the index of the build before, but not its entries (names of functions, terms of the
glossary), and leaves words in it that no page has any more.
"""

import pickle
from pathlib import Path

from sphinx.search import IndexBuilder

KEPT_AS = "index_entries"  # beside what Sphinx keeps of each page


def keep(indexer: IndexBuilder, folder: Path) -> None:
    """Keep the entries for the next build."""
    folder.joinpath(KEPT_AS).write_bytes(pickle.dumps(indexer._index_entries))


def complete(indexer: IndexBuilder, folder: Path) -> None:
    """Add the entries of the pages that were kept, and drop the words of no page."""
    entries = pickle.loads(folder.joinpath(KEPT_AS).read_bytes()) | indexer._index_entries
    indexer._index_entries = dict(sorted(entries.items()))
    for name in ("_mapping", "_title_mapping"):
        words = getattr(indexer, name)
        setattr(indexer, name, {word: pages for word, pages in words.items() if pages})
