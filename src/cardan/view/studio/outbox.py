"""What waits to be sent to one tab: nobody else waits for a tab that does not read."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Condition, Thread
from typing import Any

LARGEST = 16_000_000
"""Characters that may wait when another text comes: about twenty runs of the largest model of the gallery."""


class Outbox:
    """Texts for a tab, which a thread of its own sends in their order; a tab that lets too many wait is dropped.

    Parameters
    ----------
    send : callable
        Sends a text; returns when the connection has taken it.
    drop : callable
        Ends the connection, also where `send` waits.
    """

    def __init__(self, send: Callable[[str], Any], drop: Callable[[], Any]) -> None:
        self._send, self._drop = send, drop
        self._texts: deque[str] = deque()
        self._waiting = 0  # characters
        self.is_open = True
        self._changed = Condition()
        Thread(target=self._work, name="cardan tab", daemon=True).start()

    def put(self, text: str) -> None:
        """Let a text be sent after those that wait."""
        with self._changed:
            if not self.is_open:
                return
            is_late = self._waiting > LARGEST
            self._texts.append(text)
            self._waiting += len(text)
            self._changed.notify()
        if is_late:
            self.close()
            with suppress(OSError):  # it has ended meanwhile
                self._drop()

    def close(self) -> None:
        """Send no more."""
        with self._changed:
            self.is_open = False
            self._texts.clear()
            self._changed.notify()

    def _work(self) -> None:
        with suppress(Exception):  # the tab was closed meanwhile
            while (text := self._next()) is not None:
                self._send(text)
                with self._changed:
                    self._waiting -= len(text)
        self.close()

    def _next(self) -> str | None:
        """The text that is sent next; None after the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._texts or not self.is_open)
            return self._texts.popleft() if self.is_open else None
