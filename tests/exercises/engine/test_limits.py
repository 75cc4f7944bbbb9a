import gc
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottomup.exercises.engine import limits
from bottomup.exercises.engine.limits import call_within, uninterrupted

pytestmark = pytest.mark.slow  # waits for limits to pass

BRIEF = 0.1


def forever() -> None:
    while True:
        pass


def stubborn() -> None:
    while True:
        try:
            time.sleep(10)
        except BaseException:
            if time.monotonic() > stubborn.until:
                raise


def raising(error: BaseException):
    def function() -> None:
        raise error

    return function


def in_a_thread(function):
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


@pytest.fixture(params=["main thread", "another thread"])
def call(request: pytest.FixtureRequest):
    if request.param == "main thread":
        return call_within
    return lambda function, seconds: in_a_thread(lambda: call_within(function, seconds))


def test_a_loop_without_end_is_stopped(call):
    started = time.process_time()
    outcome = call(forever, BRIEF)
    assert outcome.timed_out
    assert not outcome.error.waited
    assert BRIEF <= outcome.seconds <= time.process_time() - started < 10 * BRIEF
    frames = traceback.extract_tb(outcome.error.__traceback__)
    assert any(frame.name == "forever" for frame in frames)


@pytest.mark.waits
def test_waiting_counts_a_tenth(call):
    outcome = call(lambda: time.sleep(2 * BRIEF), BRIEF)
    assert outcome.error is None
    assert 2 * BRIEF / limits.WAITING <= outcome.seconds < BRIEF


@pytest.mark.waits
def test_an_answer_that_waits_without_end_is_stopped(call):
    def wait() -> None:
        while True:
            time.sleep(0.01)

    outcome = call(wait, BRIEF / 2)
    assert outcome.timed_out
    assert outcome.error.waited
    assert outcome.error.loading is None


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write a package `half_loaded` with the given code between its two halves."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(*lines: str) -> None:
        package = tmp_path / "half_loaded"
        package.mkdir()
        package.joinpath("__init__.py").write_text(
            "\n".join(("from . import part", *lines)), encoding="utf-8"
        )
        package.joinpath("part.py").touch()

    yield write
    for name in ("half_loaded", "half_loaded.part"):
        sys.modules.pop(name, None)


def load() -> bool:
    import half_loaded

    return half_loaded.whole


COMPUTE = (
    f"import time; end = time.process_time() + {2 * BRIEF}\nwhile time.process_time() < end: pass"
)


def test_loading_a_module_does_not_count_and_what_follows_does(call, module):
    module(COMPUTE, "whole = True")
    outcome = call(load, BRIEF)
    assert outcome.value is True
    assert outcome.seconds < BRIEF
    for name in ("half_loaded", "half_loaded.part"):
        del sys.modules[name]
    outcome = call(lambda: load() and forever(), BRIEF)
    assert outcome.timed_out
    assert outcome.error.loading is None
    assert sys.modules["half_loaded"].whole


def full_collections() -> int:
    return gc.get_stats()[2]["collections"]


def allocate() -> int:
    """Return how many full collections ran while more and more was held."""
    before = full_collections()
    held = [[number] for number in range(300_000)]
    after = full_collections()
    del held
    return after - before


@pytest.fixture
def eager_collector() -> Iterator[None]:
    """Python's own thresholds: this suite's keep a full collection away for long."""
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("eager_collector")
def test_no_full_collection_runs_in_an_answer_and_one_may_afterwards():
    thresholds, young = gc.get_threshold(), gc.get_stats()[0]["collections"]
    assert call_within(allocate, 60.0).value == 0
    assert gc.get_stats()[0]["collections"] > young
    assert gc.get_threshold() == thresholds
    assert allocate() > 0


@pytest.mark.waits
def test_a_module_that_loads_without_end_is_given_up_and_forgotten(call, module):
    module("import time", "while True: time.sleep(0.01)")
    outcome = call(load, BRIEF / 4)
    assert outcome.timed_out
    assert outcome.error.loading == "half_loaded"
    assert not {"half_loaded", "half_loaded.part"} & set(sys.modules)


CONTROL_C = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_waits_until_a_module_is_loaded(module):
    module(CONTROL_C, COMPUTE, "whole = True")
    with pytest.raises(KeyboardInterrupt):
        call_within(lambda: load() and forever(), 60)
    assert sys.modules["half_loaded"].whole


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_waits_until_a_block_is_done(module):
    module(CONTROL_C, "whole = True")
    handler = signal.getsignal(signal.SIGINT)
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        done.append(load())
    assert done == [True]
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.waits
def test_an_answer_that_swallows_the_first_alarm_is_stopped(call):
    seconds = BRIEF / 4
    stubborn.until = time.monotonic() + limits.WAITING * seconds + 4 * limits.REPEAT
    assert call(stubborn, seconds).timed_out
    assert time.monotonic() > stubborn.until


def test_an_answer_that_swallows_every_alarm_is_stopped():
    def swallow() -> None:
        while True:
            try:
                for _ in range(100_000):
                    pass
            except:  # noqa: E722
                pass

    tracing, started = sys.gettrace(), time.process_time()
    assert call_within(swallow, 0.1).timed_out
    assert time.process_time() - started < 5
    assert sys.gettrace() is tracing


def test_an_answer_that_swallows_the_alarm_and_returns_is_out_of_time():
    def function() -> int:
        try:
            forever()
        except BaseException:
            return 3
        return 0

    outcome = call_within(function, BRIEF)
    assert outcome.timed_out
    assert outcome.value is None


@pytest.mark.parametrize(
    "error", [ValueError("no"), SystemExit(1), KeyboardInterrupt(), GeneratorExit()], ids=repr
)
def test_a_value_comes_back_and_whatever_an_answer_raises(call, error: BaseException):
    outcome = call(lambda: 7, BRIEF)
    assert (outcome.value, outcome.error, outcome.timed_out) == (7, None, False)
    outcome = call(raising(error), BRIEF)
    assert (outcome.error, outcome.timed_out) == (error, False)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("swallowed", [(), BaseException])
def test_a_real_interrupt_reaches_the_caller_even_where_it_is_swallowed(swallowed):
    def press_control_c() -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            forever()
        except swallowed:
            pass

    with pytest.raises(KeyboardInterrupt):
        call_within(press_control_c, 5)


def test_handlers_and_timers_are_put_back():
    rung = []
    handler = signal.signal(signal.SIGALRM, lambda signum, frame: rung.append(signum))
    interrupt = signal.getsignal(signal.SIGINT)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        call_within(lambda: None, BRIEF)
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 0.5
        assert signal.getsignal(signal.SIGINT) is interrupt
        time.sleep(1)  # the other timer rings, and interrupts nothing
        assert rung == [signal.SIGALRM]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)


def test_an_ignored_interrupt_stays_ignored():
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert call_within(lambda: 7, BRIEF).value == 7
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, handler)


def test_without_alarm_signals_a_thread_is_used(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(signal, "setitimer")
    threads = []
    call_within(lambda: threads.append(threading.current_thread()), BRIEF)
    assert threads[0] is not threading.main_thread()
    assert call_within(forever, BRIEF).timed_out


@pytest.mark.waits
def test_a_thread_in_compiled_code_does_not_hold_the_caller(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "GRACE", 0.1)
    done = threading.Event()
    outcome = in_a_thread(lambda: call_within(lambda: (time.sleep(4), done.set()), 0.02))
    assert outcome.timed_out
    assert not done.is_set()
