"""`kinetostatics`: prescribed motions become driving efforts, reactions and all other loads.

Where motions prescribe every freedom, positions, velocities and accelerations follow from them alone, and the equations
of motion give the efforts of the drives and the reactions.   Source: docs/kinetostatics.md; Haug 1989, §11.4 (inverse
dynamics of kinematically driven systems)
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf
from typing import Any

import casadi as ca
import numpy as np

from cardan.assembly.assembler import ITERATIONS, LONGEST, Assembler
from cardan.assembly.functions import damping
from cardan.errors import Issue, ModelError
from cardan.kinematics.build import MotorModel
from cardan.model.model import Model, check_model
from cardan.model.names import driven_joints
from cardan.model.quantities.parameters import resolve
from cardan.model.records.section import PathSection, Section
from cardan.model.signal import Table
from cardan.numerics.largest import largest
from cardan.numerics.rank import damped_least_squares
from cardan.numerics.round_off import ROUND_OFF
from cardan.results.status import Status
from cardan.results.trajectory import Trajectory
from cardan.settings import Settings
from cardan.simulation.arguments import Arguments
from cardan.simulation.motions.given import guesses, shared, with_motions
from cardan.simulation.setup import Setup
from cardan.simulation.setup_cache import kept_setup
from cardan.system.system import motor_model


def kinetostatics(
    model: Model,
    times: Any = None,
    *,
    motions: Mapping[str, Any] | None = None,
    motors: MotorModel | None = None,
    parameters: Mapping[str, Any] | None = None,
    initial: Mapping[str, Any] | None = None,
    realize: Any = None,
    progress: Callable[[float], None] | None = None,
) -> Trajectory:
    """Loads of a mechanism whose motions are all prescribed: efforts of its drives, reactions, currents and voltages.

    The mechanism starts at t = 0 in the position that `initial` guesses, and stays on that branch of its positions.

    Parameters
    ----------
    model : Model
        The mechanism, with its motions.
    times : array_like (N,), optional
        Instants of the result [s], ascending; by default 1001 evenly spaced ones up to the model's `until`, else over
        one period or the whole profile of its motions.
    motions : mapping, optional
        Motions by name in place of the model's or in addition to them, as in a model file.
    motors : "full", "simplified" or "none", optional
        As of `simulate`; by default full if the model has motors. The currents of motors that drive no motion follow
        from their voltages with L di/dt = 0; the summary names them.
    parameters : mapping, optional
        Other values of parameters: numbers in SI units, or text with a unit.
    initial : mapping, optional
        Guesses of coordinates at t = 0.
    realize : str or mapping, optional
        How drives share every motion that has more of them than components, in place of the motions' own `realize`.
    progress : callable, optional
        Called with the fraction done, a few times per second.

    Returns
    -------
    Trajectory
        The same results, by the same names, as of a run. Where the motions cannot be followed any further its status is
        "unreachable", or "drive_lost" where efforts grow without bound; the results up to there are complete.

    Raises
    ------
    ModelError
        Some freedoms are not prescribed, an argument names something that does not exist or has an impossible value.
    AssemblyError
        No position near the guess follows the motions at t = 0.

    Example
    -------
    >>> import cardan
    >>> loads = cardan.kinetostatics(cardan.load("basket_arm"), times=[0.0, 2.0, 4.0])
    >>> [round(float(effort), 2) for effort in loads["basket.effort"]]
    [470.88, 476.13, 470.88]
    """
    check_model(model)
    moved = shared(with_motions(model, motions), realize)
    settings: Settings = {"initial": initial, "parameters": parameters, "times": times}
    arguments, steady = following(Arguments(moved, None, motor_model(moved, motors), settings))
    setup = kept_setup(arguments)
    found = setup.run(progress=progress)
    if steady:
        found = replace(found, statistics={**found.statistics, "steady": steady})
    return found if found.ok or found.status is Status.INTERRUPTED else explained(setup, found)


def following(arguments: Arguments) -> tuple[Arguments, list[str]]:
    """The arguments of runs that follow the motions of the model, and the motors whose currents are steady then."""
    moved, settings = arguments.model, arguments.settings
    start = guesses(moved, settings["initial"])
    moved = _with_given_signs(moved.unchecked(initial=PathSection()))
    if not driven_joints(moved):
        cure = 'write motions: {crank: "2*pi*t"}, or give motions={"crank": "2*pi*t"}'
        raise ModelError(Issue("the model has no motions", cure, ("motions",)))
    until = arguments.until
    if until is None and settings["times"] is None and moved.simulate.until is None:
        until = _natural_end(moved, settings["parameters"])
    steady, motors = _steady(moved, arguments.motors)
    found = Arguments(moved, until, motors, {**settings, "initial": start}, all_prescribed=True)
    return found, steady


def _steady(model: Model, motors: MotorModel) -> tuple[list[str], MotorModel]:
    """Motors whose currents are steady, as they drive no motion of the `model`,
    and how all `motors` are modelled then.
    """
    driven = driven_joints(model)
    idle = [name for name, motor in model.motors.items() if motor.joint not in driven]
    if motors == "none" or not idle:
        return [], motors
    if motors == "full" and len(idle) < len(model.motors):
        for name in idle:
            signal = model.inputs.get(name)
            if (
                isinstance(signal, Table)
                and signal.interpolation != "step"
                and len({y for _, y in signal.samples()}) > 1
            ):
                fault = "the rates of the other motors' currents need the rate of this voltage, which a table lacks"
                cure = 'write an expression of t, or choose motors="simplified", which needs no rates'
                raise ModelError(Issue(fault, cure, ("inputs", name)))
    return idle, "steady" if motors == "full" else motors


def _with_given_signs(model: Model) -> Model:
    """The model whose friction takes its signs from the motions; nothing sticks."""
    joints = {
        name: joint.replace(friction=joint.friction.replace(prescribed=True))
        for name, joint in model.joints.items()
        if joint.friction is not None and joint.friction.can_stick
    }
    rough = {
        name: record.replace(friction=record.friction.replace(prescribed=True))
        for name, record in model.constraints.items()
        if record.friction is not None and record.friction.can_stick
    }
    if not (joints or rough):
        return model
    return model.unchecked(
        joints=Section({**model.joints, **joints}), constraints=Section({**model.constraints, **rough})
    )


def _natural_end(model: Model, parameters: Mapping[str, Any] | None) -> float:
    """End of the longest profile, period or table [s]."""
    values = {name: float(value) for name, value in resolve(model.parameters, parameters).items()}
    ends = [motion.end(lambda scalar: scalar.number(values)) for motion in model.motions.values()]
    known = [end for end in ends if end is not None]
    if not known:
        raise ModelError(
            Issue("nothing says when the motion ends", "give times, or simulate: {until: 5 s}", ("simulate",))
        )
    return max(known)


def explained(setup: Setup, found: Trajectory) -> Trajectory:
    """The trajectory with the status unreachable and its gap, if no position follows the motions beyond its end."""
    if not len(found):
        return found
    reached = found.statistics["reached"]
    later = setup.conditions.instants[setup.conditions.instants > reached]
    owner, gap = _gap(setup, float(later[0]) if later.size else setup.conditions.end, found.x[-1])
    if gap <= ROUND_OFF * (1 + largest(found.x[-1])):
        return found
    cause = (
        f"no position nearby follows the motions and closes the loops any further; the gap of {owner!r} at the next "
        f"instant is {gap:.3g}; shorten the way, change a length, or start on another branch"
    )
    return replace(found, status=Status.UNREACHABLE, message=Status.UNREACHABLE.describe(reached, cause=cause))


def _loops(setup: Setup, t: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Φ (c,) and Φq (c, nv) of a state."""
    functions = setup.task.functions
    u = np.zeros(len(functions.system.input_names))
    Phi, Phi_q, _ = functions.interpreted("loops")(t, x, u, setup.conditions.p)
    return np.array(Phi).ravel(), np.array(Phi_q)


def _gap(setup: Setup, t: float, x: np.ndarray) -> tuple[str, float]:
    """Owner and size of the largest residual at t in the nearest position to x that damped Newton steps find."""
    tree, best, last = setup.conditions.system.tree, inf, ("", inf)
    x, assembler = np.array(x), Assembler(setup.conditions.assembly, setup.conditions.p)
    for _ in range(ITERATIONS):
        Phi, Phi_q = _loops(setup, t, x)
        size = float(np.linalg.norm(Phi))
        if not size < best:
            break
        worst = int(np.argmax(np.abs(Phi)))
        best, last = size, (setup.conditions.assembly.labels[worst][0], float(abs(Phi[worst])))
        step = damped_least_squares(Phi_q, -Phi, float(damping(ca.DM(Phi), ca.DM(Phi_q))))
        x[: tree.nq] = assembler.moved(x[: tree.nq], step / max(float(np.abs(step).max()) / LONGEST, 1.0))
    return last
