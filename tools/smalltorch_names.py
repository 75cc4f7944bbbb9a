"""Write down which names torch has, for the small torch to tell a gap from a slip.

python -m tools.smalltorch_names
"""

from importlib import import_module
from pathlib import Path

import torch

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
    return "".join(f"{owner}: {' '.join(names_of(value))}\n" for owner, value in owners.items())


def main(file: Path = FILE) -> None:
    """Write the file."""
    file.write_text(written(), "utf-8")


if __name__ == "__main__":
    main()
