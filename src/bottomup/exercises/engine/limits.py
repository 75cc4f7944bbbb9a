"""Calling an answer under a time limit, whatever it raises.

What counts is processor time: on a busy machine a right answer computes as much and takes longer.
By the clock on the wall it may take `WAITING` times as long, which stops what sleeps or waits: a
second on the wall counts as 1 / `WAITING` seconds at least.

In the main thread an alarm signal interrupts the answer. In any other thread, and where the system
has no such signal, the answer runs in a thread of its own that is asked to stop. Both interrupt
Python code; one long call into compiled code is only noticed when it returns. A page of the site
has neither signals nor threads, and brings an alarm of its own (`alarm`).

Meanwhile Python collects young garbage alone. A full collection looks at everything that the
process holds, which may take longer than the answer.

A module that is being loaded is not interrupted, and loading it does not count: half loaded, it
would break whatever imports it next. One that takes longer than waiting may is given up, and
everything loaded since the answer began is forgotten, so that it is loaded anew when next needed.
"""

import ctypes
import gc
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

WAITING = 10.0  # seconds on the wall for each second of processor time
REPEAT = (
    0.05  # seconds between two looks at the clock: an answer may swallow the first in `except:`
)
PATIENCE = 10  # alarms that may be swallowed before the handler that swallows is interrupted too
NEVER = 1_000_000  # collections of young garbage before a full one
GRACE = 1.0  # seconds a thread has to stop once asked

Handler = Callable[[int, FrameType | None], None]
Alarm = Callable[[Handler], AbstractContextManager[None]]  # rings every REPEAT seconds inside

alarm: Alarm | None = None  # in place of the system's

_IMPORT = "<frozen importlib._bootstrap>"  # the file of the frames in which Python imports


class OutOfTime(BaseException):
    """Raised inside an answer when its time is up."""

    waited = False  # whether it was stopped by the clock on the wall
    loading: str | None = None  # the module that was being loaded then


@dataclass(frozen=True)
class Outcome:
    """What a call came to: a value, or the error it raised, `OutOfTime` where it was stopped.

    Args:
        value: what it returned, None where it raised.
        error: what it raised, with its traceback; None where it returned.
        seconds: what it took of its limit.
    """

    value: Any = None
    error: BaseException | None = None
    seconds: float = 0.0

    @property
    def timed_out(self) -> bool:
        """Whether the time limit stopped it."""
        return isinstance(self.error, OutOfTime)


def call_within(function: Callable[[], Any], seconds: float) -> Outcome:
    """Call `function` for at most `seconds` of processor time and return what it came to.

    Everything it raises is caught, `SystemExit` and `KeyboardInterrupt` included. A real Ctrl-C
    still interrupts the caller: it arrives as a signal, which an answer's own
    ``raise KeyboardInterrupt`` does not.
    """
    before = len(sys.modules)
    in_main_thread = threading.current_thread() is threading.main_thread()
    with _old_garbage_kept():
        if in_main_thread and (ring := alarm or _alarm_of_the_system()):
            outcome = _call_with_alarm(function, seconds, ring)
        else:
            outcome = _call_in_thread(function, seconds)
    if isinstance(outcome.error, OutOfTime) and outcome.error.loading:
        for name in list(sys.modules)[before:]:  # in the order of loading
            del sys.modules[name]
    return outcome


@contextmanager
def _old_garbage_kept() -> Iterator[None]:
    thresholds = gc.get_threshold()
    gc.set_threshold(*thresholds[:2], NEVER)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold a Ctrl-C back until the block is done: what it loads is loaded whole."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield
        return
    held: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda signum, frame: held.append((signum, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
        if held:
            handler(*held[0])


def _loading(frame: FrameType | None) -> str | None:
    """Return the module that the answer, below which `frame` runs, is importing; else None."""
    found = None
    while frame is not None and frame.f_code not in (_run_with_alarm.__code__, _work.__code__):
        if frame.f_code.co_filename == _IMPORT:
            found = frame.f_locals.get("name", found)
        frame = frame.f_back
    return found


@dataclass
class _Clock:
    """Processor time since the start, without that of loading modules, and time on the wall."""

    seconds: float
    computed: float = 0.0
    started: float = field(default_factory=time.monotonic)
    last: float = field(default_factory=time.process_time)

    def count(self, frame: FrameType | None) -> bool:
        """Count the time since the last look, and say whether a module is being loaded."""
        now, loading = time.process_time(), _loading(frame) is not None
        self.computed += 0 if loading else now - self.last
        self.last = now
        return loading

    @property
    def waited(self) -> float:
        return (time.monotonic() - self.started) / WAITING

    @property
    def used(self) -> float:
        return max(self.computed, self.waited)

    def is_over(self, frame: FrameType | None) -> bool:
        """Count, and say whether the answer is to be stopped at this frame."""
        loading = self.count(frame)
        return self.waited >= self.seconds or (self.computed >= self.seconds and not loading)

    def stop(self, frame: FrameType | None) -> OutOfTime:
        """Return what stops the answer at this frame."""
        error = OutOfTime()
        error.waited, error.loading = self.computed < self.seconds, _loading(frame)
        return error


@dataclass
class _Watch:
    clock: _Clock
    active: bool = True
    stop: OutOfTime | None = None
    interrupted: bool = False
    alarms: int = 0

    def on_alarm(self, signum: int, frame: FrameType | None) -> None:
        if not self.active:
            return
        over = self.clock.is_over(frame)
        if self.interrupted and not _loading(frame):
            raise KeyboardInterrupt
        if over or self.stop:
            self.stop = self.stop or self.clock.stop(frame)
            self.alarms += 1
            if frame is not None and self.alarms > PATIENCE:
                _raise_at_next_line(frame, self.stop)
            raise self.stop.with_traceback(None)


def _raise_at_next_line(frame: FrameType, stop: OutOfTime) -> None:
    """Raise once more at the frame's next line, which is inside the `except:` that swallowed.

    What is raised there leaves the loop. A trace function that raises is unset by Python.
    """

    def trace(traced: FrameType, event: str, argument: object) -> Any:
        if event == "line" and traced is frame:
            raise stop.with_traceback(None)
        return trace

    frame.f_trace = trace
    sys.settrace(trace)


def _call_with_alarm(function: Callable[[], Any], seconds: float, ring: Alarm) -> Outcome:
    watch = _Watch(_Clock(seconds))
    with _interrupts_noted(watch), _tracing_kept(), ring(watch.on_alarm):
        value, error = _run_with_alarm(function, watch)
    watch.clock.count(None)
    if watch.interrupted:
        raise KeyboardInterrupt
    if watch.stop:
        return Outcome(None, watch.stop, watch.clock.used)
    return Outcome(value, error, watch.clock.used)


def _run_with_alarm(
    function: Callable[[], Any], watch: _Watch
) -> tuple[Any, BaseException | None]:  # fmt: skip
    try:
        try:
            return function(), None
        finally:
            watch.active = False  # an alarm from here on is late and does nothing
    except BaseException as raised:
        watch.active = False
        return None, raised


def _alarm_of_the_system() -> Alarm | None:
    return _rung_by_a_signal if hasattr(signal, "setitimer") else None


@contextmanager
def _tracing_kept() -> Iterator[None]:
    tracing = sys.gettrace()
    try:
        yield
    finally:
        sys.settrace(tracing)


@contextmanager
def _rung_by_a_signal(on_alarm: Handler) -> Iterator[None]:
    started = time.monotonic()
    handler = signal.signal(signal.SIGALRM, on_alarm)
    delay, interval = signal.setitimer(signal.ITIMER_REAL, REPEAT, REPEAT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
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
        return None if _loading(frame) else handler(signum, frame)

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _call_in_thread(function: Callable[[], Any], seconds: float) -> Outcome:
    outcomes: list[Outcome] = []
    worker = threading.Thread(target=_work, args=(function, outcomes), daemon=True)
    clock = _Clock(seconds)
    worker.start()
    while worker.is_alive():
        worker.join(REPEAT)
        if worker.is_alive() and clock.is_over(_frame_of(worker)):
            return Outcome(error=_stop(worker, outcomes, clock), seconds=clock.used)
    clock.count(None)
    return Outcome(outcomes[0].value, outcomes[0].error, clock.used)


def _work(function: Callable[[], Any], outcomes: list[Outcome]) -> None:
    try:
        outcomes.append(Outcome(function()))
    except BaseException as raised:
        outcomes.append(Outcome(error=raised))


def _frame_of(worker: threading.Thread) -> FrameType | None:
    return sys._current_frames().get(worker.ident or 0)


def _stop(worker: threading.Thread, outcomes: list[Outcome], clock: _Clock) -> OutOfTime:
    """Ask a thread to stop, and return what stopped it, with the place where it did."""
    raise_in_thread = ctypes.pythonapi.PyThreadState_SetAsyncExc
    stop, until = clock.stop(_frame_of(worker)), time.monotonic() + GRACE
    while worker.is_alive() and time.monotonic() < until:
        raise_in_thread(ctypes.c_ulong(worker.ident or 0), ctypes.py_object(OutOfTime))
        worker.join(REPEAT)
    raised = outcomes[0].error if outcomes else None
    return stop.with_traceback(raised.__traceback__) if isinstance(raised, OutOfTime) else stop
