"""Reader-facing strings pass through one function, which falls back to English."""

from bottomup.i18n import _


def test_untranslated_message_comes_back_as_it_is(monkeypatch):
    monkeypatch.setenv("BOTTOMUP_LANGUAGE", "tlh")
    assert _("not solved yet") == "not solved yet"
