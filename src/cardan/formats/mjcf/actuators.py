"""Actuators as inputs of joints, forces at sites and motors; what they are told is a parameter, `<actuator>_ctrl`.

The force of an actuator is (g₀ + g₁ l + g₂ l̇) u + b₀ + b₁ l + b₂ l̇, with u what it is told, g and b of its kind, and
l the sum of coordinates, times gears, on which it acts; each joint gets the force times its factor in l.

Source: MuJoCo's documentation, Computation, "Actuation model"; its XML reference, actuator
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from cardan.formats.mjcf.equalities import Places, tendon_terms
from cardan.formats.mjcf.joints import MjcfJoint, coefficients
from cardan.formats.mjcf.settings import MAIN, MjcfSettings
from cardan.formats.xml.description import Description
from cardan.formats.xml.names import unique
from cardan.formats.xml.placing import placement
from cardan.formats.xml.resting import mobilities
from cardan.formats.xml.tree import XmlElement, all_numbers, look_up, number, numbers, text
from cardan.frozen import dataclass, field, replace
from cardan.model.place import GROUND

_UNREAD_OF_MOTORS = ("thermal", "cogging", "lugre", "controller", "saturation")
_NO_COORDINATES = "actuators on what has no coordinates of its own"
_COMMON = ("ctrllimited", "forcelimited", "ctrlrange", "forcerange", "gear", "damping", "armature")
Three = tuple[float, float, float]


class _LeftOutError(Exception):
    """What of an actuator is not read, so that the actuator is left out."""


@dataclass(frozen=True)
class Law:
    """The force of an actuator."""

    g: Three = (1, 0, 0)
    b: Three = (0, 0, 0)
    kinds: tuple[str, str] = ("affine", "affine")  # of gain and bias: fixed, none, affine, or one that is not read


@dataclass(frozen=True)
class Actuators:
    """What the actuators of a file refer to, and what has been read of them."""

    settings: MjcfSettings  # of the file
    joints: Mapping[str, MjcfJoint]  # by their names in the file
    tendons: Mapping[str, XmlElement]  # by name
    places: Places  # of sites
    found: Description  # of the model, to which they are added
    mobilities: list[tuple[list[str], np.ndarray]] = field(default_factory=list)  # as `mobilities` gives them, once
    efforts: dict[str, list[str]] = field(default_factory=dict)  # expressions that add up, by motion of a joint

    def read(self, element: XmlElement, told: float) -> None:
        """Add an actuator, which is told a value in the beginning."""
        chain = _chain(element, self.settings)
        element = self._inheriting(chain, _completed(chain))
        (name,) = unique([element.attributes.get("name") or element.tag])
        try:
            if element.tag == "dcmotor":
                self._motor(element, name, told)
            else:
                self._force(element, name, self._law(chain, element, name), told)
        except _LeftOutError as what:
            self.found.notes.add(str(what), name)

    def end(self) -> None:
        """Put the efforts of all actuators into the inputs, within the range of their joint."""
        joints = {one.name: one.element for one in self.joints.values()}
        for motion, terms in self.efforts.items():
            bounds = self._range(joints[motion], "actuatorfrc") if motion in joints else ()
            self.found.data["inputs"][motion] = _clamped(" + ".join(terms), bounds)
        if self.efforts and self.found.data["motors"]:
            what = "actuators of other kinds beside dcmotor: in runs with motors, inputs of joints count not"
            self.found.notes.add(what)

    def prepare(self, element: XmlElement) -> None:
        """Add the armature and the damping of an actuator to its joint; that of a dcmotor is its own."""
        element = _completed(_chain(element, self.settings))
        gear = (*all_numbers(element, "gear"), 1.0)[0]
        for key in ("armature", "damping") if element.tag != "dcmotor" else ():
            self._add_to_joint(element, key, gear, element.attributes.get("name") or element.tag)

    def _inheriting(self, chain: Sequence[XmlElement], element: XmlElement) -> XmlElement:
        """A position actuator bounded by `inheritrange` times the range of its joint or tendon, about the middle.

        The last of a chain that has a `ctrlrange` or an `inheritrange` decides which of the two holds.
        """
        last = next((one for one in reversed(chain) if {"ctrlrange", "inheritrange"} & one.attributes.keys()), element)
        share, joint = number(last, "inheritrange", 0), self.joints.get(element.attributes.get("joint", ""))
        on = self.tendons.get(element.attributes.get("tendon", "")) if joint is None else joint.element
        if element.tag != "position" or not share:
            return element
        if on is None or "range" not in on.attributes:
            what = "inheritrange of actuators without a joint or tendon that has a range"
            self.found.notes.add(what, element.name or element.tag)
            return element
        unit = self.settings.angle if joint is not None and joint.kind == "hinge" else 1.0
        lower, upper = (unit * one for one in numbers(on, "range", (0.0, 0.0)))
        middle, half = (lower + upper) / 2, share * (upper - lower) / 2
        return replace(element, attributes={**element.attributes, "ctrlrange": f"{middle - half!r} {middle + half!r}"})

    def _mass(self, acts: Mapping[str, float]) -> float:
        """1/(J M⁻¹ Jᵀ) for the factors J of motions, with all coordinates at zero."""
        if not self.mobilities:
            self.mobilities.append(mobilities(self.found.data))
        names, inverse = self.mobilities[0]
        J = np.array([acts.get(name, 0) for name in names])
        return float(1 / (J @ inverse @ J)) if J @ inverse @ J > 0 else 0.0

    def _told(self, element: XmlElement, name: str, told: float) -> str:
        """What an actuator is told, within its bounds: a parameter."""
        key = self.found.free(f"{name}_ctrl")
        self.found.data["parameters"][key] = told
        return _clamped(key, self._range(element, "ctrl"))

    def _range(self, element: XmlElement, what: str) -> tuple[float, ...]:
        """A range, such as `ctrlrange`, empty where it is not in force."""
        limited, key = element.attributes.get(f"{what}limited", "auto"), f"{what}range"
        in_force = limited == "true" or (limited == "auto" and self.settings.autolimits)
        return numbers(element, key, (0.0, 0.0)) if in_force and key in element.attributes else ()

    def _law(self, chain: Sequence[XmlElement], element: XmlElement, name: str) -> Law:
        """The force of an actuator, of which the elements of a chain say one thing after the other."""
        if element.tag not in _LAWS:
            raise _LeftOutError(f"actuators of type {element.tag}")
        if number(element, "timeconst", 0):
            self.found.notes.add("timeconst of actuators", name)
        kind = element.attributes.get("dyntype", "none")
        if kind in ("filter", "filterexact"):
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
        gear = [*all_numbers(element, "gear"), *[0.0] * 6][:6] if "gear" in element.attributes else [1.0, *[0.0] * 5]
        if "site" in element.attributes and "refsite" not in element.attributes:
            self._at_site(element, name, law, told, gear)
            return
        acts = self._acts_on(element, gear)
        if not acts or (law.b[1] and any("." in motion for motion in acts)):
            raise _LeftOutError(_NO_COORDINATES)
        if ratio := number(element, "dampratio", 0):
            law = replace(law, b=(*law.b[:2], -2 * ratio * math.sqrt(max(law.g[0], 0) * self._mass(acts))))
        refs = {one.name: one.ref for one in self.joints.values()}
        length = _joined(_times(k, f"({at} + {refs[at]!r})" if refs.get(at) else at) for at, k in acts.items())
        speed = _joined(_times(k, at if "." in at else f"{at}.v") for at, k in acts.items())
        force = self._expression(element, law, self._told(element, name, told), length, speed)
        if len(acts) > 1:
            force = self._let(name, force)
        for motion, factor in acts.items():
            self.efforts.setdefault(motion, []).append(_times(factor, _grouped(force)))

    def _at_site(self, element: XmlElement, name: str, law: Law, told: float, gear: Sequence[float]) -> None:
        """A force and a torque in the axes of a site."""
        place = self.places.site(element, text(element, "site"))
        if place[0] == GROUND or any(law.g[1:]) or any(law.b):
            raise _LeftOutError(_NO_COORDINATES)
        let = self._let(name, self._expression(element, law, self._told(element, name, told), "0", "0"))
        for kind, wished, factors in (("force", name, gear[:3]), ("torque", f"{name}_torque", gear[3:])):
            if any(factors):
                value = [f"{factor!r}*{let}" if factor else 0 for factor in factors]
                entry = {"type": kind, "child": placement(*place), "frame": "child", "value": value}
                self.found.put("forces", self.found.free(wished), entry, element.line)

    def _let(self, name: str, force: str) -> str:
        """The name of the force of an actuator that several joints or directions have."""
        let = self.found.free(f"{name}_force")
        self.found.data["let"][let] = force
        return let

    def _acts_on(self, element: XmlElement, gear: Sequence[float]) -> dict[str, float]:
        """Factor of each motion in the length of an actuator; empty where it acts on something else."""
        joint, tendon = element.attributes.get("joint"), element.attributes.get("tendon")
        inside = element.attributes.get("jointinparent")
        if tendon is not None:
            found = self.tendons.get(tendon)
            terms = tendon_terms(found) if found is not None and found.tag == "fixed" else {}
            return {look_up(element, one, self.joints, "joint").name: gear[0] * k for one, k in terms.items()}
        if joint is None and inside is None:
            return {}
        on = look_up(element, joint or inside or "", self.joints, "joint")
        if on.kind in ("hinge", "slide"):
            return {on.name: gear[0]}
        if joint is None:
            return {}
        return {name.removesuffix(".v"): one for name, one in zip(on.velocities, gear, strict=False) if one}

    def _add_to_joint(self, element: XmlElement, key: str, gear: float, name: str) -> None:
        """Add the armature or damping of an actuator, behind its gear, to its joint."""
        first, *rest = (*all_numbers(element, key), 0.0)
        joint = element.attributes.get("joint")
        if any(rest) or (first and joint not in self.joints):
            self.found.notes.add(f"{key} of actuators other than one number, or on a tendon", name)
        elif first and joint is not None:
            on = self.joints[joint]
            entry = self.found.data["joints"][on.name]
            if on.kind == "free":
                self.found.notes.add(f"{key} of actuators on a free joint", name)
            else:
                entry[key] = entry.get(key, 0) + gear**2 * first

    def _expression(self, element: XmlElement, law: Law, u: str, length: str, speed: str) -> str:
        (g0, g1, g2), (b0, b1, b2) = law.g, law.b
        is_servo = bool(b1) and b1 == -g0
        terms = [_times(g0, f"({u} - {_grouped(length)})" if is_servo else u)] if g0 else []
        terms += [_times(factor, f"{_grouped(what)}*{u}") for factor, what in ((g1, length), (g2, speed)) if factor]
        terms += [f"{b0!r}"] * bool(b0)
        terms += [_times(b, _grouped(x)) for b, x in ((0 if is_servo else b1, length), (b2, speed)) if b]
        return _clamped(_joined(terms), self._range(element, "force"))

    def _motor(self, element: XmlElement, name: str, told: float) -> None:
        """A DC motor: its constant K, and resistance R; of its nominal point, K = U/ω₀ and R = K U/M."""
        for key in (key for key in _UNREAD_OF_MOTORS if key in element.attributes):
            self.found.notes.add(f"{key} of dcmotor", name)
        kind = element.attributes.get("input", "voltage")
        acts = self._acts_on(element, [*all_numbers(element, "gear"), 1.0])
        if kind != "voltage" or len(acts) != 1:
            raise _LeftOutError("dcmotors with another input than a voltage, or on more than one joint")
        ((motion, gear),) = acts.items()
        K, R = _constants(element)
        L, lag, *_ = (*all_numbers(element, "inductance"), 0.0, 0.0)
        keys = {"rotor_inertia": "armature", "rotor_damping": "damping"}
        rotor = {key: value for key, given in keys.items() if (value := (*all_numbers(element, given), 0.0)[0])}
        data = {"type": "dc", "joint": motion, "ratio": gear, "resistance": R, "inductance": L or lag * R}
        data |= {"torque_constant": K, "back_emf_constant": K, "mounted_on": GROUND, **rotor}
        called = self.found.free(name)
        self.found.put("motors", called, data, element.line)
        self.found.data["inputs"][called] = self._told(element, name, told)


def _chain(element: XmlElement, settings: MjcfSettings) -> list[XmlElement]:
    """The defaults of actuators of all kinds in its class, which MuJoCo applies one after the other, and itself."""
    name = settings.completed(element, MAIN).attributes.get("class", MAIN)
    usual = [
        XmlElement(tag, dict(given), element.line)
        for tag, given in settings.defaults[name].items()
        if tag in _LAWS or tag == "dcmotor"
    ]
    return [*usual, element]


def _completed(chain: Sequence[XmlElement]) -> XmlElement:
    """The last element with the attributes of those of its kind, and of others the ones that all kinds share."""
    *usual, element = chain
    given: dict[str, str] = {}
    for one in usual:
        given |= {key: value for key, value in one.attributes.items() if one.tag == element.tag or key in _COMMON}
    return replace(element, attributes=given | dict(element.attributes))


def _position(element: XmlElement, before: Law) -> Law:
    kp, kv = number(element, "kp", before.g[0]), number(element, "kv", -before.b[2])
    return Law((kp, 0, 0), (0, -kp, -kv))


def _velocity(element: XmlElement, before: Law) -> Law:
    kv = number(element, "kv", before.g[0])
    return Law((kv, 0, 0), (0, 0, -kv))


def _general(element: XmlElement, before: Law) -> Law:
    kinds = element.attributes.get("gaintype", before.kinds[0]), element.attributes.get("biastype", before.kinds[1])
    given = (("gainprm", before.g), ("biasprm", before.b))
    g, b = (coefficients(element, key) if all_numbers(element, key) else usual for key, usual in given)
    return Law(g, b, kinds)


_LAWS: dict[str, Callable[[XmlElement, Law], Law]] = {
    "motor": lambda element, before: Law(),
    "position": _position,
    "velocity": _velocity,
    "general": _general,
}


def _constants(element: XmlElement) -> tuple[float, float]:
    """K [N m/A] and R [Ω] of a DC motor."""
    U, M, w, *_ = (*all_numbers(element, "nominal"), 0.0, 0.0, 0.0)
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
