"""Who may talk to the studio: pages that it has served itself, in a browser on this machine.

Every page of the web can make a browser send requests to this machine. Such a request has another Origin, or, after its
name was bound to 127.0.0.1, another Host; and it does not know the token.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

from cardan.frozen import dataclass

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
