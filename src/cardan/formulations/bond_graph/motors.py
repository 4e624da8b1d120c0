"""DC motors as graphs: voltage, inductance, resistance, gyrator, rotor, gear; the gear's torque is a constraint force.

A machine whose torque constant differs from its back-EMF constant creates power. Its gyrator has the back-EMF
constant, and a modulated source adds the rest of the torque.

Source: Karnopp, Margolis & Rosenberg 2012, §4.3; Hoang & Vuong, eqs. 8–10
"""

import casadi as ca

from cardan.bond_graphs import GraphElement
from cardan.formulations.bond_graph.bodies import BodyFlows, spin_name, unknown_flow
from cardan.formulations.bond_graph.draft import Draft, FlowPath
from cardan.formulations.bond_graph.joints import axis_name, constrain
from cardan.frozen import dataclass
from cardan.kinematics.motion import Motion
from cardan.kinematics.tree import Number, Rotor, Tree
from cardan.model.motors import Motor
from cardan.spatial.transforms import rotation


@dataclass(frozen=True)
class Armature:
    """The circuit of a motor in a state."""

    motor: Motor  # with numbers in its fields
    voltage: Number  # [V]
    current: Number  # [A]
    has_inductance: bool  # whether the current is a state: the full motor model


def rotor_name(motor: str) -> str:
    """Name of the 1-junction of a rotor's speed against its stator."""
    return f"{motor}.rotor"


def rotor_spin(rotor: Rotor, state: Motion, bodies: tuple[BodyFlows, ...]) -> Number:
    """Speed of a rotor in space about its axis [rad/s]: r q̇ + n·ω of its carrier."""
    own = rotor.ratio * state.v[rotor.v]
    return own if rotor.carrier is None else own + ca.dot(_axis(rotor, bodies), bodies[rotor.carrier].w)


def _axis(rotor: Rotor, bodies: tuple[BodyFlows, ...]) -> Number:
    """Axis of a rotor in the axes of the body that carries it (3,)."""
    assert rotor.carrier is not None, "rotors without carrier have no axis"
    return rotation(bodies[rotor.carrier].T_LB).T @ rotor.axis


def add_rotor(draft: Draft, tree: Tree, state: Motion, bodies: tuple[BodyFlows, ...], rotor: Rotor) -> None:
    """Add rotor and gear; the 1-junction of the driven velocity is there already."""
    draft.part("motor", rotor.name, rotor.name)
    speed = draft.junction("1", rotor_name(rotor.name), "rotation", 1, "speed of the rotor")
    if not ca.SX(rotor.damping).is_zero():
        R = GraphElement(f"{rotor.name}.friction", "R", ca.SX(rotor.damping), of=draft.of, note="rotor damping")
        draft.port(R, speed)
    axle: list[FlowPath] = [(speed, ca.DM(1))]
    joint: list[FlowPath] = [(axis_name(tree.velocities[rotor.v].name), ca.SX(rotor.ratio))]
    if ca.SX(rotor.inertia).is_zero():
        if draft.augmented:
            draft.port(unknown_flow(draft, f"{rotor.name}.inertia.none", rotor.ratio * state.v[rotor.v]), speed)
    elif rotor.carrier is None:
        draft.port(_inertia(draft, rotor, rotor_spin(rotor, state, bodies)), speed)
    else:
        absolute = draft.junction("1", f"{rotor.name}.absolute", "rotation", 1, "speed of the rotor in space")
        draft.port(_inertia(draft, rotor, rotor_spin(rotor, state, bodies)), absolute)
        carried = (spin_name(bodies[rotor.carrier].name), _axis(rotor, bodies).T)
        draft.relative(
            f"{rotor.name}.bearing", "rotation", 1, [carried], [(absolute, ca.DM(1))], "speed less the carrier's"
        )
        draft.bond(speed, f"{rotor.name}.bearing", speed)
    constrain(draft, f"{rotor.name}.gear", "rotation", 1, axle, joint, note="gear")


def _inertia(draft: Draft, rotor: Rotor, speed: Number) -> GraphElement:
    name, I = f"{rotor.name}.inertia", ca.SX(rotor.inertia)
    return GraphElement(name, "I", I, value=speed, of=draft.of, note="rotor inertia")


def add_circuit(draft: Draft, rotor: Rotor, armature: Armature) -> None:
    """Add the circuit of a motor; its rotor is there already."""
    name, motor = rotor.name, armature.motor
    draft.of = f"motor {name}"
    circuit = draft.junction("1", f"{name}.circuit", "electrical", 1, "current")
    draft.source(f"{name}.voltage", circuit, ca.SX(armature.voltage), "voltage")
    if armature.has_inductance:
        La, i = ca.SX(motor.inductance), armature.current
        inductance = GraphElement(f"{name}.inductance", "I", La, value=i, of=draft.of, note="inductance")
        draft.port(inductance, circuit)
    draft.port(
        GraphElement(f"{name}.resistance", "R", ca.SX(motor.resistance), of=draft.of, note="resistance"), circuit
    )
    Km, Ke = ca.SX(motor.torque(ca.DM(1))), ca.SX(motor.back_emf(ca.DM(1)))  # the laws are linear
    draft.elements.append(GraphElement(f"{name}.gyrator", "GY", Ke, of=draft.of, note="back-EMF constant"))
    draft.bond(circuit, f"{name}.gyrator", circuit)
    draft.bond(f"{name}.gyrator", rotor_name(name), rotor_name(name))
    if not ca.is_equal(Km, Ke, 5):
        rest = (Km - Ke) * armature.current
        draft.source(f"{name}.torque", rotor_name(name), rest, "creates power: Km differs from Ke")
