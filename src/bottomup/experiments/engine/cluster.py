"""Units on a cluster of dask: workers measure in folders of their own, the head keeps the outcomes.

Nothing is asked of the workers but the package in the same versions: no shared folder. Any cluster
of dask has an address, that of dask-jobqueue's schedulers too.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from distributed import Client, as_completed

from bottomup.experiments.engine import provenance
from bottomup.experiments.engine.units import Outcome, Trial, Unit, one_thread
from bottomup.training.device import seconds

RETRIES = 2  # of a unit whose worker was lost


def connect(address: str) -> Client:
    """Return a client of the cluster at an address such as ``tcp://10.0.0.1:8786``.

    Raises:
        ValueError: a worker has other versions than this process.
    """
    client = Client(address)
    here = provenance.versions()
    for worker, there in client.run(_versions).items():
        for name, version in here.items():
            if there.get(name) != version:
                client.close()
                raise ValueError(
                    f"cluster: {worker} has {name} {there.get(name)}, expected {version} as here"
                )
    return client


def _versions() -> dict[str, str]:
    return provenance.versions()


def measure(
    client: Client,
    function: Callable[..., Outcome],
    config: Any,
    device: torch.device,
    units: Sequence[Unit],
) -> Iterator[tuple[Unit, float]]:
    """Measure units on the workers; store each as it arrives, and give it with its seconds."""
    waiting = {
        client.submit(
            _measured, function, config, device, unit.variant, unit.seed,
            pure=False, retries=RETRIES,
        ): unit
        for unit in units
    }  # fmt: skip
    for future in as_completed(waiting):
        outcome, spent = future.result()
        waiting[future].store(outcome, spent)
        yield waiting[future], spent


def _measured(
    function: Callable[..., Outcome], config: Any, device: torch.device, variant: str, seed: int
) -> tuple[Outcome, float]:
    with tempfile.TemporaryDirectory(prefix="bottomup-") as folder, one_thread(quiet=True):
        start = seconds(device)
        outcome = function(config, variant, Trial(seed, device, Path(folder) / "unit.pt"))
        return outcome, seconds(device) - start
