"""What acts in a model, as elements of an MJCF file: springs and forces, motors, laws of inputs, pairs that touch.

A spring between two points is a tendon between two sites; an effort k₀ + k₁ q + k₂ q̇, within bounds or not, an actuator
with an affine bias, which the keyframe tells k₀.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, cast
from xml.etree import ElementTree

import casadi as ca
import numpy as np

from cardan.errors import ModelError
from cardan.formats.xml.notes import Notes
from cardan.formats.xml.writing import word, words
from cardan.frozen import dataclass, field
from cardan.model.contacts.between import meetings
from cardan.model.expressions.operations import CASADI
from cardan.model.model import Model
from cardan.model.names import carrying
from cardan.model.place import GROUND, End, split
from cardan.model.quantities.scalar import Scalar
from cardan.model.sections import uniform_gravity
from cardan.numerics.round_off import WRITTEN

Element = ElementTree.Element
_NUMBER = r"([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)"
_BOUNDED = re.compile(rf"min\(max\((.*), {_NUMBER}\), {_NUMBER}\)")
_CIRCUIT = ("torque_constant", "back_emf_constant", "resistance", "inductance")


def called(motion: str) -> str:
    """Name in the file of the joint of one motion, `guide.d`."""
    return motion.replace(".", "_")


@dataclass
class Acting:
    """A model, and what the keyframe tells the actuators that have been written of it."""

    model: Model  # what to write
    values: Mapping[str, float]  # of its parameters [SI]
    notes: Notes  # of what is left out
    cord: Callable[[str, tuple[End, End], Mapping[str, str]], float]  # writes a straight tendon between two ends
    told: list[float] = field(default_factory=list)  # value of each actuator, in the order of the file

    def forces(self, bodies: Mapping[str, Element]) -> None:
        """Write springs between points as tendons, and shares of a weight as `gravcomp`."""
        for name, force in self.model.forces.items():
            try:
                one = cast("Any", force.resolved(self._number))
            except (KeyError, ModelError):  # it follows the time or the motion
                one = None
            writer = None if one is None else self._WRITERS.get(one.type)
            if writer is None or not writer(self, name, one, bodies):
                self.notes.add("forces", name)

    def _spring(self, name: str, force: Any, _: Mapping[str, Element]) -> bool:
        """Write a spring and damper as a tendon if it acts between two points."""
        if force.axis is not None:
            return False
        keys = {"stiffness": force.stiffness, "springlength": force.rest_length} if float(force.stiffness) else {}
        given = {key: word(value) for key, value in (keys | {"damping": force.damping}).items()}
        self.cord(name, (force.parent, force.child), given)
        return True

    def _lift(self, _: str, force: Any, bodies: Mapping[str, Element]) -> bool:
        """Whether a force at a centre of mass is a share of the weight, which is written then."""
        body, place = split(force.child)
        if (place, force.frame) != ("com", "world") or split(force.parent)[0] != GROUND or body not in bodies:
            return False
        mass, lift = self._number(self.model.bodies[body].mass), np.array([float(one) for one in force.value])
        weight = mass * np.array([self._number(one) for one in uniform_gravity(self.model)])
        share = -float(lift @ weight / (weight @ weight or 1.0))
        is_share = bool(np.abs(lift + share * weight).max() <= WRITTEN * np.abs(lift).max())
        if is_share:
            bodies[body].set("gravcomp", word(share))
        return is_share

    _WRITERS: ClassVar = {"spring_damper": _spring, "force": _lift}

    def motors(self, section: Element) -> None:
        """Write DC motors, which are told their voltage."""
        for name, motor in self.model.motors.items():
            one = cast("Any", motor.mechanical().resolved(self._number))
            try:
                K, Ke, R, L = (self._number(getattr(motor, key)) for key in _CIRCUIT)
            except (KeyError, ModelError):
                self.notes.add("motors whose circuit follows the motion", name)
                continue
            if motor.mounted_on != GROUND and float(one.rotor_inertia):
                self.notes.add("the turning of stators, with which rotors couple", name)
            attributes = {"motorconst": words([K, Ke]), "resistance": word(R), "gear": word(one.ratio)}
            attributes |= {"inductance": words([L, 0])} if L else {}
            rotor = {"armature": one.rotor_inertia, "damping": one.rotor_damping}
            attributes |= {key: word(value) for key, value in rotor.items() if float(value)}
            attributes |= {"name": name, "joint": called(motor.joint)}
            ElementTree.SubElement(section, "dcmotor", attributes)
            self.told.append(self._law(name)[0])

    def inputs(self, section: Element) -> None:
        """Write the efforts of joints; beside motors they do not count."""
        motions = {
            name + suffix: (name, k, joint)
            for name, joint in carrying(self.model).items()
            for k, (suffix, _) in enumerate(joint.velocities)
        }
        for name in self.model.inputs:
            if name in self.model.motors:
                continue
            if self.model.motors or name not in motions:
                self.notes.add("inputs", name)
                continue
            joint, k, record = motions[name]
            one = record.has_rate_coordinates
            place = {"joint": called(name)} if one else {"joint": joint, "gear": words(np.eye(record.nv)[k])}
            k0, k1, k2, *bounds = self._law(name, name if one else "")
            affine = {"biastype": "affine", "biasprm": words([0, k1, k2])} if k1 or k2 else {}
            affine |= {"forcerange": words(bounds)} if bounds else {}
            ElementTree.SubElement(section, "general" if affine else "motor", {"name": name, **place, **affine})
            self.told.append(k0)

    def _law(self, name: str, coordinate: str = "") -> tuple[float, ...]:
        """k₀, k₁ and k₂ of an input k₀ + k₁ q + k₂ q̇ of a coordinate, and its bounds; 0, and a note, of other laws."""
        signal = self.model.inputs.get(name, Scalar.read(0))
        if isinstance(signal, Scalar):
            bounded = _BOUNDED.fullmatch(str(signal))
            inside, *bounds = bounded.groups() if bounded else (signal,)
            if found := self._affine(inside, coordinate):
                return (*found, *map(float, bounds))
        self.notes.add("laws of inputs, in place of which actuators are told 0", name)
        return (0.0, 0.0, 0.0)

    def _affine(self, law: Any, coordinate: str) -> tuple[float, ...]:
        """k₀, k₁ and k₂; empty of another law."""
        x = ca.SX.sym("x", 2)
        moving = {coordinate: x[0], f"{coordinate}.q": x[0], f"{coordinate}.v": x[1]} if coordinate else {}
        try:
            y = ca.SX(Scalar.read(law).evaluate({**self.values, **moving}.__getitem__, CASADI))
        except (KeyError, ModelError):
            return ()
        slopes, k0 = ca.densify(ca.jacobian(y, x)), ca.substitute(y, x, ca.DM.zeros(2))
        return tuple(map(float, ca.DM(ca.horzcat(k0, slopes)).full()[0])) if slopes.is_constant() else ()

    def contacts(self, section: Element, geoms: Mapping[tuple[str, int], Element]) -> None:
        """Write the pairs of shapes that touch, with their friction."""
        for name, contact in self.model.contacts.items():
            friction = {"condim": "1"}
            if (one := contact.friction) is not None:
                given = (one.coefficient, one.spinning, one.rolling)
                slide, spin, roll = (0.0 if value is None else self._number(value) for value in given)
                friction = {"condim": "6" if roll else "4" if spin else "3"}
                friction["friction"] = words([slide, slide, spin, roll, roll])
            for k, met in enumerate(meetings(self.model, contact.between), 1):
                pair = [geoms[key] for side in (met.a, met.b) if (key := (side.body, side.index)) in geoms]
                if len(pair) == 2:
                    usual = f"{called(name)}_{k}"
                    a, b = (one.attrib.setdefault("name", f"{usual}_{at}") for at, one in enumerate(pair, 1))
                    ElementTree.SubElement(section, "pair", {"geom1": a, "geom2": b, **friction})
            self.notes.add("of contacts, stiffness, damping and shapes that are no geoms", name)

    def _number(self, scalar: Scalar) -> float:
        return scalar.number(self.values)
