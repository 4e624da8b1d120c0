"""Force laws without a value in a state: those that are not finite there, and tables that end there."""

from collections.abc import Iterator

import casadi as ca
import numpy as np

from cardan.channels import Channels
from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.scope import evaluate, value
from cardan.model.model import Model
from cardan.model.quantities.characteristic import TableOver
from cardan.model.quantities.number_kind import OWN_NAMES
from cardan.model.quantities.scalar import Scalar


def undefined_forces(functions: SystemFunctions, t: float, x: np.ndarray, u: np.ndarray, p: np.ndarray) -> str:
    """Text that names the forces that are not finite in a state, with advice for each; empty if all are finite."""
    loads = functions.system.tree.loads
    parts = {load.name: [f"{load.name}.{part}" for part in load.record.transmits] for load in loads}
    names = [name for components in parts.values() for name in components]
    found = Channels(functions).evaluate(names, np.array([t]), x[None], u[None], p)
    return "; ".join(
        f"force {load.name!r} has no value there: {load.record.undefined}"
        for load in loads
        if not all(np.isfinite(found[name]).all() for name in parts[load.name])
    )


def tables_left(functions: SystemFunctions, t: float, x: np.ndarray, u: np.ndarray, p: np.ndarray, rtol: float) -> str:
    """Text that names the tables at or beyond whose ends the motion has come; empty if there are none."""
    tree, state = functions.system.tree, functions.state
    out = []
    for name, table in _bounded(functions.system.model):
        for k, scalar in enumerate(table.over):

            def lookup(used: str, owner: str = name) -> ca.SX:
                return value(tree, state.motion, f"{owner}.{used}" if used in OWN_NAMES else used)

            places = [row[k] for row in table.numbers()]
            low, high = min(places), max(places)
            there = _number(functions, evaluate(scalar, lookup), t, x, u, p)
            if not (low + rtol * (high - low) < there < high - rtol * (high - low)):
                out.append(f"{str(scalar)!r} is {there:.6g}, and the table of {name!r} goes from {low:g} to {high:g}")
    return f"{'; '.join(out)}: measure further, or write outside: hold or outside: extend" if out else ""


def _bounded(model: Model) -> Iterator[tuple[str, TableOver]]:
    """Tables without a value beyond their ends, with the names of their owners."""
    found: list[tuple[str, Scalar]] = [*model.let.items()]
    for name, record in model.constraints.items():
        found += [(name, scalar) for scalar in (() if record.given is None else record.given.value)]
    for name, scalar in found:
        if isinstance(scalar.source, TableOver) and scalar.source.outside == "error":
            yield name, scalar.source


def _number(
    functions: SystemFunctions, expression: ca.SX, t: float, x: np.ndarray, u: np.ndarray, p: np.ndarray
) -> float:
    symbols = functions.symbols.inputs
    inputs = [symbols[key] for key in ("t", "x", "u", "p")]
    return float(ca.Function("over", inputs, [ca.SX(expression)])(t, x, u, p))
