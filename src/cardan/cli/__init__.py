"""The command line: parse, call, print.

In: words typed in a terminal. Out: tables and figures of a computation that the other rooms do, and an exit code.
The only room that prints or exits; it computes nothing itself.
"""

from cardan.cli.app import app, main

__all__ = ["app", "main"]
