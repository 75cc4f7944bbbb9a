"""Sphinx extension for a book in two languages: English, and Korean below ``ko/``.

``tools/translate`` makes the Korean source, and says with ``translated_from`` where the English one
is, which has been built before.

- `editions` knows which page has a twin in the other language, and links the two;
- `anchors` gives the sections of a translated page their English ids, so that links and claims lead
  to them in both;
- `untranslated` marks what a translated page still says in English;
- `korean_search` finds a Korean word with its particles;
- `unbroken` keeps a formula and the particle behind it on one line;
- `words` has the theme's own words in Korean.
"""

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from . import anchors, editions, korean_search, unbroken, untranslated, words


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the steps to Sphinx's events."""
    app.add_config_value("translated_from", "", "env", types=str)
    korean_search.offer()
    app.connect("config-inited", editions.set_address, priority=600)  # after offline_site
    app.connect("config-inited", words.translate, priority=900)
    app.add_transform(anchors.EnglishIds)
    app.add_transform(untranslated.MarkUntranslated)
    app.add_transform(unbroken.KeepParticles)
    # Early: the theme (500) renders each part of a header to see which is empty.
    app.connect("html-page-context", editions.link, priority=400)
    app.connect("html-page-context", words.translate_theme, priority=900)
    app.connect("build-finished", words.translate_copy_button)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
