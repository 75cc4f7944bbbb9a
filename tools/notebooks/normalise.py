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
MACHINE = ("widgets", "vscode", "colab", "toc", "accelerator", "papermill")
EDITOR = ("execution", "ExecuteTime", "collapsed", "scrolled", "trusted", "vscode", "colab", "id")


def normalise(notebook: NotebookNode) -> None:
    """Remove timings, widget state and editors' notes from an executed notebook, in place.

    A widget cannot live without its kernel, so its output goes too; the page shows the static
    figure beside it. Outputs of other kinds in the same cell stay.
    """
    for key in MACHINE:
        notebook.metadata.pop(key, None)
    notebook.metadata["kernelspec"] = dict(KERNEL)
    notebook.metadata["language_info"] = dict(LANGUAGE)
    for cell in notebook.cells:
        for key in EDITOR:
            cell.metadata.pop(key, None)
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not is_widget(output)]


def is_widget(output: NotebookNode) -> bool:
    """Say whether an output is the view of a widget."""
    return WIDGET in output.get("data", {})
