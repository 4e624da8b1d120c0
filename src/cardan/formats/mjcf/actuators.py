"""Actuators as inputs of joints, forces at sites and motors; what they are told is a parameter, `<actuator>_ctrl`.

The force of an actuator is (g₀ + g₁ l + g₂ l̇) u + b₀ + b₁ l + b₂ l̇, with u what it is told, g and b of its kind, and
l the sum of coordinates, times gears, on which it acts; each joint gets the force times its factor in l.

Source: MuJoCo's documentation, Computation, "Actuation model"; its XML reference, actuator
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from cardan.formats.mjcf.bodies import MjcfFile
from cardan.formats.mjcf.joints import velocity_of
from cardan.formats.mjcf.settings import MAIN, MjcfSettings
from cardan.formats.mjcf.tendons import site_of, terms_of
from cardan.formats.xml.names import unique
from cardan.formats.xml.placing import placement
from cardan.formats.xml.resting import mobilities
from cardan.formats.xml.tree import XmlElement, all_numbers, first_numbers, look_up, number, numbers
from cardan.frozen import dataclass, replace
from cardan.model.place import GROUND

_UNREAD_OF_MOTORS = ("thermal", "cogging", "lugre", "controller", "saturation")
_NO_COORDINATES = "actuators on what has no coordinates of its own"
_COMMON = ("ctrllimited", "forcelimited", "ctrlrange", "forcerange", "gear", "damping", "armature")


class _LeftOutError(Exception):
    """What of an actuator is not read, so that the actuator is left out."""


@dataclass(frozen=True)
class Law:
    """The force of an actuator."""

    g: tuple[float, ...] = (1, 0, 0)
    b: tuple[float, ...] = (0, 0, 0)
    kinds: tuple[str, str] = ("affine", "affine")  # of gain and bias: fixed, none, affine, or one that is not read


def add_actuators(file: MjcfFile, told: Sequence[float]) -> None:
    """Add inputs, forces and motors of the actuators, which a keyframe tells one value after the other."""
    if "actuator" in file.settings.disabled:
        return
    actuators = _Actuators(file)
    chains = [_chain(one, file.settings) for section in file.top.all("actuator") for one in section.children]
    for chain in chains:
        actuators.prepare(_completed(chain))
    for k, chain in enumerate(chains):
        actuators.read(chain, told[k] if k < len(told) else 0)
    actuators.end()


class _Actuators:
    """The actuators of a file that have been read."""

    def __init__(self, file: MjcfFile) -> None:
        self.file, self.settings, self.found = file, file.settings, file.found
        self.efforts: dict[str, list[str]] = {}  # expressions that add up, by motion of a joint

    def prepare(self, element: XmlElement) -> None:
        """Add the armature and the damping of an actuator, behind its gear, to its joint; a dcmotor has its own."""
        on = self.file.joint_named.get(element.attributes.get("joint", ""))
        for key in ("armature", "damping") if element.tag != "dcmotor" else ():
            first, *rest = (*all_numbers(element, key), 0.0)
            if any(rest) or (first and (on is None or len(self.file.motions_of[on.element.name]) == 6)):
                what = f"{key} of actuators other than one number, on a tendon or on a free joint"
                self.found.notes.add(what, element.name or element.tag)
            elif first and on is not None:
                entry = self.found.data["joints"][on.name]
                entry[key] = entry.get(key, 0) + _gear(element)[0] ** 2 * first

    def read(self, chain: Sequence[XmlElement], told: float) -> None:
        """Add an actuator, which is told a value in the beginning."""
        element = self._inheriting(chain, _completed(chain))
        (name,) = unique([element.name or element.tag])
        try:
            if element.tag == "dcmotor":
                self._motor(element, name, told)
            else:
                self._force(element, name, self._law(chain, element, name), told)
        except _LeftOutError as what:
            self.found.notes.add(str(what), name)

    def end(self) -> None:
        """Put the efforts of all actuators into the inputs, within the range of their joint."""
        joints = {one.name: one.element for one in self.file.joints}
        for motion, terms in self.efforts.items():
            bounds = self.settings.limits(joints[motion], "actuatorfrc") if motion in joints else ()
            self.found.data["inputs"][motion] = _clamped(" + ".join(terms), bounds)
        if self.efforts and self.found.data["motors"]:
            what = "actuators of other kinds beside dcmotor: in runs with motors, inputs of joints count not"
            self.found.notes.add(what)

    def _inheriting(self, chain: Sequence[XmlElement], element: XmlElement) -> XmlElement:
        """A position actuator bounded by `inheritrange` times the range of its joint or tendon, about the middle."""
        own, share = chain[-1].attributes, number(element, "inheritrange", 0)
        if element.tag != "position" or not share or ("ctrlrange" in own and "inheritrange" not in own):
            return element
        joint = self.file.joint_named.get(own.get("joint", ""))
        on = self.file.tendons.get(own.get("tendon", "")) if joint is None else joint.element
        if on is None or "range" not in on.attributes:
            what = "inheritrange of actuators without a joint or tendon that has a range"
            self.found.notes.add(what, element.name or element.tag)
            return element
        lower, upper = ((joint.unit if joint else 1) * one for one in numbers(on, "range", (0.0, 0.0)))
        middle, half = (lower + upper) / 2, share * (upper - lower) / 2
        return replace(element, attributes={**element.attributes, "ctrlrange": f"{middle - half!r} {middle + half!r}"})

    @cached_property
    def _mobilities(self) -> tuple[list[str], np.ndarray]:
        return mobilities(self.found.data)

    def _mass(self, acts: Mapping[str, float]) -> float:
        """1/(J M⁻¹ Jᵀ) for the factors J of motions, with all coordinates at zero."""
        names, inverse = self._mobilities
        J = np.array([acts.get(name, 0) for name in names])
        return float(1 / (J @ inverse @ J)) if J @ inverse @ J > 0 else 0.0

    def _told(self, element: XmlElement, name: str, told: float) -> str:
        """What an actuator is told, within its bounds: a parameter."""
        key = self.found.free(f"{name}_ctrl")
        self.found.data["parameters"][key] = told
        return _clamped(key, self.settings.limits(element, "ctrl"))

    def _law(self, chain: Sequence[XmlElement], element: XmlElement, name: str) -> Law:
        """The force of an actuator, of which the elements of a chain say one thing after the other."""
        if element.tag not in _LAWS:
            raise _LeftOutError(f"actuators of type {element.tag}")
        kind = element.attributes.get("dyntype", "none")
        if number(element, "timeconst", 0) or kind in ("filter", "filterexact"):
            self.found.notes.add("time constants of actuators", name)
        elif kind != "none":
            raise _LeftOutError(f"actuators with dyntype {kind}")
        law = Law(kinds=("fixed", "none"))
        for one in chain:
            law = _LAWS[one.tag](one, law) if one.tag in _LAWS else law
        if not {"fixed", "none", "affine"}.issuperset(law.kinds):
            raise _LeftOutError("actuators with a gain or bias that is not affine")
        g = law.g if law.kinds[0] == "affine" else (law.g[0], 0, 0)
        return Law(g, law.b if law.kinds[1] == "affine" else (0, 0, 0))

    def _force(self, element: XmlElement, name: str, law: Law, told: float) -> None:
        gear = _gear(element)
        if "site" in element.attributes and "refsite" not in element.attributes:
            self._at_site(element, name, law, told, gear)
            return
        acts = self._acts_on(element, gear)
        if not acts or (law.b[1] and any("." in motion for motion in acts)):
            raise _LeftOutError(_NO_COORDINATES)
        if ratio := number(element, "dampratio", 0):
            law = replace(law, b=(*law.b[:2], -2 * ratio * math.sqrt(max(law.g[0], 0) * self._mass(acts))))
        refs = {one.name: one.ref for one in self.file.joints}
        length = _joined(_times(k, f"({at} + {refs[at]!r})" if refs.get(at) else at) for at, k in acts.items())
        speed = _joined(_times(k, velocity_of(at)) for at, k in acts.items())
        force = self._expression(element, law, self._told(element, name, told), length, speed)
        if len(acts) > 1:
            force = self._let(name, force)
        for motion, factor in acts.items():
            self.efforts.setdefault(motion, []).append(_times(factor, _grouped(force)))

    def _at_site(self, element: XmlElement, name: str, law: Law, told: float, gear: Sequence[float]) -> None:
        """A force and a torque in the axes of a site."""
        body, T = site_of(self.file, element, "site")
        if body.name == GROUND or any(law.g[1:]) or any(law.b):
            raise _LeftOutError(_NO_COORDINATES)
        let = self._let(name, self._expression(element, law, self._told(element, name, told), "0", "0"))
        for kind, wished, factors in (("force", name, gear[:3]), ("torque", f"{name}_torque", gear[3:])):
            if any(factors):
                value = [f"{factor!r}*{let}" if factor else 0 for factor in factors]
                entry = {"type": kind, "child": placement(body.name, T), "frame": "child", "value": value}
                self.found.put("forces", self.found.free(wished), entry, element.line)

    def _let(self, name: str, force: str) -> str:
        """The name of the force of an actuator that several joints or directions have."""
        let = self.found.free(f"{name}_force")
        self.found.data["let"][let] = force
        return let

    def _acts_on(self, element: XmlElement, gear: Sequence[float]) -> dict[str, float]:
        """Factor of each motion in the length of an actuator; empty where it acts on something else."""
        joint, tendon = element.attributes.get("joint"), self.file.tendons.get(element.attributes.get("tendon", ""))
        if tendon is not None and tendon.tag == "fixed":
            return {name: gear[0] * k for name, k in terms_of(self.file, tendon).items()}
        if joint is None or tendon is not None:
            return {}
        motions = look_up(element, joint, self.file.motions_of, "joint")
        return {motion: one for motion, one in zip(motions, gear, strict=False) if one or len(motions) == 1}

    def _expression(self, element: XmlElement, law: Law, u: str, length: str, speed: str) -> str:
        (g0, g1, g2), (b0, b1, b2) = law.g, law.b
        is_servo = bool(b1) and b1 == -g0
        terms = [_times(g0, f"({u} - {_grouped(length)})" if is_servo else u)] if g0 else []
        terms += [_times(factor, f"{_grouped(what)}*{u}") for factor, what in ((g1, length), (g2, speed)) if factor]
        terms += [f"{b0!r}"] * bool(b0)
        terms += [_times(b, _grouped(x)) for b, x in ((0 if is_servo else b1, length), (b2, speed)) if b]
        return _clamped(_joined(terms), self.settings.limits(element, "force"))

    def _motor(self, element: XmlElement, name: str, told: float) -> None:
        """A DC motor: its constant K, and resistance R; of its nominal point, K = U/ω₀ and R = K U/M."""
        for key in (key for key in _UNREAD_OF_MOTORS if key in element.attributes):
            self.found.notes.add(f"{key} of dcmotor", name)
        kind = element.attributes.get("input", "voltage")
        acts = self._acts_on(element, _gear(element))
        if kind != "voltage" or len(acts) != 1:
            raise _LeftOutError("dcmotors with another input than a voltage, or on more than one joint")
        ((motion, gear),) = acts.items()
        K, R = _constants(element)
        L, lag = first_numbers(element, "inductance", (0.0, 0.0))
        keys = {"rotor_inertia": "armature", "rotor_damping": "damping"}
        rotor = {key: value for key, given in keys.items() if (value := first_numbers(element, given, (0.0,))[0])}
        data = {"type": "dc", "joint": motion, "ratio": gear, "resistance": R, "inductance": L or lag * R}
        data |= {"torque_constant": K, "back_emf_constant": K, "mounted_on": GROUND, **rotor}
        called = self.found.free(name)
        self.found.put("motors", called, data, element.line)
        self.found.data["inputs"][called] = self._told(element, name, told)


def _chain(element: XmlElement, settings: MjcfSettings) -> list[XmlElement]:
    """The defaults of actuators of all kinds in its class, which MuJoCo applies one after the other, and itself."""
    name = settings.completed(element, MAIN).attributes.get("class", MAIN)
    usual = {tag: dict(given) for tag, given in settings.defaults[name].items() if tag in (*_LAWS, "dcmotor")}
    return [*(XmlElement(tag, given, element.line) for tag, given in usual.items()), element]


def _completed(chain: Sequence[XmlElement]) -> XmlElement:
    """The last element with the attributes of those of its kind, and of others the ones that all kinds share."""
    *usual, element = chain
    given: dict[str, str] = {}
    for one in usual:
        given |= {key: value for key, value in one.attributes.items() if one.tag == element.tag or key in _COMMON}
    return replace(element, attributes=given | dict(element.attributes))


def _gear(element: XmlElement) -> tuple[float, ...]:
    return first_numbers(element, "gear", (0.0,) * 6) if "gear" in element.attributes else (1.0,)


def _position(element: XmlElement, before: Law) -> Law:
    kp, kv = number(element, "kp", before.g[0]), number(element, "kv", -before.b[2])
    return Law((kp, 0, 0), (0, -kp, -kv))


def _velocity(element: XmlElement, before: Law) -> Law:
    kv = number(element, "kv", before.g[0])
    return Law((kv, 0, 0), (0, 0, -kv))


def _general(element: XmlElement, before: Law) -> Law:
    kinds = element.attributes.get("gaintype", before.kinds[0]), element.attributes.get("biastype", before.kinds[1])
    given = (("gainprm", before.g), ("biasprm", before.b))
    g, b = (first_numbers(element, key, (0.0,) * 3) if all_numbers(element, key) else usual for key, usual in given)
    return Law(g, b, kinds)


_LAWS: dict[str, Callable[[XmlElement, Law], Law]] = {
    "motor": lambda element, before: Law(),
    "position": _position,
    "velocity": _velocity,
    "general": _general,
}


def _constants(element: XmlElement) -> tuple[float, float]:
    """K [N m/A] and R [Ω] of a DC motor."""
    U, M, w = first_numbers(element, "nominal", (0.0, 0.0, 0.0))
    given = [one for one in all_numbers(element, "motorconst") if one > 0]
    K = float(np.prod(given)) ** (1 / len(given)) if given else U / w if w else 0.0
    R = number(element, "resistance", K * U / M if M else 0.0)
    if not (K > 0 and R > 0):
        raise element.fault("the motor has no constant or no resistance", "give motorconst and resistance, or nominal")
    return K, R


def _clamped(expression: str, bounds: Sequence[float]) -> str:
    return f"min(max({expression}, {bounds[0]!r}), {bounds[1]!r})" if bounds else expression


def _times(factor: float, what: str) -> str:
    return what if factor == 1 else f"{factor!r}*{what}"


def _joined(terms: Iterable[str]) -> str:
    return " + ".join(terms).replace("+ -", "- ") or "0"


def _grouped(expression: str) -> str:
    """In parentheses where it is a sum, whose signs stand between spaces, or begins with one."""
    depth, is_sum = 0, expression.startswith("-")
    for letter in expression:
        depth += (letter == "(") - (letter == ")")
        is_sum |= letter == " " and not depth
    return f"({expression})" if is_sum else expression
