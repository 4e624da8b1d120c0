"""Addresses in kernels: arrays read and written, and compiled functions called, through integers known at run time.

One cached kernel therefore serves every model.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

__all__ = ["call", "doubles"]


@intrinsic
def doubles(typingctx: Any, address: Any) -> Any:
    """Return the doubles at `address` as something to index; nothing is checked."""
    signature = types.CPointer(types.float64)(types.int64)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

    return signature, generate


@intrinsic
def call(typingctx: Any, function: Any, inputs: Any, outputs: Any, work: Any) -> Any:
    """Call `void f(const double *in, double *out, double *work)`; all four arguments are addresses."""
    signature = types.void(types.int64, types.int64, types.int64, types.int64)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointer = ir.DoubleType().as_pointer()
        function_type = ir.FunctionType(ir.VoidType(), [pointer] * 3)
        target = builder.inttoptr(args[0], function_type.as_pointer())
        builder.call(target, [builder.inttoptr(argument, pointer) for argument in args[1:]])
        return context.get_dummy_value()

    return signature, generate
