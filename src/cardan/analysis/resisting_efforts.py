"""Efforts that no law of a graph gives, as a run has them: friction that follows loads, holds, or has the sign of a
motion, and the forces of stops by impact.
"""

import casadi as ca

from cardan.analysis.run_results import results
from cardan.errors import ModelError
from cardan.formulations.bond_graph.joints import AxisEffort
from cardan.frozen import dataclass
from cardan.kinematics.loads import PointForce
from cardan.results.trajectory import Trajectory
from cardan.system.blocks.block import Block
from cardan.system.contacts import JointFriction
from cardan.system.contacts.stops import JointStops
from cardan.system.state import State, blocks_at
from cardan.system.system import System


@dataclass(frozen=True, eq=False)
class ResistingEfforts:
    """Efforts of friction and stops at one instant of a run."""

    blocks: tuple[Block, ...] = ()  # whose laws they replace
    on_axes: tuple[AxisEffort, ...] = ()  # along velocities of joints
    forces: tuple[PointForce, ...] = ()  # between markers: in several directions, of closing joints, of constraints


def resisting_efforts(system: System, state: State, run: Trajectory, k: int) -> ResistingEfforts:
    """Efforts of friction and stops that follow from accelerations and loads, from the results of a run."""
    blocks: list[Block] = []
    on_axes: list[AxisEffort] = []
    forces: list[PointForce] = []
    for block, _, _ in blocks_at(system, state):
        if isinstance(block, JointStops) and block.is_rigid:
            if _value(run, f"{block.name}.stop", k)[0]:
                force = _value(run, f"{block.name}.stop_force", k)
                on_axes.append(AxisEffort(block.velocity, "stop", force, "end stop"))
        elif isinstance(block, JointFriction) and _has_unknown_effort(block, run, k):
            blocks.append(block)
            if block.turns:
                forces.append(_in_several_directions(block, run, k))
            elif block.relative is None:
                on_axes.append(AxisEffort(block.velocity, "friction", _friction(block, run, k), "friction"))
            else:
                forces.append(block.relative.force(state.motion, _friction(block, run, k)))
    return ResistingEfforts(tuple(blocks), tuple(on_axes), tuple(forces))


def left_out(system: System) -> tuple[str, ...]:
    """What a graph without a run does not contain, a sentence for each kind."""
    frictions = system.frictions
    kinds = {
        "friction that follows the load of its joint": [x.name for x in frictions if x.law.follows_load],
        "friction that takes its sign from a motion": [
            x.name for x in frictions if x.law.prescribed and not x.law.follows_load
        ],
        "impacts and forces of stops that do not yield": [x.name for x in system.stops if x.is_rigid],
    }
    return tuple(f"Not in the graph: {kind} ({', '.join(names)})." for kind, names in kinds.items() if names)


def _has_unknown_effort(block: JointFriction, run: Trajectory, k: int) -> bool:
    """Whether its effort follows from accelerations or loads: always, or while it holds."""
    return block.is_unknown or (block.sticks and bool(_value(run, f"{block.name}.sticking", k)[0]))


def _friction(block: JointFriction, run: Trajectory, k: int) -> ca.DM:
    """Effort of friction along the one motion of a joint or constraint."""
    return _value(run, f"{block.name}.friction", k)


def _in_several_directions(block: JointFriction, run: Trajectory, k: int) -> PointForce:
    """Friction on the child, as a force and a moment in world axes."""
    assert block.relative is not None, "what turns has a relative motion"
    f = _value(run, f"{block.name}.friction_force", k)
    n = _value(run, f"{block.name}.friction_moment", k)
    ends = block.relative.parent, block.relative.child
    return PointForce(block.name, *ends, f, n, through=block.owner, note="friction")


def _value(run: Trajectory, name: str, k: int) -> ca.DM:
    """A result at the k-th instant, as a column."""
    if name not in run.channels:
        fault = f"the run has no result {name!r}, without which powers are not known"
        raise ModelError(fault, "give the run itself, or a file of all its results")
    return ca.DM(results(run, [name])[name][k].reshape(-1, 1))
