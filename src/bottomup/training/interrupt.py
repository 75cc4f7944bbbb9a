"""Ctrl-C during training, held back to the end of a step.

An optimizer interrupted half-way has moved some parameters and not others.
Training that goes on from there differs from training that was never
interrupted.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def held_interrupt() -> Iterator[Callable[[], bool]]:
    """Give a function that tells whether Ctrl-C was pressed.

    A second Ctrl-C interrupts at once. Python delivers signals to the main
    thread alone: elsewhere nothing is held back.
    """
    pressed = False
    previous = signal.getsignal(signal.SIGINT)

    def hold(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed and callable(previous):
            previous(number, frame)
        pressed = True

    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or not callable(previous):
        yield lambda: False
        return
    signal.signal(signal.SIGINT, hold)
    try:
        yield lambda: pressed
    finally:
        signal.signal(signal.SIGINT, previous)
    if pressed:  # after the last look, and not raised yet
        raise KeyboardInterrupt
