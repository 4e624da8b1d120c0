"""The command line: parse, call, print.

In: words typed in a terminal. Out: tables and figures of a computation that the other rooms do, and an exit code.
The only room that prints or exits; it computes nothing itself.
"""

from cardan.cli.program import main, program

__all__ = ["main", "program"]
