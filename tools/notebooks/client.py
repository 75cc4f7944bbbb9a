"""A client of a notebook's kernel that notices when a message is lost.

A kernel ends a cell with two messages: "idle" on one channel, a reply on another. Where one has
arrived, the other follows at once or not at all. nbclient goes on without "idle", and perhaps
without outputs, after four seconds, and waits for a reply until the cell's time is over.
"""

import asyncio
from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionComplete
from nbformat import NotebookNode

MESSAGE_TIMEOUT = 60  # seconds in which a message that is due arrives also under heavy load


class Client(NotebookClient):
    """Execute a notebook; raise when a message of the kernel is due and does not come.

    Raises:
        TimeoutError: the kernel does not say who it is, or a cell's outputs have no end.
        DeadKernelError: the kernel died, or does not reply although it has finished a cell.
    """

    def __init__(self, notebook: NotebookNode, **options: Any):
        super().__init__(
            notebook, iopub_timeout=MESSAGE_TIMEOUT, raise_on_iopub_timeout=True, **options
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
