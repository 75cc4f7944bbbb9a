"""Translation of the strings a reader sees: diagnoses, hints, claims, labels.

Prose is translated through Sphinx. Strings that Python prints are not, so they
pass through `_`. The language is that of the environment variable
``BOTTOMUP_LANGUAGE`` (default: English).
"""

import gettext
import os
from functools import cache
from pathlib import Path

LOCALE_DIR = Path(__file__).parent / "locale"


@cache
def _translation(language: str) -> gettext.NullTranslations:
    return gettext.translation(
        "bottomup", LOCALE_DIR, languages=[language], fallback=True
    )


def _(message: str) -> str:
    """Return `message` in the reader's language, else in English."""
    language = os.environ.get("BOTTOMUP_LANGUAGE", "en")
    return _translation(language).gettext(message)
