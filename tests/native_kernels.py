"""Functions of loops at an address, which kernels call as they call the functions of a model."""

from types import SimpleNamespace

from cardan.codegen.kernels.lowering import module_text
from cardan.codegen.machine import engine

__all__ = ["native_kernel"]


def native_kernel(function, n_in, n_out):
    """Machine code of f(inputs, outputs, work), all addresses, for laws with loops, such as a reset."""
    text = module_text(function, ("int", "int", "int"), "kernel")
    (address,), keep = engine.link(engine.assemble_loops(text), ["kernel"])
    return SimpleNamespace(address=address, n_in=n_in, n_out=n_out, n_work=0, lanes=0, length=1, keep=keep)
