"""How a Python function becomes an integration kernel: Numba with an explicit signature and a disk cache that is safe.

Numba's own cache knows the source of the kernel's file only, trusts what it finds on the disk, and gives up where no
folder can be written. Here the key holds the whole room's source, the machine code carries a SHA-256 that is checked
before it is loaded, a damaged index is an empty one, and without a folder the kernel is compiled for this process.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import from_dtype, njit
from numba.core import types
from numba.core.caching import FunctionCache, IndexDataCacheFile

from cardan.simulation.records import layout

__all__ = ["device", "kernel"]

# "contract" allows fused multiply-add only: NaN and infinities stay visible, sums keep their order.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}

_DIGEST_SIZE = hashlib.sha256().digest_size


def device(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` as a part of kernels: typed where it is called and inlined by LLVM.

    Parameters
    ----------
    function : callable
        Scalar loops only; array expressions cost seconds of compiling.
    """
    return njit(**_OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)(function)


def kernel(*records: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that compiles f(*records, budget) → status, or loads it from the disk cache.

    Parameters
    ----------
    *records : type
        Record classes of the arguments, see `records.layout`.
    """
    signature = types.int64(*[from_dtype(layout(record)) for record in records], types.int64)

    def compile_now(function: Callable[..., Any]) -> Callable[..., Any]:
        dispatcher = njit(**_OPTIONS, no_cfunc_wrapper=True, _nrt=False)(function)
        try:
            dispatcher._cache = _RoomCache(function)
        except RuntimeError:  # no folder can be written: this process keeps its own copy
            pass
        dispatcher.compile(signature)
        dispatcher.disable_compile()
        return dispatcher

    return compile_now


def _room_stamp() -> str:
    """Return the SHA-256 of every source file of this room: a kernel inlines functions of other files."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


class _CheckedFile(IndexDataCacheFile):
    """Numba's cache files, each with the SHA-256 of its content in front."""

    def _load_index(self) -> dict[Any, str]:
        try:
            return super()._load_index()
        except (pickle.UnpicklingError, EOFError, ValueError, AttributeError, ImportError, IndexError, TypeError):
            return {}

    def _save_data(self, name: str, data: Any) -> None:
        payload = self._dump(data)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(hashlib.sha256(payload).digest() + payload)

    def _load_data(self, name: str) -> Any:
        content = Path(self._data_path(name)).read_bytes()
        digest, payload = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
        if hashlib.sha256(payload).digest() != digest:
            raise OSError(f"{name}: damaged machine code")  # Numba's caller compiles again on OSError
        return pickle.loads(payload)


class _RoomCache(FunctionCache):
    """Numba's function cache, keyed by the source of the whole room."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _CheckedFile(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=_room_stamp(),
        )
