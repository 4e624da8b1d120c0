"""What acts in a model, as elements of an MJCF file: springs and forces, motors, laws of inputs, pairs that touch.

A spring between two points is a tendon between two sites; an effort k₀ + k₁ q + k₂ q̇, within bounds or not, an actuator
with an affine bias, which the keyframe tells k₀.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, cast
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
    site: Callable[[End, str], Any]  # writes a site at an end, of a name
    told: list[float] = field(default_factory=list)  # value of each actuator, in the order of the file

    def forces(self, bodies: Mapping[str, Element], tendons: Element, actuators: Element) -> None:
        """Write springs between points as tendons, forces that turn with a body as actuators, lift as `gravcomp`."""
        for name, force in self.model.forces.items():
            try:
                one = cast("Any", force.resolved(self._number))
            except (KeyError, ModelError):  # it follows the time or the motion
                self.notes.add("forces", name)
                continue
            if one.type == "spring_damper" and one.axis is None:
                given = {"stiffness": one.stiffness, "damping": one.damping, "springlength": one.rest_length}
                used = {key: word(x) for key, x in given.items() if float(x) or (key[0] == "s" and one.stiffness)}
                self._ends(ElementTree.SubElement(tendons, "spatial", {"name": name, **used}), name, force)
            elif one.type in ("force", "torque") and one.frame == "child" and split(force.parent)[0] == GROUND:
                self.site(force.child, name)
                gear = [*one.value, 0, 0, 0] if one.type == "force" else [0, 0, 0, *one.value]
                self._tell(ElementTree.SubElement(actuators, "motor", name=name, site=name, gear=words(gear)), 1)
            elif not (one.type == "force" and one.frame == "world" and self._lifts(force.child, one.value, bodies)):
                self.notes.add("forces", name)

    def _ends(self, tendon: Element, name: str, force: Any) -> None:
        for k, end in enumerate((force.parent, force.child), 1):
            self.site(end, f"{name}_{k}")
            ElementTree.SubElement(tendon, "site", site=f"{name}_{k}")

    def _lifts(self, end: End, value: Any, bodies: Mapping[str, Element]) -> bool:
        """Whether a force at the centre of mass is a share of the weight, which is written then."""
        body, place = split(end)
        if place != "com" or body not in bodies or body == GROUND:
            return False
        weight = self._number(self.model.bodies[body].mass) * np.array([*map(self._number, self._gravity)])
        lift = np.array([float(one) for one in value])
        share = -float(lift @ weight / (weight @ weight)) if weight.any() else 0.0
        if not share or np.abs(lift + share * weight).max() > WRITTEN * np.abs(lift).max():
            return False
        bodies[body].set("gravcomp", word(share))
        return True

    @property
    def _gravity(self) -> tuple[Scalar, ...]:
        return uniform_gravity(self.model)

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
            element = ElementTree.SubElement(
                section, "dcmotor", {"name": name, "joint": called(motor.joint), **attributes}
            )
            k0, *rest = self._law(name) if name in self.model.inputs else (0.0,)
            self._tell(element, k0, follows=any(rest))

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
            k0, k1, k2, *bounds = self._law(name)
            attributes = {"name": name, "joint": called(name)}
            if not record.has_rate_coordinates:
                attributes |= {"joint": joint, "gear": words(np.eye(record.nv)[k])}
            is_affine = bool(k1 or k2) and record.has_rate_coordinates
            if is_affine:
                attributes |= {"biastype": "affine", "biasprm": words([0, k1, k2])}
            attributes |= {"forcerange": words(bounds)} if bounds else {}
            element = ElementTree.SubElement(section, "general" if is_affine else "motor", attributes)
            self._tell(element, k0, follows=bool(k1 or k2) and not is_affine)

    def _law(self, name: str) -> tuple[float, ...]:
        """k₀, k₁ and k₂ of an input k₀ + k₁ q + k₂ q̇ of a motion, and the bounds of it; NaN of other laws."""
        signal = self.model.inputs[name]
        if isinstance(signal, Scalar):
            bounded = _BOUNDED.fullmatch(str(signal))
            inside = [(Scalar.read(bounded[1]), bounded.groups()[1:])] if bounded else []
            for scalar, bounds in [(signal, ()), *inside]:
                if found := self._affine(name, scalar):
                    return (*found, *map(float, bounds))
        return (np.nan,) * 3

    def _affine(self, name: str, scalar: Scalar) -> tuple[float, ...]:
        """k₀, k₁ and k₂; empty of another law."""
        q, v = ca.SX.sym("q"), ca.SX.sym("v")
        known = {**self.values, name: q, f"{name}.q": q, f"{name}.v": v}
        try:
            law = ca.SX(scalar.evaluate(known.__getitem__, CASADI))
        except (KeyError, ModelError):
            return ()
        slopes = ca.densify(ca.jacobian(law, ca.vertcat(q, v)))
        k0 = ca.substitute(law, ca.vertcat(q, v), ca.DM.zeros(2))
        return tuple(map(float, ca.DM(ca.horzcat(k0, slopes)).full()[0])) if slopes.is_constant() else ()

    def _tell(self, element: Element, value: float, *, follows: bool = False) -> None:
        """Note what the keyframe tells an actuator; 0, and a warning, in place of a law that MJCF has not."""
        if follows or not np.isfinite(value):
            self.notes.add("laws of inputs, in place of which actuators are told 0", element.attrib["name"])
            value = 0.0
        self.told.append(value)

    def contacts(self, section: Element, geoms: Mapping[tuple[str, int], Element]) -> None:
        """Write the pairs of shapes that touch, with their friction."""
        for name, contact in self.model.contacts.items():
            friction: dict[str, str] = {"condim": "1"}
            if contact.friction is not None:
                slide, spin, roll = (
                    0.0 if one is None else self._number(one)
                    for one in (contact.friction.coefficient, contact.friction.spinning, contact.friction.rolling)
                )
                friction = {"condim": "6" if roll else "4" if spin else "3"}
                friction["friction"] = words([slide, slide, spin, roll, roll])
            sides = [(met.a, met.b) for met in meetings(self.model, contact.between)]
            pairs = [[geoms.get((one.body, one.index)) for one in both] for both in sides]
            for k, pair in enumerate(pairs, 1):
                names = [
                    geom.attrib.setdefault("name", f"{called(name)}_{k}_{at}")
                    for at, geom in enumerate(pair, 1)
                    if geom is not None
                ]
                if len(names) == 2:
                    ElementTree.SubElement(section, "pair", {"geom1": names[0], "geom2": names[1]} | friction)
            if any(None in pair for pair in pairs):
                self.notes.add("contacts of shapes that are not written", name)
            if any(None not in pair for pair in pairs):
                self.notes.add("stiffness and damping of contacts, in place of which those of MuJoCo hold", name)

    def _number(self, scalar: Scalar) -> float:
        return scalar.number(self.values)
