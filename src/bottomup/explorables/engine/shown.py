"""A figure with the scripts of its model in a notebook, where no site has a file of them."""

from typing import Any

from bottomup.explorables.shared.explorable import Explorable


def with_scripts(figure: Explorable, *scripts: str) -> dict[str, Any]:
    """Return what a cell shows: the figure, and where a kernel runs the scripts with it.

    One output holds two forms, as with `knobs`. A notebook with a kernel shows a widget that holds
    the scripts and the figure; widgets are not stored, so that a notebook stays light. The site,
    and a notebook that has not been run, show the figure alone: it finds the script of the site, or
    keeps its table.

    Args:
        figure: what is shown.
        scripts: classic scripts that the figure would load from the site.
    """
    import ipywidgets  # here, so that who shows no model does not wait for it

    html = figure._repr_html_()
    before = "".join(f"<script>{script}</script>\n" for script in scripts)
    output = {
        "output_type": "display_data",
        "data": {"text/html": before + html, "text/plain": repr(figure)},
        "metadata": {},
    }
    widget = ipywidgets.Output(outputs=(output,))
    return {**widget._repr_mimebundle_(), "text/html": html, "text/plain": repr(figure)}
