"""Compiles the kernels now, so that the first simulation on a fresh installation starts at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from cardan.codegen.kernels import Kernel

__all__ = ["kernels", "warm"]


def kernels() -> tuple[Kernel, ...]:
    """Return every kernel of this room."""
    from cardan.integration import explicit, rosenbrock, semi_implicit

    return explicit.advance, rosenbrock.advance, semi_implicit.advance


def warm() -> None:
    """Compile every kernel, or read it from the cache, side by side: LLVM works without Python's lock."""
    with ThreadPoolExecutor() as pool:
        list(pool.map(Kernel.load, kernels()))
