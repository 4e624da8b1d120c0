"""Systems of python-control: a linear system of a mechanism as one of them, and one of them as a controller.

The package control is imported here alone.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardan.errors import Issue, ModelError


def control_package() -> Any:
    """The package control; its absence names the extra."""
    try:
        import control
    except ImportError:
        raise ImportError("the package control is missing; install it: pip install control") from None
    return control


def label(name: str, unit: str = "") -> str:
    """The label of a signal: python-control has no dots in them, `payload:com:x [m]`."""
    return name.replace(".", ":") + (f" [{unit}]" if unit else "")


def _name(label: str) -> str:
    """The name in a label."""
    return re.sub(r" \[[^\]]*\]$", "", label).replace(":", ".")


def from_control(
    system: Any, inputs: Sequence[str] | None = None, *, output: str | int | None = None
) -> dict[str, Any]:
    """A linear system of python-control as an entry of `controllers`: `{"type": "state_space", ...}`.

    Parameters
    ----------
    system : control.StateSpace or control.TransferFunction
        The controller; with a period `dt` it is sampled.
    inputs : sequence of str, optional
        Expression of each of its inputs: `["set_point - crank"]`; by default its labels, as `to_control` writes them.
    output : str or int, optional
        Label or number of the output that is the controller's result; by default its only one.

    Returns
    -------
    dict
        Inputs, matrices, and the period `every` of a sampled one; `drive`, `limits` and so on may be added.

    Raises
    ------
    ModelError
        It is no linear system, not proper, has no state, no period although sampled, another number of inputs or none
        with names, or no such output.
    ImportError
        The package control is not installed.

    Example
    -------
    ``model.replace(controllers={"lead": cardan.from_control(control.tf([30, 60], [1, 20]), ["-travel"])})``
    """
    control = control_package()
    if not isinstance(system, control.StateSpace | control.TransferFunction):
        raise ModelError(f"{f'{system!r:.60}'} is no linear system", "give control.ss(...) or control.tf(...)")
    try:
        found = control.ss(system)
    except (ValueError, NotImplementedError) as error:  # improper ones; transfer matrices without slycot
        cure = "add a lag, such as 1/(0.001*s + 1), or write it as type: pid; give a transfer matrix as control.ss"
        raise ModelError(f"python-control finds no states of the system: {error}", cure) from None
    inputs = [_name(label) for label in found.input_labels] if inputs is None else inputs
    if [*inputs] == [f"u[{k}]" for k in range(found.ninputs)]:
        cure = 'write their expressions: ["set_point - crank"]'
        raise ModelError(Issue("the inputs of the system have no names", cure, ("inputs",)))
    if isinstance(inputs, str) or len(inputs) != found.ninputs:
        cure = f"write a list of {found.ninputs}"
        raise ModelError(Issue(f"the system has {found.ninputs} inputs: {inputs!r:.60}", cure, ("inputs",)))
    if not found.nstates:
        raise ModelError("the system has no state", "write it as a controller of type p, or as an expression")
    if found.dt is True:
        raise ModelError("the system is sampled without a period", "give it one, such as control.ss(..., 0.001)")
    labels = [*found.output_labels]
    row = labels.index(output) if output in labels else output if output is not None else 0
    if row not in range(len(labels)) or (output is None and len(labels) > 1):
        raise ModelError(
            Issue(f"the system has no output {output!r}", f"choose one of {', '.join(labels)}", ("output",))
        )
    parts = {"A": found.A, "B": found.B, "C": found.C[[row]], "D": found.D[[row]]}
    sampled = {"every": float(found.dt)} if found.dt else {}
    return {"type": "state_space", "inputs": [*inputs], **{key: _rows(part) for key, part in parts.items()}, **sampled}


def _rows(matrix: NDArray[np.float64]) -> list[list[float]]:
    """The numbers of a matrix, without negative zeros."""
    return (np.asarray(matrix) + 0.0).tolist()
