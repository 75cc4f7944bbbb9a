import signal

import pytest

from bottomup.training.interrupt import held_interrupt


def press(times: int, reached: list[str]) -> None:
    """Press Ctrl-C within the block."""
    with held_interrupt() as interrupted:
        assert not interrupted()
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
        assert interrupted() or times == 0
        reached.append("the end of the block")


def test_ctrl_c_is_held_back_until_the_end(interruptible):
    reached: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        press(1, reached)
    assert reached == ["the end of the block"]


def test_a_second_ctrl_c_interrupts_at_once(interruptible):
    reached: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        press(2, reached)
    assert reached == []


@pytest.mark.parametrize("times", [0, 1, 2])
def test_ctrl_c_works_as_before_afterwards(interruptible, times):
    try:
        press(times, [])
    except KeyboardInterrupt:
        assert times > 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def stop_after_ctrl_c() -> None:
    with held_interrupt():
        signal.raise_signal(signal.SIGINT)
        raise RuntimeError("stop")


def test_an_error_in_the_block_is_not_hidden(interruptible):
    with pytest.raises(RuntimeError, match="stop"):
        stop_after_ctrl_c()


def test_an_ignored_ctrl_c_stays_ignored(interruptible):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with held_interrupt() as interrupted:
        signal.raise_signal(signal.SIGINT)
        assert not interrupted()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
