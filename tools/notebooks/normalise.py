"""What a stored notebook holds: code, prose and outputs, and nothing about the machine."""

from nbformat import NotebookNode

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
LANGUAGE = {
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "pygments_lexer": "ipython3",
}
WIDGET = "application/vnd.jupyter.widget-view+json"
HTML = "text/html"
MACHINE = ("widgets", "vscode", "colab", "toc", "accelerator", "papermill")
EDITOR = ("execution", "ExecuteTime", "collapsed", "scrolled", "trusted", "vscode", "colab", "id")


def normalise(notebook: NotebookNode) -> None:
    """Remove timings, widget state and editors' notes from an executed notebook, in place.

    A widget cannot live without its kernel, so it goes too. The figure that was recorded beside it,
    in the same output, stays, and so do outputs of other kinds.
    """
    for key in MACHINE:
        notebook.metadata.pop(key, None)
    notebook.metadata["kernelspec"] = dict(KERNEL)
    notebook.metadata["language_info"] = dict(LANGUAGE)
    for cell in notebook.cells:
        for key in EDITOR:
            cell.metadata.pop(key, None)
        if cell.cell_type == "code":
            for output in cell.outputs:
                if HTML in output.get("data", {}):
                    output.data.pop(WIDGET, None)
            cell.outputs = [output for output in cell.outputs if not is_widget(output)]


def is_widget(output: NotebookNode) -> bool:
    """Say whether an output is the view of a widget."""
    return WIDGET in output.get("data", {})
