"""The server: one page over HTTP, and a WebSocket for each tab that shows it.

Every page of the web can make a browser send requests to this machine. Such a request has another Origin, or, after its
name was bound to 127.0.0.1, another Host; and it does not know the token.
"""

import errno
import hmac
import json
import logging
import socket
from collections.abc import Callable, Mapping
from functools import partial
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from cardan.errors import ModelError
from cardan.frozen import dataclass
from cardan.view.studio.session import Session

LARGEST = 2_000_000  # bytes of a message: twice the largest model file
_POLICY = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}


class Server:
    """Serves one session on this machine until it is closed.

    Parameters
    ----------
    session : Session
        What the tabs show and change.
    port : int
        Port; 0 takes a free one.
    token : str
        What the address of the page must hold.
    page : callable
        The HTML text of the page, given the origin of the WebSocket.

    Raises
    ------
    ModelError
        The port is in use, not allowed or none, or the package `websockets` is not installed.
    """

    def __init__(self, session: Session, port: int, token: str, page: Callable[[str], str]) -> None:
        try:
            from websockets.sync.server import serve
        except ImportError:
            fault = "the studio needs the package websockets, which is not installed"
            raise ModelError(fault, "pip install websockets") from None
        self._session, self._page = session, page
        if not 0 <= port <= 65535:
            raise ModelError(f"{port} is not a port", "give a number from 1024 to 65535")
        try:
            self._server = serve(
                self._talk,
                ADDRESS,
                port,
                process_request=self._answer,
                max_size=LARGEST,
                compression=None,
                server_header=None,
                logger=_quiet(),
            )
        except OSError as error:
            used = error.errno == errno.EADDRINUSE
            fault = f"the port {port} is in use" if used else f"the port {port} cannot be opened: {error.strerror}"
            raise ModelError(fault, "give another one, --port 8100, or --port 0 for any that is free") from None
        self.gate = Gate(self._server.socket.getsockname()[1], token)
        self._thread = Thread(target=self._server.serve_forever, name="cardan studio", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Address of the page, with its token."""
        return f"http://{ADDRESS}:{self.gate.port}/?token={self.gate.token}"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._thread.join()
        self._session.close()

    def join(self) -> None:
        """Wait until the server is closed; Ctrl-C ends the wait."""
        while self._thread.is_alive():
            self._thread.join(0.5)

    def _answer(self, connection: Any, request: Any) -> Any:
        """A response to a request for a file or to one that is refused; None lets a WebSocket begin."""
        path = urlsplit(request.path).path
        talk = path == "/talk"
        headers = {
            name: ",".join(request.headers.get_all(name)) for name in ("Host", "Origin") if name in request.headers
        }
        fault = self.gate.fault(request.path, headers, page=not talk)
        if fault:
            return _response(403, "Forbidden", f"{fault}\n")
        if talk:
            return None
        if path != "/":
            return _response(404, "Not Found", "there is nothing here\n")
        return _response(200, "OK", self._page(headers["Host"]), "text/html")

    def _talk(self, connection: Any) -> None:
        """Passes messages between one tab and the session."""
        from websockets.exceptions import ConnectionClosed

        drop = partial(connection.socket.shutdown, socket.SHUT_RDWR)  # also ends a `send` that waits
        with self._session.tab(connection.send, drop) as receive:
            try:
                for text in connection:
                    try:
                        message = json.loads(text)
                    except (ValueError, RecursionError):
                        continue
                    receive(message)
            except ConnectionClosed:
                return


def _response(status: int, reason: str, text: str, kind: str = "text/plain") -> Any:
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    body = text.encode()
    headers = Headers({**_POLICY, "Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(body))})
    headers["Connection"] = "close"
    return Response(status, reason, headers, body)


def _quiet() -> logging.Logger:
    """A logger of its own: what goes wrong with a connection is not for the terminal."""
    logger = logging.getLogger("cardan.studio")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger


ADDRESS = "127.0.0.1"
"""The only address that the studio listens on."""


@dataclass(frozen=True)
class Gate:
    """What a request must have."""

    port: int  # on which the studio listens
    token: str  # in the address of the page

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which a browser on this machine reaches the studio."""
        return f"{ADDRESS}:{self.port}", f"localhost:{self.port}"

    def fault(self, path: str, headers: Mapping[str, str], *, page: bool) -> str:
        """Why a request is refused; empty if it may pass."""
        if headers.get("Host", "") not in self.hosts:
            return "the request is for another host"
        origin = headers.get("Origin")
        if origin not in [f"http://{host}" for host in self.hosts] and not (page and origin is None):
            return "the request comes from another page"
        given = parse_qs(urlsplit(path).query).get("token", [""])[0]
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return "the token is missing or wrong: open the address that the studio has printed"
        return ""
