"""Where an exercise can be run: addresses that open its chapter, where possible at its stub."""

from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

# JupyterLab as `make lab` starts it, with the chapters as its folder. A workspace of its own: in
# that of another tab, such as the one that `make lab` opens, JupyterLab drops the cell.
JUPYTERLAB = "http://localhost:8888/lab/workspaces/exercises/tree"


def addresses(theme: dict[str, Any], page: str, cell: str) -> dict[str, str]:
    """Return the addresses by name.

    Binder passes no part of a page on (binderhub, issue 850): it opens the chapter.

    Args:
        theme: the options of the theme, which name the repository and the hosts.
        page: the chapter, such as "chapters/02_self_attention".
        cell: id of the cell in which the exercise is solved.
    """
    notebook = f"{page}.ipynb"
    found = {"JupyterLab": f"{JUPYTERLAB}/{PurePosixPath(notebook).name}#cell-id={cell}"}
    repository = urlsplit(theme.get("repository_url", ""))
    if repository.netloc != "github.com":
        return found
    name, branch = repository.path.strip("/"), theme.get("repository_branch") or "main"
    hosts = theme.get("launch_buttons", {})
    if colab := hosts.get("colab_url", "").rstrip("/"):
        found["Colab"] = f"{colab}/github/{name}/blob/{branch}/{notebook}#scrollTo={cell}"
    if binder := hosts.get("binderhub_url", "").rstrip("/"):
        found["Binder"] = f"{binder}/v2/gh/{name}/{branch}?urlpath=lab/tree/{notebook}"
    return found
