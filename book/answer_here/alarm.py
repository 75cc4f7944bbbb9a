"""An alarm for the page, where there are no signals: the answer's own lines look at the clock.

`limits` has an alarm call its handler every now and then while an answer runs. Here Python's
monitoring does: at each line, jump and call in the code of the answer, and in nothing else, so that
the rest runs as fast as ever. A loop or a recursion without end goes through one of them.
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

from bottomup.exercises.engine import limits

TOOL = 4  # of the numbers from 0 to 5 one that nobody else has
EVENTS = (
    sys.monitoring.events.LINE,
    sys.monitoring.events.JUMP,
    sys.monitoring.events.PY_START,
    sys.monitoring.events.PY_RESUME,
)

_handlers: list[limits.Handler] = []  # of the calls that run, the innermost last
rang = False  # whether a handler has stopped an answer, since somebody set this back
_next = 0.0  # when the clock is looked at again


def install() -> None:
    """Let `limits` ring by this alarm."""
    sys.monitoring.use_tool_id(TOOL, "answer_here")
    for event in EVENTS:
        sys.monitoring.register_callback(TOOL, event, _look)
    limits.alarm = alarm


def watch(code: CodeType) -> None:
    """Have the lines of a code look at the clock, those of the functions in it too."""
    sys.monitoring.set_local_events(TOOL, code, sum(EVENTS))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            watch(constant)


@contextmanager
def alarm(on_alarm: limits.Handler) -> Iterator[None]:
    """Call `on_alarm` every now and then while the block runs."""
    _handlers.append(on_alarm)
    try:
        yield
    finally:
        _handlers.pop()


def _look(*_where: Any) -> None:
    global _next, rang
    now = time.monotonic()
    if _handlers and now >= _next:
        _next = now + limits.REPEAT
        try:
            _handlers[-1](0, sys._getframe(1))
        except limits.OutOfTime:
            rang = True
            raise
