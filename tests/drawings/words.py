"""What the tests of drawings read in them."""

from bottomup.drawings import Drawing


def written(drawing: Drawing) -> list[str]:
    """Return the words of all panels in the order in which they were drawn."""
    return [word for panel in drawing.panels for word in panel.words]
