import asyncio
from queue import Empty
from typing import Any

import pytest
import zmq.asyncio
from jupyter_client.session import Session

from tools.notebooks import client


class DeafSocket(zmq.asyncio.Socket):
    """A socket on which nobody who waits is ever called: a message is seen by looking anew."""

    async def poll(self, timeout: float | None = None, flags: int = zmq.POLLIN) -> int:
        assert timeout is not None, "who waits for ever waits for a call"
        seen = await super().poll(0, flags)
        if not seen:
            await asyncio.sleep(timeout / 1000)
        return int(seen)


def answer(after: float, timeout: float | None) -> dict[str, Any]:
    """Return what a channel hears from a kernel that answers `after` so many seconds."""

    async def both() -> dict[str, Any]:
        session = Session(key=b"")
        with zmq.asyncio.Context() as context:
            hearing, saying = DeafSocket(context, zmq.PAIR), zmq.asyncio.Socket(context, zmq.PAIR)
            with hearing, saying:
                hearing.bind("inproc://kernel")
                saying.connect("inproc://kernel")
                say = session.serialize(session.msg("execute_reply"))
                later = asyncio.get_running_loop().call_later(after, saying.send_multipart, say)
                try:
                    return await client.Channel(hearing, session).get_msg(timeout)
                finally:
                    later.cancel()

    return asyncio.run(both())


@pytest.mark.parametrize("timeout", [None, 30.0])
def test_a_message_whose_signal_is_lost_is_found(monkeypatch, timeout: float | None):
    monkeypatch.setattr(client, "LOOK_EVERY", 0.02)
    assert answer(0.05, timeout)["msg_type"] == "execute_reply"


@pytest.mark.parametrize("timeout", [0.0, 0.05])
def test_without_a_message_the_wait_ends(monkeypatch, timeout: float):
    monkeypatch.setattr(client, "LOOK_EVERY", 0.02)
    with pytest.raises(Empty):
        answer(30.0, timeout)
