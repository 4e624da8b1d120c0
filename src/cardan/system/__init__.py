"""The state x = (q, v, z) and its derivative: mechanics, circuits and inputs as one system f(t, x, u, p).

In: a Model. Out: names and units of every entry of x and u, and the laws of its motion over symbols.
"""

from cardan.system.system import System, build_system

__all__ = ["System", "build_system"]
