"""Checkpoints: written whole or not at all, refused by another run."""

import io
from pathlib import Path
from typing import Any

import torch
from torch import nn

from bottomup.files import write_atomically

FORMAT = "bottomup-checkpoint-2"


def describe_run(
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    *,
    steps: int,
    seed: int,
    max_norm: float | None,
    accumulate: int,
    precision: str | None,
) -> dict[str, Any]:
    """Describe what a run must have in common with its checkpoint."""
    groups = optimizer.param_groups
    names = {name for group in groups for name in group} - {"params", "lr"}
    options = {
        f"optimizer's {name}": [group.get(name) for group in groups]
        for name in sorted(names)
    }
    state = model.state_dict()
    return {
        "steps": steps,
        "seed": seed,
        "max_norm": max_norm,
        "accumulate": accumulate,
        "precision": precision,
        "optimizer": type(optimizer).__name__,
        "learning rates": [float(group["lr"]) for group in groups],
        **options,
        "state shapes": {name: list(state[name].shape) for name in state},
    }


def save_checkpoint(
    path: Path, run: dict[str, Any], state: dict[str, Any]
) -> None:
    """Write a checkpoint beside `path`, then move it there in one act.

    Whoever reads `path` sees the old checkpoint or the new one, never a part.
    """
    content = {"format": FORMAT, "run": run, "state": state}
    write_atomically(path, lambda file: torch.save(content, file))


def load_checkpoint(path: Path, run: dict[str, Any]) -> dict[str, Any]:
    """Read the state from a checkpoint of the same run.

    No code in the file is executed.
    """
    data = io.BytesIO(path.read_bytes())
    try:
        content = torch.load(data, map_location="cpu", weights_only=True)
    except Exception as error:  # of a kind that depends on what is damaged
        raise ValueError(
            f"checkpoint: cannot read {path}; delete it to start again"
        ) from error
    is_ours = isinstance(content, dict) and content.get("format") == FORMAT
    if not is_ours or not {"run", "state"} <= content.keys():
        raise ValueError(
            f"checkpoint: expected a file of format {FORMAT} in {path}"
        )
    _check_same_run(path, content["run"], run)
    return content["state"]


def _check_same_run(
    path: Path, saved: dict[str, Any], run: dict[str, Any]
) -> None:
    for name, here in run.items():
        there = saved.get(name)
        if there == here:
            continue
        if isinstance(there, dict) and isinstance(here, dict):
            names = {**there, **here}
            key = next(key for key in names if there.get(key) != here.get(key))
            name, there, here = (
                f"{name} of {key!r}",
                there.get(key),
                here.get(key),
            )
        raise ValueError(
            f"checkpoint: {path} belongs to another run: {name} is {there} "
            f"there and {here} here; delete the file or give another path"
        )
