"""Script and style of the small live translator, which `translator_live` builds."""
