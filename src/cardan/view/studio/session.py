"""One session: the workbench in a thread of its own, and the tabs that show it."""

from __future__ import annotations

import json
import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from threading import Condition, Lock, Thread
from typing import Any

from cardan.view.studio.model_file import ModelFile
from cardan.view.studio.workbench import Superseded, Workbench

READING = ("open", "forms", "topic", "save", "pull")
"""Messages that change nothing."""


class Session:
    """What all tabs of a studio share; messages are worked on one after the other.

    Parameters
    ----------
    file : ModelFile
        The model file.
    """

    def __init__(self, file: ModelFile) -> None:
        self._workbench = Workbench(file)
        self._tabs: list[Outbox] = []
        self._changes = 0  # changes that wait; a long run gives way to them
        self._lock = Lock()
        self._messages: SimpleQueue[tuple[Mapping[str, Any], Outbox] | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name="cardan workbench", daemon=True)
        self._thread.start()

    @contextmanager
    def tab(self, send: Callable[[str], Any], drop: Callable[[], Any]) -> Iterator[Callable[[Any], None]]:
        """A function that takes the messages of a new tab, which is sent everything that happens."""
        outbox = Outbox(send, drop)
        self._messages.put(({"do": "open"}, outbox))

        def receive(message: Any) -> None:
            if isinstance(message, dict):
                self._count(message, 1)
                self._messages.put((message, outbox))

        try:
            yield receive
        finally:
            outbox.close()

    def close(self) -> None:
        """End the thread; a long run is given up."""
        self._count({"do": "close"}, 1)
        self._messages.put(None)
        self._thread.join()

    def _count(self, message: Mapping[str, Any], number: int) -> None:
        if message.get("do") not in READING:
            with self._lock:
                self._changes += number

    def _newer(self) -> bool:
        return self._changes > 0

    def _work(self) -> None:
        with suppress(Superseded):
            self._workbench.begin(self._newer)
        while (entry := self._messages.get()) is not None:
            message, sender = entry
            self._count(message, -1)
            if message.get("do") == "open":
                self._open(sender)
                continue
            try:
                for answer in self._workbench.answers(message, self._newer):
                    self._send({**answer, "id": message.get("id")})
            except Superseded:
                pass
            except Exception as error:  # a defect must not take the studio and what was built with it
                logging.getLogger("cardan.studio").exception("a message failed")
                fault = f"unexpected error in Cardan: {type(error).__name__}: {error}"
                issue: dict[str, Any] = {
                    "path": [],
                    "key": "",
                    "line": None,
                    "fault": fault,
                    "cure": "this is a defect, not your input",
                }
                self._send({"kind": "refused", "of": {}, "issues": [issue]})
            self._send({"kind": "done", "id": message.get("id")})

    def _open(self, outbox: Outbox) -> None:
        """Send a new tab everything, and from then on what happens."""
        with suppress(Exception):
            for answer in self._workbench.state():
                outbox.put(_text(answer))
            self._tabs.append(outbox)

    def _send(self, answer: Mapping[str, Any]) -> None:
        text = _text(answer)
        self._tabs = [outbox for outbox in self._tabs if outbox.is_open]
        for outbox in self._tabs:
            outbox.put(text)


def _text(answer: Mapping[str, Any]) -> str:
    return json.dumps(answer, allow_nan=False, separators=(",", ":"))


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
