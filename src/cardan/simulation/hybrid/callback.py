"""A reset that calls Python functions: they return held values; machine code computes their arguments and the rest.

The kernel calls the reset at its address, as it calls machine code, without Python's lock; `ctypes` takes the lock for
the call. A function that fails ends the run, and its error is raised where the run was started.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cardan.codegen import Native
from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass, field

_REAL = ctypes.POINTER(ctypes.c_double)
_TINY = np.finfo(float).tiny  # the first segment of inputs begins at a denormal number
_PROTOTYPE = ctypes.CFUNCTYPE(None, _REAL, _REAL, _REAL)


@dataclass(frozen=True)
class FunctionCall:
    """A Python function within a reset."""

    path: tuple[str, str]  # its place in the arguments of the call
    fired: int  # index of its sample in the input of the reset
    arguments: slice  # its arguments among those of all functions
    results: tuple[int, ...]  # indices of its results in the output of the reset
    function: Callable[..., Any]

    def __call__(self, t: float, arguments: np.ndarray) -> np.ndarray:
        """The numbers that the function returns."""
        when = f"at t = {t if t > _TINY else 0.0:.6g} s"
        try:
            found = self.function(*arguments[self.arguments].tolist())
        except Exception as error:
            error.add_note(f"in the function {'.'.join(self.path)}, called {when}")
            raise
        count = len(self.results)
        try:
            numbers = np.atleast_1d(np.asarray(found, dtype=float))
        except (TypeError, ValueError):
            numbers = np.full(1, np.nan)
        if numbers.shape != (count,) or not np.isfinite(numbers).all():
            fault = f"the function returns {f'{found!r:.60}'} {when}"
            wanted = "a finite number" if count == 1 else f"{count} finite numbers"
            wanted = "the three components [N] as finite numbers" if self.path[0] == "given" else wanted
            raise ModelError(Issue(fault, f"let it return {wanted}", (*self.path, "value")))
        return numbers


@dataclass(frozen=True)
class CallingReset:
    """A reset with calls, in the form of machine code (`NativeFunction`)."""

    address: int  # of the function; valid as long as this record lives
    n_in: int  # numbers that it reads
    n_out: int  # numbers that it writes
    n_work: int  # numbers of its scratch memory
    length: int  # number of instructions of the machine code
    keep: Any = field(repr=False)  # what has to live as long as the address
    _failures: threading.local = field(default_factory=threading.local, repr=False)
    lanes: int = 0  # always 0: one state at a time

    def take_failure(self) -> BaseException | None:
        """The error that ended the last run of this thread; None at a second call."""
        return self._failures.__dict__.pop("error", None)


def calling(reset: Native, arguments: Native, calls: Sequence[FunctionCall], ends: int) -> CallingReset:
    """The reset that calls functions after the machine code."""
    failures = threading.local()
    call_reset, compute_arguments = _PROTOTYPE(reset.address), _PROTOTYPE(arguments.address)

    def run(source: Any, out: Any, work: Any) -> None:
        call_reset(source, out, work)
        try:
            values = np.zeros(arguments.n_out)
            compute_arguments(source, values.ctypes.data_as(_REAL), work)
            for call in calls:
                if source[call.fired] != 0.0:
                    for place, number in zip(call.results, call(source[0], values).tolist(), strict=True):
                        out[place] = number
        except BaseException as error:  # no exception crosses the machine code; `take_failure` hands it on
            failures.error = error
            out[ends] = 1.0

    callback = _PROTOTYPE(run)
    address = ctypes.cast(callback, ctypes.c_void_p).value
    assert address is not None
    work, keep = max(reset.n_work, arguments.n_work), (callback, reset, arguments)
    return CallingReset(address, reset.n_in, reset.n_out, work, reset.length, keep, failures)
