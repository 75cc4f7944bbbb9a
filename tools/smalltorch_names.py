"""Write down which names torch has, for the small torch to tell a gap from a slip.

python -m tools.smalltorch_names
"""

import ast
import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import torch

import smalltorch
from tools.notebooks.paths import ROOT

FILE = ROOT / "src" / "smalltorch" / "known_names.txt"
MODULES = (
    "torch torch.nn torch.nn.functional torch.nn.init torch.nn.utils torch.nn.utils.rnn "
    "torch.linalg torch.special torch.fft torch.autograd torch.autograd.function "
    "torch.autograd.functional "
    "torch.autograd.graph torch.random torch.testing torch.utils torch.utils.checkpoint "
    "torch.utils.data torch.optim torch.distributions torch.func torch.overrides torch.cuda"
)


def names_of(owner: object) -> list[str]:
    """Return the public names of a module or class."""
    return sorted(name for name in dir(owner) if not name.startswith("_"))


def written() -> str:
    """Return the text of the file."""
    owners: dict[str, object] = {name: import_module(name) for name in MODULES.split()}
    owners |= {"Tensor": torch.Tensor, "Module": torch.nn.Module}
    names = {owner: names_of(value) for owner, value in owners.items()}
    called = {f"{name}()": sorted(found) for name, found in sorted(arguments().items())}
    return "".join(f"{owner}: {' '.join(each)}\n" for owner, each in (names | called).items())


# ---- The arguments of what the small torch has, by the name of the function


def arguments() -> dict[str, set[str]]:
    """Return by function what torch calls its arguments, with a star where it has several forms.

    Functions and methods of one name are taken together, whatever module they stand in.
    """
    stubs = [stubs_of(name) for name in ("_VariableFunctions.pyi", "__init__.pyi", "_nn.pyi")]
    found: dict[str, set[str]] = {}
    for name, own, theirs in shared():
        about = found.setdefault(own, set())
        about.update(*(each.get(name, ()) for each in stubs), parameters(theirs))
        if has_several_forms(theirs):
            about.add("*")
    return {
        name: {each for each in about if not each.startswith("_")} - {"self", "args", "kwargs"}
        for name, about in found.items()
    }


def shared() -> Iterator[tuple[str, str, Any]]:
    """Yield what both have: its name in torch, what the small torch calls itself, torch's own."""
    owners: dict[Any, Any] = {smalltorch: torch, smalltorch.Tensor: torch.Tensor}
    for name in ("linalg", "special", "nn", "nn.functional"):
        owners[import_module(f"smalltorch.{name}")] = import_module(f"torch.{name}")
    for small, large in owners.items():
        for name in names_of(small):
            own = getattr(small, name)
            is_one = hasattr(own, "__wrapped__") or (small is smalltorch.nn and callable(own))
            if is_one and hasattr(large, name):
                yield name, own.__name__, getattr(large, name)


def stubs_of(file: str) -> dict[str, set[str]]:
    """Return the arguments of the functions and methods in a file of torch's own stubs."""
    found: dict[str, set[str]] = {}
    path = Path(torch.__file__).parent / "_C" / file
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef):
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            found.setdefault(node.name, set()).update(each.arg for each in given)
    return found


def parameters(function: Callable[..., Any]) -> set[str]:
    """Return the names of a function's arguments, as far as Python or torch's list knows them."""
    listed = torch.overrides.get_testing_overrides()
    for each in (function, listed.get(function)):
        try:
            return set(inspect.signature(each).parameters)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            pass
    return set()


def has_several_forms(function: Callable[..., Any]) -> bool:
    """Say whether torch names all the forms of a function where a call fits none of them."""
    try:
        function(torch.ones(2, 2), no_such_argument=1)
    except Exception as error:
        return "invalid combination" in str(error)
    return False


def main(file: Path = FILE) -> None:
    """Write the file."""
    file.write_text(written(), "utf-8")


if __name__ == "__main__":
    main()
