"""Tools that keep the repository in order. They are run from its root and never installed."""
