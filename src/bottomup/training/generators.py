"""Torch's default random generators: the CPU's, and those of a model's GPUs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class Generators:
    """The default generators that training `model` draws from.

    Only these are seeded, saved and put back; a generator that a loss keeps for
    itself is not.
    """

    def __init__(self, model: nn.Module) -> None:
        devices = {parameter.device for parameter in model.parameters()}
        gpus = {device for device in devices if device.type != "cpu"}
        self._all = [torch.default_generator]
        self._all += [_default(gpu) for gpu in sorted(gpus, key=str)]

    @contextmanager
    def forked(self) -> Iterator[None]:
        """Put all states back on the way out: the caller's numbers stay."""
        before = self.states()
        try:
            yield
        finally:
            self.restore(before)

    def seed(self, seed: int) -> None:
        """Seed all generators with the same number."""
        for generator in self._all:
            generator.manual_seed(int(seed))  # torch takes no other

    def states(self) -> list[Tensor]:
        """Return the states, the CPU's first."""
        return [generator.get_state() for generator in self._all]

    def restore(self, states: Sequence[Tensor]) -> None:
        """Set the states; on other devices, those that both sets have."""
        for generator, state in zip(self._all, states, strict=False):
            generator.set_state(state)


def _default(gpu: torch.device) -> torch.Generator:
    if gpu.type == "mps":
        return torch.mps._get_default_mps_generator()
    generators = torch.get_device_module(gpu).default_generators
    generator: torch.Generator = generators[gpu.index]
    return generator
