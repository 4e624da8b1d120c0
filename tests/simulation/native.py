"""Native functions for the tests: a Python body compiled to `void f(const double *in, double *out, double *work)`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numba import cfunc, types

_SIGNATURE = types.void(*[types.CPointer(types.float64)] * 3)


@dataclass(frozen=True)
class Native:
    """The fields of `cardan.codegen.Native` that the integrators use."""

    address: int
    n_in: int
    n_out: int
    n_work: int = 0
    lanes: int = 0
    keep: Any = None


def native(n_in: int, n_out: int, *, n_work: int = 0, lanes: int = 0) -> Callable[[Callable[..., None]], Native]:
    """Return a decorator that compiles body(inputs, outputs, work) and hands out its address."""

    def build(body: Callable[..., None]) -> Native:
        compiled = cfunc(_SIGNATURE)(body)
        return Native(compiled.address, n_in, n_out, n_work, lanes, compiled)

    return build
