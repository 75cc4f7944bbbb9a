"""Reader-facing strings pass through one function, which falls back to English."""

from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from bottomup import i18n
from bottomup.i18n import _

LANGUAGE = "qaa"  # kept free for private use: no catalogue of the course has it


@pytest.fixture
def translated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of translations that holds one string in one language."""
    catalogue = Catalog(locale="eo", domain="bottomup")
    catalogue.add("not solved yet", "ankoraŭ ne solvita")
    path = tmp_path / LANGUAGE / "LC_MESSAGES" / "bottomup.mo"
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        write_mo(file, catalogue)
    monkeypatch.setattr(i18n, "LOCALE_DIR", tmp_path)


def test_untranslated_message_comes_back_as_it_is(monkeypatch):
    monkeypatch.setenv("BOTTOMUP_LANGUAGE", "tlh")
    assert _("not solved yet") == "not solved yet"


@pytest.mark.usefixtures("translated")
def test_the_language_of_the_environment_is_used(monkeypatch):
    monkeypatch.setenv("BOTTOMUP_LANGUAGE", LANGUAGE)
    assert _("not solved yet") == "ankoraŭ ne solvita"
    assert _("another string") == "another string"


@pytest.mark.usefixtures("translated")
def test_english_is_the_language_of_an_environment_without_one(monkeypatch):
    monkeypatch.delenv("BOTTOMUP_LANGUAGE", raising=False)
    assert _("not solved yet") == "not solved yet"
