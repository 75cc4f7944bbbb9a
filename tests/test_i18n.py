"""Reader-facing strings pass through one function, which falls back to English."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bottomup import i18n
from bottomup.i18n import _
from tools.translate import catalogue

LANGUAGE = "qaa"  # kept free for private use: no catalogue of the course has it


TEXT = """\
msgid ""
msgstr ""
"Language: qaa\\n"

#. a comment
msgid "not solved yet"
msgstr "ankoraŭ ne solvita"

msgid ""
"two\\n"
"\\"lines\\""
msgstr ""
"du\\n"
"linioj"

#, fuzzy
#| msgid "older"
msgid "old"
msgstr "malnova"

msgid "empty"
msgstr ""
"""


@pytest.fixture
def translated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The catalogue of a language that has no other one."""
    monkeypatch.setattr(i18n, "LOCALE_DIR", tmp_path)
    monkeypatch.setenv("BOTTOMUP_LANGUAGE", LANGUAGE)
    path = i18n.catalogue_file(LANGUAGE)
    path.parent.mkdir(parents=True)
    path.write_text(TEXT, "utf-8")
    i18n.catalogue.cache_clear()
    yield path
    i18n.catalogue.cache_clear()


@pytest.mark.usefixtures("translated")
def test_the_language_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch):
    assert _("not solved yet") == "ankoraŭ ne solvita"
    assert _('two\n"lines"') == "du\nlinioj"
    for message in ("another string", "old", "empty", ""):  # fuzzy, or not translated
        assert _(message) == message
    monkeypatch.setenv("BOTTOMUP_LANGUAGE", "tlh")
    assert _("not solved yet") == "not solved yet"
    monkeypatch.delenv("BOTTOMUP_LANGUAGE")
    assert _("not solved yet") == "not solved yet"


@pytest.mark.parametrize("wrong", ['msgid "a"\n', 'msgid "a"\nmsgstr b\n', '  msgid "a"\n'])
def test_a_catalogue_that_is_not_understood_is_an_error(translated: Path, wrong: str):
    translated.write_text(TEXT + "\n" + wrong, "utf-8")
    with pytest.raises(ValueError, match="expected msgid and msgstr in turn"):
        _("not solved yet")


def test_babel_reads_the_committed_catalogue_alike():
    path = i18n.catalogue_file("ko")
    read = catalogue.translations(catalogue.read(path))
    assert i18n.catalogue("ko") == read
