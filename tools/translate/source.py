"""The book's source in another language, made for a build: ``_build/LANGUAGE``.

It holds the translated pages, with what the package says in their outputs, the table of contents
and the settings, and leads to everything else with links. A page that is not released stays
English under a banner. On a released one a message that is not translated stays English: `SHOWN_IN`
names these messages to the extension that marks them (`book/_ext/languages`), and a line below the
title counts them. The API is not there: links lead to the English one.
"""

import json
import os
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

import nbformat
import yaml

from tools.notebooks import drawings, plots
from tools.notebooks import said as outputs
from tools.notebooks.paths import ROOT
from tools.translate import catalogue, site, strings
from tools.translate.pages import API, Page, all_pages, contents, entries, released
from tools.translate.retell import retell

BUILD = ROOT / "_build"
LINKED = (
    "src",
    "locale",
    "requirements.txt",
    "book/_ext",
    "book/_templates",
    "book/plans.json",
    "book/references.bib",
)
WITHOUT = {
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
}
ENGLISH = "english"  # what intersphinx calls the English site
TO_API = re.compile(r"\[([^\]]+)\]\((?:\.\./book/)?(api/\w+)\.md(?:#[\w-]+)?\)")
BANNER = "이 쪽은 아직 한국어로 옮기지 않았다. 아래는 영어 원문이다."
STILL_ENGLISH = "아직 한국어로 옮기지 않은 문단 {count}개는 EN 표시와 함께 영어 원문으로 나온다."
SHOWN_IN = "untranslated.json"  # the name of a page -> its messages that stay English
# Where `.github/workflows/publish.yml` puts the notebooks that are made here: the main branch, with
# these in the place of the English ones. Colab, Binder and JupyterLab open them from there.
BRANCHES = {"ko": "korean"}
CHOICE = """\
import os

os.environ["BOTTOMUP_LANGUAGE"] = "{language}"  # before bottomup is imported
"""
FIRST_HEADING = re.compile(r"^# .+\n?", re.MULTILINE)


def folder(language: str) -> Path:
    """Return where the source of a language is made."""
    return BUILD / language


def make(language: str) -> None:
    """Make the source of a language."""
    goal, said = folder(language), catalogue.translations(catalogue.read(site.catalogue(language)))
    package = catalogue.translations(catalogue.read(strings.catalogue(language)))
    for name in LINKED:
        _link(goal / name, ROOT / name)
    stay = {}
    for page in all_pages():
        text = of_page(page, language, package)
        _write(goal / page.path.relative_to(ROOT), text)
        stay[page.name] = sorted(set(untranslated(page, language)))
    _write(goal / SHOWN_IN, json.dumps(stay, ensure_ascii=False, indent=1) + "\n")
    _write(goal / "_toc.yml", _yaml(_contents(said)))
    _write(goal / "_config.yml", _yaml(_settings(language, said)))
    _write(goal / "book/fast_path.yml", ROOT.joinpath("book/fast_path.yml").read_text("utf-8"))
    for path in sorted((ROOT / "book/_static").iterdir()):
        if path == site.MAP:
            text = site.WORDS_OF_MAP.sub(
                lambda found: said.get(found[0], found[0]), path.read_text(encoding="utf-8")
            )
            _write(goal / "book/_static" / path.name, text)
        else:
            _link(goal / "book/_static" / path.name, path)


def of_page(page: Page, language: str, package: Mapping[str, str]) -> str:
    """Return the content of a page's file in a language; `package` is what outputs say in it."""
    done = page.name in released(language)
    said = catalogue.translations(catalogue.read(page.catalogue(language))) if done else {}
    line = still_english(len(page.untranslated(said))) if done else BANNER
    text = page.translated(said)
    if not page.is_notebook:
        return _to_english_api(_below_title(text, line))
    notebook = nbformat.reads(text, as_version=4)
    prose = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    if done:
        retell(notebook, outputs.stored(page.path), package)
        plots.replace(notebook, page.path, package)
        drawings.renew(notebook)
        choose(notebook, language)
    prose[0].source = _below_title(prose[0].source, line)
    for cell in prose:
        cell.source = _to_english_api(cell.source)
    return f"{nbformat.writes(notebook)}\n"


def choose(notebook: nbformat.NotebookNode, language: str) -> None:
    """Let the first cell of code choose the language in which the package answers."""
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    first.source = CHOICE.format(language=language) + first.source


def still_english(count: int) -> str:
    """Return the line below a title that counts what is not translated; none where all is."""
    return STILL_ENGLISH.format(count=count) if count else ""


def untranslated(page: Page, language: str) -> list[str]:
    """Return the messages that stay English on a released page; of another one, all stay."""
    if page.name not in released(language):
        return []
    return page.untranslated(catalogue.translations(catalogue.read(page.catalogue(language))))


def _to_english_api(text: str) -> str:
    return TO_API.sub(r"{external+english:doc}`\1 <book/\2>`", text)


def _below_title(text: str, line: str) -> str:
    """Return a text that says below its title, in a line, what is not translated, if anything."""
    if not line:
        return text
    block = f'\n\n<div class="not-translated" lang="ko">{escape(line)}</div>\n'
    return FIRST_HEADING.sub(lambda found: found[0].rstrip("\n") + block, text, count=1)


def _contents(said: Mapping[str, str]) -> dict[str, Any]:
    """Return the table of contents, translated, without the API."""
    toc = contents()
    for entry in list(entries(toc)):
        for kind in ("caption", "title"):
            if kind in entry:
                entry[kind] = said.get(entry[kind], entry[kind])
        if "chapters" in entry:
            entry["chapters"] = [c for c in entry["chapters"] if not c["file"].startswith(API)]
    return toc


def _settings(language: str, said: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings of the site in a language."""
    settings = site.settings()
    for path in site.SETTINGS:
        part: Any = settings
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = said.get(part[path[-1]], part[path[-1]])
    settings["repository"]["branch"] = BRANCHES[language]
    sphinx = settings["sphinx"]
    sphinx["extra_extensions"] = [
        *(each for each in sphinx["extra_extensions"] if each not in WITHOUT),
        "sphinx.ext.intersphinx",
    ]
    sphinx["config"] |= {
        "language": language,
        "translated_from": os.path.relpath(ROOT, folder(language)),
        "intersphinx_mapping": {ENGLISH: ["..", "../html/objects.inv"]},
        "intersphinx_disabled_reftypes": [],
    }
    for name in [name for name in sphinx["config"] if name.startswith(("autodoc_", "napoleon_"))]:
        del sphinx["config"][name]
    return settings


def _yaml(value: Any) -> str:
    text: str = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=1000)
    return text


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _link(path: Path, goal: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_symlink():
        path.symlink_to(os.path.relpath(goal, path.parent))
