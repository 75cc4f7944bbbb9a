"""Tools that keep the repository in order. They are run from its root and never installed."""

from bottomup.i18n import escape_unknown_signs

escape_unknown_signs()  # a tool may print a page's Korean, or a claim's ≥
