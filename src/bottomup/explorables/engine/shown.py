"""A figure with its model in a notebook, where no site has a file to load it from."""

from typing import Any

from bottomup.explorables.engine.payload import model_script
from bottomup.explorables.shared.explorable import Explorable


def with_model(figure: Explorable, *names: str) -> dict[str, Any]:
    """Return what a cell shows: the figure, and where a kernel runs the models with it.

    One output holds two forms, as with `knobs`. A notebook with a kernel shows a widget that holds
    the models' scripts and the figure; widgets are not stored, so that a notebook stays light. The
    site, and a notebook that has not been run, show the figure alone: it finds the script of the
    site, or keeps its table.

    Args:
        figure: what is shown.
        names: of the models that it loads, of `MODELS`.
    """
    import ipywidgets  # here, so that who shows no model does not wait for it

    html = figure._repr_html_()
    scripts = "".join(f"<script>{model_script(name)}</script>\n" for name in names)
    output = {
        "output_type": "display_data",
        "data": {"text/html": scripts + html, "text/plain": repr(figure)},
        "metadata": {},
    }
    widget = ipywidgets.Output(outputs=(output,))
    return {**widget._repr_mimebundle_(), "text/html": html, "text/plain": repr(figure)}
