"""A model as one system: its mechanism and its blocks, with the names and units of the states x and the inputs u."""

from collections.abc import Mapping
from functools import cached_property
from typing import cast, get_args

import casadi as ca
import numpy as np

from cardan.errors import ModelError
from cardan.formulations import newton_euler
from cardan.frozen import dataclass, replace
from cardan.kinematics.build import MotorModel, build
from cardan.kinematics.constraints import check_linear
from cardan.kinematics.motion import coordinate_rate, motion, normalised
from cardan.kinematics.regroup import regroup
from cardan.kinematics.relative import RelativeMotion
from cardan.kinematics.tree import Tree
from cardan.model.model import Model
from cardan.numerics.round_off import ROUND_OFF_OF_SUM
from cardan.system.blocks.block import Block, MakeBlocks
from cardan.system.blocks.circuits import Circuit, circuits, driven_motors
from cardan.system.blocks.graphs import GraphBlock, graph_blocks
from cardan.system.blocks.joint_efforts import joint_efforts
from cardan.system.blocks.user_states import user_states
from cardan.system.constrained import NO_CONSTRAINTS, Selection
from cardan.system.contacts import JointFriction, StoppedJoints, check_frictions, frictions
from cardan.system.contacts.shapes import ContactBlock, contacts
from cardan.system.contacts.stops import JointStops, check_stops, stops
from cardan.system.drives import DrivenMotor
from cardan.system.given_parts import check_given
from cardan.system.inertia_check import check_lines

KINDS: tuple[MakeBlocks, ...] = (circuits, joint_efforts, user_states, graph_blocks, frictions, stops, contacts)
"""Kinds of blocks, in the order of their states in z and of their inputs in u."""


@dataclass(frozen=True)
class System:
    """A mechanism with its blocks: circuits of motors, efforts on joints, states of the user's own, bond graphs."""

    model: Model
    motors: MotorModel
    tree: Tree
    blocks: tuple[Block, ...]  # in the order of their states in z and of their inputs in u
    choice: Selection = NO_CONSTRAINTS  # how the constraints are solved

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        """Names of the states x (nx,)."""
        positions = tuple(f"{entry.name}.q" for entry in self.tree.coordinates)
        velocities = tuple(f"{entry.name}.v" for entry in self.tree.velocities)
        return (*positions, *velocities, *(name for block in self.blocks for name in block.names))

    @property
    def state_units(self) -> tuple[str, ...]:
        """Units of the states x (nx,); empty where unknown."""
        moving = tuple(entry.unit for entry in (*self.tree.coordinates, *self.tree.velocities))
        return (*moving, *(unit for block in self.blocks for unit in block.units))

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs u (m,)."""
        return tuple(name for block in self.blocks for name in block.input_names)

    @property
    def input_units(self) -> tuple[str, ...]:
        """Units of the inputs u (m,)."""
        return tuple(unit for block in self.blocks for unit in block.input_units)

    @property
    def circuits(self) -> tuple[Circuit, ...]:
        """Circuits of the motors in file order; they are the first blocks."""
        return tuple(block for block in self.blocks if isinstance(block, Circuit))

    @property
    def graphs(self) -> tuple[GraphBlock, ...]:
        """Hand-made bond graphs in file order; they are the last blocks."""
        return tuple(block for block in self.blocks if isinstance(block, GraphBlock))

    @property
    def driven_motors(self) -> tuple[DrivenMotor, ...]:
        """Motors in file order whose joints drive prescribed motions."""
        return driven_motors(self.model, self.tree, self.motors)

    @property
    def frictions(self) -> tuple[JointFriction, ...]:
        """Friction of the joints in file order."""
        return tuple(block for block in self.blocks if isinstance(block, JointFriction))

    @property
    def sticking(self) -> tuple[JointFriction, ...]:
        """Friction that may hold its joint, in file order."""
        return tuple(block for block in self.frictions if block.sticks)

    @property
    def stops(self) -> tuple[JointStops, ...]:
        """End stops of the joints in file order."""
        return tuple(block for block in self.blocks if isinstance(block, JointStops))

    @property
    def contacts(self) -> tuple[ContactBlock, ...]:
        """Contacts in file order."""
        return tuple(block for block in self.blocks if isinstance(block, ContactBlock))

    def holding(self) -> "System":
        """The system whose contacts hold the speeds of their slips (`ContactBlock.holding`)."""
        blocks = (block.holding() if isinstance(block, ContactBlock) else block for block in self.blocks)
        return replace(self, blocks=tuple(blocks))

    @cached_property
    def touching(self) -> ca.Function:
        """(q, v, p) → states of each contact at time 0."""
        q, v = ca.SX.sym("q", self.tree.nq), ca.SX.sym("v", self.tree.nv)
        state = motion(self.tree, q, v, t=0)
        known = [ca.densify(ca.SX(block.known(state))) for block in self.contacts]
        return ca.Function("touching", [q, v, self.tree.p], known)

    @cached_property
    def gaps(self) -> ca.Function:
        """(q, p) → gaps (k,) of points of contacts, their rates per velocity (k, nv), elastic forces (k,), weight."""
        q, v = ca.SX.sym("q", self.tree.nq), ca.SX.sym("v", self.tree.nv)
        state = motion(self.tree, q, v, t=0)
        points = [(block.law, point) for block in self.contacts for point in block.points(state)]
        gaps = ca.vertcat(ca.SX(0, 1), *(point.touch.gap for _, point in points))
        J = ca.jacobian(gaps, q) @ ca.jacobian(coordinate_rate(self.tree, q, v), v)
        forces = [law.elastic_force(point.k, ca.fmax(point.depth, 0)) for law, point in points]
        weight = ca.norm_2(ca.SX(self.tree.gravity)) * sum((link.own.mass for link in self.tree.links), ca.SX(0))
        found = [ca.densify(ca.SX(each)) for each in (gaps, J, ca.vertcat(ca.SX(0, 1), *forces), weight)]
        return ca.Function("gaps", [q, self.tree.p], found)

    @cached_property
    def moved(self) -> ca.Function:
        """(q, v) → coordinates after a unit of time at the velocities v, quaternions at unit length."""
        q, v = ca.SX.sym("q", self.tree.nq), ca.SX.sym("v", self.tree.nv)
        return ca.Function("moved", [q, v], [normalised(self.tree, q + coordinate_rate(self.tree, q, v))])

    @property
    def stopped(self) -> tuple[StoppedJoints, ...]:
        """Joints with friction that have one freedom with stops by impact, by freedom; in open chains each for itself.

        They are known from the assembled position on (`Selection.stopped`).
        """
        known = {k for joints in self.choice.stopped for k in joints.stops}
        alone = [block.velocity for block in self.stops if block.is_rigid and block.velocity not in known]
        rubbing = {block.velocity for block in self.sticking}
        return (*self.choice.stopped, *(StoppedJoints((k,), (k,)) for k in alone if k in rubbing))

    @property
    def relative(self) -> tuple[RelativeMotion, ...]:
        """Motions beside the velocities of the tree along which friction acts, such as those of closing joints."""
        blocks = [(block.relative, block.parts) for block in self.frictions]
        return tuple(one for relative, parts in blocks if relative is not None for one in (relative, *parts))

    @cached_property
    def relative_jacobian(self) -> ca.Function:
        """(q, p) → speeds of the relative motions per velocity (r, nv) at time 0."""
        q, v = ca.SX.sym("q", self.tree.nq), ca.SX.sym("v", self.tree.nv)
        J = ca.vertcat(*(one.jacobian(motion(self.tree, q, v, t=0)) for one in self.relative))
        J = ca.substitute(J, v, ca.DM.zeros(*v.shape))
        return ca.Function("relative_jacobian", [q, self.tree.p], [J])

    def started(self, z: np.ndarray, q: np.ndarray, v: np.ndarray, p: np.ndarray) -> np.ndarray:
        """States of the blocks (nz,) at the start of a run, from their initial values, coordinates and velocities."""
        if self.relative:
            J = self.relative_jacobian(q, p).full()
            speeds = J @ v
            v = np.concatenate([v, np.where(np.abs(speeds) > ROUND_OFF_OF_SUM * np.abs(J) @ np.abs(v), speeds, 0.0)])
        touching = [block.name for block in self.contacts]
        moving = v[: self.tree.nv]
        met = dict(zip(touching, self.touching.call([q, moving, p]) if touching else (), strict=True))
        out, first = [np.zeros(0)], 0
        for block in self.blocks:
            last = first + len(block.names)
            if block.name in met and isinstance(block, ContactBlock):
                z[first:last] = met[block.name].full().ravel()
            out.append(block.start(z[first:last], v))
            first = last
        return np.concatenate(out)

    @property
    def nz(self) -> int:
        """Number of states of the blocks."""
        return self.nx - self.tree.nq - self.tree.nv

    @property
    def nx(self) -> int:
        """Number of states."""
        return len(self.state_names)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Index of a state by each of its names: `swing.q`, `swing.v`, and for short `swing`, which is the position."""
        full = {name: i for i, name in enumerate(self.state_names)}
        velocities, positions = (
            {name.removesuffix(end): i for name, i in full.items() if name.endswith(end)} for end in (".v", ".q")
        )
        return {**velocities, **full, **positions}

    @cached_property
    def reduced(self) -> Tree:
        """The same equations of motion from fewer inertial parameters."""
        return regroup(self.tree)


def build_system(model: Model, motors: MotorModel = "full") -> System:
    """System of a model."""
    if motors != "steady":  # which kineto-statics alone chooses
        motor_model(model, motors)
    tree = replace(build(model, motors), inverse_dynamics=newton_euler.inverse_dynamics)
    if tree.constraints or tree.motions:
        check_linear(tree)
    system = System(model, motors, tree, tuple(block for kind in KINDS for block in kind(model, tree, motors)))
    check_frictions(tree, system.frictions, [block.name for block in system.stops if block.is_rigid])
    check_stops(tree, system.stops)
    check_given(tree, system.frictions, system.stops)
    check_lines(model, tree)
    return system


def motor_model(model: Model, motors: str | None) -> MotorModel:
    """How the motors of a model are modelled; by default fully if it has any, else as efforts on the joints."""
    if motors is None:
        return "full" if model.motors else "none"
    if motors == "steady" or motors not in get_args(MotorModel):
        raise ModelError(f"motors={motors!r} is not possible", 'write "full", "simplified" or "none"')
    return cast("MotorModel", motors)
