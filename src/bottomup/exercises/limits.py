"""Calling an answer under a time limit, whatever it raises.

In the main thread an alarm signal interrupts the answer. In any other thread, and where the system
has no such signal, the answer runs in a thread of its own that is asked to stop. Both interrupt
Python code; one long call into compiled code is only noticed when it returns.
"""

import ctypes
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

REPEAT = 0.05  # seconds between two alarms: an answer may swallow the first in an `except:`
PATIENCE = 10  # alarms that may be swallowed before the handler that swallows is interrupted too
GRACE = 1.0  # seconds a thread has to stop once asked


class OutOfTime(BaseException):
    """Raised inside an answer when its time is up."""


@dataclass(frozen=True)
class Outcome:
    """What a call came to: a value, or the error it raised, or neither in time."""

    value: Any = None
    error: BaseException | None = None
    timed_out: bool = False


def call_within(function: Callable[[], Any], seconds: float) -> Outcome:
    """Call `function` for at most `seconds` and return what it came to.

    Everything it raises is caught, `SystemExit` and `KeyboardInterrupt` included. A real Ctrl-C
    still interrupts the caller: it arrives as a signal, which an answer's own
    ``raise KeyboardInterrupt`` does not.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if in_main_thread and hasattr(signal, "setitimer"):
        return _call_with_alarm(function, seconds)
    return _call_in_thread(function, seconds)


@dataclass
class _Watch:
    active: bool = True
    out_of_time: bool = False
    interrupted: bool = False
    alarms: int = 0

    def on_alarm(self, signum: int, frame: FrameType | None) -> None:
        if self.active:
            self.out_of_time = True
            self.alarms += 1
            if frame is not None and self.alarms > PATIENCE:
                _raise_at_next_line(frame)
            raise OutOfTime


def _raise_at_next_line(frame: FrameType) -> None:
    """Raise once more at the frame's next line, which is inside the `except:` that swallowed.

    What is raised there leaves the loop. A trace function that raises is unset by Python.
    """

    def trace(traced: FrameType, event: str, argument: object) -> Any:
        if event == "line" and traced is frame:
            raise OutOfTime
        return trace

    frame.f_trace = trace
    sys.settrace(trace)


def _call_with_alarm(function: Callable[[], Any], seconds: float) -> Outcome:
    watch = _Watch()
    value, error = None, None
    with _interrupts_noted(watch), _alarm(watch, seconds):
        try:
            try:
                value = function()
            finally:
                watch.active = False  # an alarm from here on is late and does nothing
        except BaseException as raised:
            watch.active = False
            error = raised
    if watch.interrupted:
        raise KeyboardInterrupt
    return Outcome(None, None, True) if watch.out_of_time else Outcome(value, error)


@contextmanager
def _alarm(watch: _Watch, seconds: float) -> Iterator[None]:
    started, tracing = time.monotonic(), sys.gettrace()
    handler = signal.signal(signal.SIGALRM, watch.on_alarm)
    delay, interval = signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-3), REPEAT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.settrace(tracing)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)
        if delay > 0:  # somebody else's timer was running
            left = max(delay - (time.monotonic() - started), 1e-3)
            signal.setitimer(signal.ITIMER_REAL, left, interval)


@contextmanager
def _interrupts_noted(watch: _Watch) -> Iterator[None]:
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        yield
        return

    def on_interrupt(signum: int, frame: FrameType | None) -> Any:
        watch.interrupted = True
        return handler(signum, frame)

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _call_in_thread(function: Callable[[], Any], seconds: float) -> Outcome:
    outcomes: list[Outcome] = []

    def work() -> None:
        try:
            outcomes.append(Outcome(function()))
        except BaseException as raised:
            outcomes.append(Outcome(error=raised))

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(seconds)
    if not worker.is_alive():
        return outcomes[0]
    _stop(worker)
    return Outcome(timed_out=True)


def _stop(worker: threading.Thread) -> None:
    raise_in_thread = ctypes.pythonapi.PyThreadState_SetAsyncExc
    until = time.monotonic() + GRACE
    while worker.is_alive() and time.monotonic() < until:
        raise_in_thread(ctypes.c_ulong(worker.ident or 0), ctypes.py_object(OutOfTime))
        worker.join(REPEAT)
