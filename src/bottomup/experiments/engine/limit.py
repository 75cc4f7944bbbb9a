"""A limit of time, kept by pressing Ctrl-C."""

import _thread
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

POLL = 0.05  # seconds between two looks at what is waited for


@contextmanager
def interrupted_after(
    seconds: float,
    *,
    ready: Callable[[], object] = lambda: True,
    latest: float = math.inf,
    again: float = math.inf,
) -> Iterator[threading.Event]:
    """Have Ctrl-C pressed when the time is over; the event says that it was not a person.

    It works in the main thread alone, where Python hears signals. A process that a shell started
    in the background ignores Ctrl-C: inside, it does not.

    Args:
        seconds: the time.
        ready: says whether what is inside may be interrupted yet.
        latest: seconds after which it is, whatever `ready` says.
        again: seconds after which it is pressed once more: a step of a training, which is held to
            its end, then stops at once.
    """
    over, left, began = threading.Event(), threading.Event(), time.monotonic()

    def press() -> None:
        wait = seconds
        while not left.wait(wait):
            wait = POLL
            if ready() or time.monotonic() - began >= latest:
                over.set()
                _thread.interrupt_main(signal.SIGINT)
                wait = min(again, threading.TIMEOUT_MAX)

    before = signal.getsignal(signal.SIGINT)
    if not callable(before):
        signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Thread(target=press, daemon=True)
    timer.start()
    try:
        yield over
    finally:
        left.set()
        timer.join()  # what was pressed at the last moment is raised here and not later
        if not callable(before):
            signal.signal(signal.SIGINT, before)
