"""Bring the catalogues up to the messages of today."""

from collections.abc import Iterator
from pathlib import Path

from tools.notebooks.paths import ROOT
from tools.translate import catalogue, site, strings
from tools.translate.pages import LOCALE, all_pages


def wanted(language: str) -> Iterator[tuple[Path, list[str] | list[tuple[str, str]]]]:
    """Yield each catalogue's file with the messages that belong into it."""
    for page in all_pages():
        yield page.catalogue(language), page.messages()
    yield site.catalogue(language), site.messages()
    yield strings.catalogue(language), strings.messages()


def everything(language: str) -> list[str]:
    """Merge all catalogues of a language; return what changed, a line each."""
    changed = []
    for path, messages in wanted(language):
        merged = catalogue.merge(catalogue.read(path), catalogue.template(messages))
        if catalogue.write(path, merged, language):
            fuzzy = sum(message.fuzzy for message in merged if message.id)
            changed.append(f"{path.relative_to(ROOT)}: {len(merged)} messages, {fuzzy} fuzzy")
    files = {path for path, _ in wanted(language)}
    for path in sorted((LOCALE / language).rglob("*.po")):
        if path not in files:
            path.unlink()
            changed.append(f"{path.relative_to(ROOT)}: of no page, removed")
    return changed
