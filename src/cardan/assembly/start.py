"""The initial state of a motion: given values are held, all others are found by assembly."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from cardan.assembly.assembler import Assembler, Velocities
from cardan.assembly.contacts.held_together import all_motions, check_prescribed, held_together
from cardan.assembly.contacts.overlaps import apart, overlap_words
from cardan.assembly.contacts.unique_loads import check_unique_loads
from cardan.assembly.drives import check_all_prescribed, check_drives
from cardan.assembly.failures import cannot_move, open_by_rounding
from cardan.assembly.functions import AssemblyFunctions
from cardan.assembly.hidden_relations import differentiated
from cardan.assembly.initial_values import held_velocities, read_initial_values
from cardan.assembly.rounding import FEW_DIGITS, rounded_rows
from cardan.assembly.steering import steered
from cardan.assembly.still_freedoms import still_velocities
from cardan.errors import AssemblyError, ModelError
from cardan.frozen import dataclass, replace
from cardan.kinematics.build import MotorModel
from cardan.kinematics.tree import Rounded
from cardan.model.checks.arguments import number
from cardan.model.flexible.rods import outside_rods
from cardan.model.model import Model
from cardan.model.quantities.parameters import resolve
from cardan.system.constrained import NO_CONSTRAINTS, Selection, has_constraints
from cardan.system.contacts.stops import check_start
from cardan.system.system import System, build_system


@dataclass(frozen=True)
class Start:
    """A consistent initial state."""

    x: np.ndarray  # state (nx,)
    choice: Selection  # selected constraint equations
    velocities: Velocities  # its velocities, and the changes of given ones
    notice: str = ""  # what keeps it from moving at all, or shapes that overlap; empty where there is nothing to say


def start(
    system: System,
    functions: AssemblyFunctions,
    initial: Mapping[str, Any],
    values: Mapping[str, float],
    *,
    all_prescribed: bool = False,
) -> Start:
    """State at t = 0: plain values are held; guesses and missing values change until all constraints hold."""
    x, velocities = assembled(system, functions, initial, values)
    nq, nv = system.tree.nq, system.tree.nv
    check_start(system.model, system.stops, x[:nq], x[nq : nq + nv], values)
    overlap = overlap_words(system, x[:nq], values)
    if not has_constraints(system.tree):
        p = np.array(list(values.values()))
        check_prescribed(system, all_motions(system, x[: system.tree.nq], p))
        return Start(x, NO_CONSTRAINTS, velocities, overlap)
    assembler = Assembler(functions, np.array(list(values.values())))
    choice = assembler.selection(x[: system.tree.nq])
    if system.tree.motions:
        check_drives(assembler, x[: system.tree.nq], choice)
    if all_prescribed:
        check_all_prescribed(assembler, x[: system.tree.nq], choice)
    choice = held_together(system, assembler, x[: system.tree.nq], choice)
    check_unique_loads(system, assembler, x[: system.tree.nq], choice)
    if len(choice.kept) == system.tree.nv and not (functions.moves_by_itself or system.tree.motions):
        fault = cannot_move(system.tree, len(functions.labels))
        if nearly := rounded_rows(assembler, x[: system.tree.nq], (), FEW_DIGITS) if system.tree.nv else ():
            raise open_by_rounding(fault, nearly)
        cure = "to let it move, leave one of them out, or give a joint of the loop more freedom"
        return Start(x, choice, velocities, f"{fault}; the run shows its loads at rest; {cure}")
    return Start(x, choice, velocities, overlap)


def assembled(
    system: System, functions: AssemblyFunctions, initial: Mapping[str, Any], values: Mapping[str, float]
) -> tuple[np.ndarray, Velocities]:
    """Consistent state x (nx,), and its velocities with the changes of given ones."""
    x, given, closing = read_initial_values(system, functions, initial, values)
    tree = system.tree
    if not has_constraints(tree):
        x[: tree.nq] = apart(system, x[: tree.nq], values)
        return _started(system, x, values), Velocities(x[tree.nq : tree.nq + tree.nv], ())
    assembler = Assembler(functions, np.array(list(values.values())))
    held, guess, bends = held_velocities(system, given), x[: tree.nq], bending(system)
    try:
        q = assembler.position(steered(assembler, guess, held, closing) if closing else guess, held, bends)
    except AssemblyError as error:
        raise _explained(error, system, guess, held, assembler.p) from None
    q = apart(system, q, values, assembler)
    moving = [k for k in range(tree.nv) if system.state_names[tree.nq + k] in given]
    wanted = x[tree.nq : tree.nq + tree.nv]
    stiff = assembler.velocities(q, wanted, [*moving, *bends]) if bends else None
    velocities = assembler.velocities(q, wanted if stiff is None or stiff.changed else stiff.v, moving)
    return _started(system, np.concatenate([q, velocities.v, x[tree.nq + tree.nv :]]), values), velocities


def bending(system: System) -> list[int]:
    """Indices of the velocities with which rods and modal bodies bend: they start rigid where the loops allow it."""
    bodies, joints = system.model.bodies, system.model.joints
    rigid = {name for name, joint in outside_rods(joints, bodies).items() if not joint.is_bending}
    return [k for link in system.tree.links if link.joint in joints and link.joint not in rigid for k in link.v]


def _explained(
    error: AssemblyError, system: System, guess: np.ndarray, held: Sequence[int], p: np.ndarray
) -> AssemblyError:
    """The error for loops that do not close, with the tolerance that accepts them where rounding may be the cause."""
    if not error.gap > 0:
        return error
    loops = AssemblyFunctions(replace(system.tree, motions=(), hidden=(), rounded=()))
    nearly = rounded_rows(Assembler(loops, p), guess, held, FEW_DIGITS)
    return open_by_rounding(str(error).partition("\n")[0], nearly, error.values) if nearly else error


def _started(system: System, x: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
    """The state x (nx,) with the states of blocks that follow from the velocities."""
    nq, nv = system.tree.nq, system.tree.nv
    q, v, z = x[:nq], x[nq : nq + nv], x[nq + nv :]
    return np.concatenate([q, v, system.started(z, q, v, np.array(list(values.values())))])


def branch_doubts(velocities: Velocities) -> tuple[str, ...]:
    """The warning that several branches of motion have the given velocities; empty if only one has."""
    if velocities.undecided is None:
        return ()
    name, used, other = velocities.undecided
    fault = f"several branches of motion with the given velocities meet at the start: the run uses {name} = {used:.6g}"
    return (f"{fault}, but {other:.6g} is possible as well; give {name} an initial value to decide",)


@lru_cache(maxsize=64)
def system_of(model: Model, motors: MotorModel) -> tuple[System, AssemblyFunctions]:
    """System of a mechanism and the functions that assemble it; repeated calls return the same objects."""
    system, functions = _system(model, motors)
    still = still_velocities(system)
    if not still:
        return system, functions
    system = replace(system, tree=replace(system.tree, still=still))
    return system, AssemblyFunctions(system.tree)


def _system(model: Model, motors: MotorModel) -> tuple[System, AssemblyFunctions]:
    """System of a mechanism, without the equations that rounding makes independent, and its assembly functions."""
    system = build_system(model, motors)
    functions = AssemblyFunctions(replace(system.tree, motions=()))
    tolerance = number(model.assemble.tolerance, resolve(model.parameters), ("assemble", "tolerance"))
    if tolerance > 0 and has_constraints(functions.tree):
        rounded = _rounded(system, functions, tolerance)
        system = replace(system, tree=replace(system.tree, rounded=rounded)) if rounded else system
    system = differentiated(system)
    return system, AssemblyFunctions(system.tree) if system.tree.motions or system.tree.rounded else functions


def _rounded(system: System, functions: AssemblyFunctions, tolerance: float) -> tuple[Rounded, ...]:
    """The equations that only rounded numbers make independent near the model's own start."""
    values = {name: float(value) for name, value in resolve(system.model.parameters).items()}
    try:
        x, given, _ = read_initial_values(system, functions, system.model.initial, values)
    except ModelError:  # the start of a run explains it
        return ()
    assembler = Assembler(functions, np.array(list(values.values())))
    return rounded_rows(assembler, x[: system.tree.nq], held_velocities(system, given), tolerance)


def ready_system(model: Model, motors: MotorModel) -> System:
    """System of a model with the constraint equations selected that are independent in its initial position."""
    system, functions = _system(model, motors)
    if not has_constraints(system.tree):
        return system
    begin = start(system, functions, model.initial, resolve(model.parameters))
    return replace(system, choice=begin.choice)
