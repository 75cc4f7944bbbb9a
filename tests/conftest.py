"""Settings and fixtures shared by the tests of the package."""

import gc
import os
import signal
import warnings
from collections.abc import Iterator

import pytest
import torch
from hypothesis import settings

os.environ["MPLBACKEND"] = "Agg"  # figures are drawn, never shown

# Many tests keep syntax trees and catalogues, which the collector would walk again and again.
gc.set_threshold(100_000, 50, 50)

# No deadline: a busy machine turns nothing red. The same examples each time: what turns red is the
# change that was made, and `--hypothesis-profile=search` draws others.
settings.register_profile("course", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("course")


def available_devices() -> list[str]:
    return ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def modes_taken_off(request: pytest.FixtureRequest) -> Iterator[None]:
    """Take off what a test leaves on: a mode of torch that stays would change later tests.

    What has been left is told among the warnings, and fails no test.
    """
    yield
    left = []
    while torch._C._len_torch_dispatch_stack():
        left.append(torch._C._pop_torch_dispatch_stack(None))
    while torch._C._len_torch_function_stack():
        left.append(torch._C._pop_torch_function_stack())
    if left:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn(f"{request.node.nodeid} left {left} on", stacklevel=1)


@pytest.fixture(params=available_devices())
def device(request: pytest.FixtureRequest) -> torch.device:
    """Every device of this machine in turn."""
    return torch.device(request.param)


@pytest.fixture
def generator() -> torch.Generator:
    """A source of random numbers of the test's own."""
    return torch.Generator().manual_seed(20170612)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Have Ctrl-C raise KeyboardInterrupt, as in a terminal; a test worker may ignore it."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)
