"""A client of a notebook's kernel that notices when a message is lost.

A kernel ends a cell with two messages: "idle" on one channel, a reply on another. Where one has
arrived, the other follows at once or not at all. nbclient goes on without "idle", and perhaps
without outputs, after four seconds, and waits for a reply until the cell's time is over.

One loss has a known cause. Answering a widget, nbclient writes to the socket on which it waits for
the reply; writing takes away the signal that a reply has come (https://github.com/jupyter/nbclient/
issues/312). `Channel` therefore looks into its socket every now and then without being called.
"""

import asyncio
from queue import Empty
from time import monotonic
from typing import Any

from jupyter_client.asynchronous import AsyncKernelClient
from jupyter_client.channels import AsyncZMQSocketChannel
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionComplete
from nbformat import NotebookNode
from traitlets import Type

MESSAGE_TIMEOUT = 60  # seconds in which a message that is due arrives also under heavy load
LOOK_EVERY = 0.5  # seconds


class Channel(AsyncZMQSocketChannel):
    """A channel that finds a message also when the signal of its arrival was lost."""

    async def get_msg(  # type: ignore[override]  # as in the class above it
        self, timeout: float | None = None
    ) -> dict[str, Any]:
        """Return the next message.

        Raises:
            queue.Empty: there was none for `timeout` seconds.
        """
        end = float("inf") if timeout is None else monotonic() + timeout
        while True:
            left = max(end - monotonic(), 0.0)
            try:
                return await super().get_msg(min(left, LOOK_EVERY))
            except Empty:
                if left <= LOOK_EVERY:
                    raise


class KernelClient(AsyncKernelClient):
    """jupyter_client's own, with that channel for replies."""

    shell_channel_class = Type(Channel)


class KernelManager(AsyncKernelManager):
    """jupyter_client's own, with that client."""

    client_factory = Type(KernelClient)


class Client(NotebookClient):
    """Execute a notebook; raise when a message of the kernel is due and does not come.

    Raises:
        TimeoutError: the kernel does not say who it is, or a cell's outputs have no end.
        DeadKernelError: the kernel died, or does not reply although it has finished a cell.
    """

    def __init__(self, notebook: NotebookNode, **options: Any):
        super().__init__(
            notebook,
            iopub_timeout=MESSAGE_TIMEOUT,
            raise_on_iopub_timeout=True,
            kernel_manager_class=KernelManager,
            **options,
        )

    async def async_wait_for_reply(
        self, msg_id: str, cell: NotebookNode | None = None
    ) -> dict[str, Any] | None:
        """Wait for a message that the kernel sends at once: who it is."""
        reply = super().async_wait_for_reply(msg_id, cell)
        return await asyncio.wait_for(reply, MESSAGE_TIMEOUT)

    def process_message(
        self, msg: dict[str, Any], cell: NotebookNode, cell_index: int
    ) -> NotebookNode | None:
        """Take in one message; after the last of a cell, wait for the reply no longer than due."""
        try:
            return super().process_message(msg, cell, cell_index)
        except CellExecutionComplete:
            waiting = self.task_poll_for_reply
            if waiting is not None:
                asyncio.get_running_loop().call_later(MESSAGE_TIMEOUT, waiting.cancel)
            raise
