"""What every run with dry friction and end stops satisfies, whatever the mechanism.

The bodies obey Newton and Euler under the reactions of the run (`tests.balance`), energy and heat balance, and each
contact obeys its law as docs/friction.md and docs/model_file.md write it, with the normal load from those reactions:
it sticks without motion below its limit, slides against its velocity, breaks away where the limit is used up; a stop
pushes only where it touches, and an impact turns the speed by −ε. A run that starts in the middle of another one, from
positions and velocities alone, ends as that one. With given efforts these conditions have one solution, so that no
equation of motion by hand could ask for more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import cardan
from cardan.model import resolve
from cardan.model.model import Model
from cardan.results.trajectory import Trajectory
from tests.balance import imbalance, places_along

RUN = {"rtol": 1e-10, "atol": 1e-12}
EXACT = 1e-9  # of the largest value: round-off of equations with some ten bodies, where loads cancel
MET = 1e-7  # of the limit at a breakaway: rtol of the run over a rate of the effort
NEAR = 1e-6  # of the largest value: two runs at rtol 1e-10, whose errors grow over some ten events
SLOW = 1e-6  # m/s, rad/s: below it a motion has no certain direction


@dataclass
class Contact:
    """One contact along a run of N instants."""

    name: str
    law: Any  # numbers
    w: np.ndarray  # (N, k) sliding velocity of the surfaces
    friction: np.ndarray  # (N, k) along it
    load: np.ndarray | None  # (N,) normal load times the arm of friction, None if given
    run: Trajectory

    def __getitem__(self, what: str) -> np.ndarray:
        return self.run.array(f"{self.name}.{what}")

    def curve(self, speed: np.ndarray) -> np.ndarray:
        """Dry effort, or coefficient, by the speed."""
        slides = self.law.effort if self.law.coefficient is None else self.law.coefficient
        if self.law.speed is None:
            return slides + 0 * speed
        return slides + (self.law.static - slides) * np.exp(-((speed / self.law.speed) ** 2))


def check(model: Model, run: Trajectory, restart: float | None = None, **call: Any) -> None:
    """Assert all of it.

    Parameters
    ----------
    model : with a parameter t0 in place of the instant 0 of its inputs, if it restarts.
    run : without `times`, so that both sides of each event are in it.
    restart : instant in its middle at which another run starts; None for none.
    call : keywords of the run.
    """
    assert run.ok, run.message
    assert run.report.relative_energy_error < NEAR
    run = _at_once(model, run)
    assert imbalance(model, run) < EXACT
    for contact in contacts(model, run):
        assert np.diff(contact["heat"]).min() >= -1e-12 * max(1, contact["heat"][-1]) or contact.law.bristle is not None
        (_bristles if contact.law.bristle is not None else _coulomb)(contact)
    for name, joint in model.joints.items():
        if joint.limits is not None:
            _stops(model, run, name)
    if restart is not None:
        _restarts(model, run, restart, call)


def _at_once(model: Model, run: Trajectory) -> Trajectory:
    """The run at its events and at every fifth instant between, with its results computed in one batch."""
    kept = np.isin(run.t, [event.t for event in run.events])
    kept[::5], kept[-1] = True, True
    bodies = [f"{body}.{what}" for body in model.bodies for what in ("position", "velocity", "angular_velocity")]
    wanted = {*run.names, *(name for name in bodies if name in run)}
    known = {name: values[kept] for name, values in run.arrays(wanted).items()}
    return replace(
        run, t=run.t[kept], x=run.x[kept], w=run.w[kept], evaluate=lambda names: {name: known[name] for name in names}
    )


def contacts(model: Model, run: Trajectory) -> Iterator[Contact]:
    """The contacts of a model along a run."""
    at, zero = places_along(model, run), np.zeros((len(run.t), 3))
    values = resolve(model.parameters)

    def number(scalar: Any) -> float:
        return float(scalar.evaluate(values.__getitem__))

    def moving(end: Any) -> tuple[np.ndarray, np.ndarray]:
        body = str(getattr(end, "body", end)).partition(".")[0]
        if body == "ground":
            return zero, zero
        w = run.array(f"{body}.angular_velocity")
        return run.array(f"{body}.velocity") + np.cross(w, at[end, "p"] - run.array(f"{body}.position")), w

    def relative(record: Any, parent: Any) -> tuple[np.ndarray, np.ndarray]:
        (v, w), (v0, w0) = moving(record.child), moving(parent)
        return v - v0 - np.cross(w0, at[record.child, "p"] - at[parent, "p"]), w - w0

    for name, joint in model.joints.items():
        if joint.friction is None:
            continue
        law, (v, w) = joint.friction.resolved(number), relative(joint, joint.parent)
        axes = at[joint.child, "R"].reshape(-1, 3, 3).transpose(0, 2, 1)  # columns of the child marker's axes
        f, n = (np.nan_to_num(run.array(f"{name}.reaction_{part}")) for part in ("force", "moment"))
        if joint.type == "universal":
            parent = at[joint.parent, "R"].reshape(-1, 3, 3).transpose(0, 2, 1)
            pins = zip(("r1", "r2"), (parent, axes), joint.axes, strict=True)
            for pin, R, axis in pins:
                e = R @ _unit(axis, number)
                load = law.radius * _ends(f, n, e, law) if law.coefficient is not None else None
                one = f"{name}.{pin}"
                yield Contact(one, law, _dot(w, e), run.array(f"{one}.friction")[:, None], load, run)
            continue
        e = None if joint.type == "spherical" else axes @ _unit(getattr(joint, "axis", (0, 0, 1)), number)
        if joint.type in ("spherical", "planar", "cylindrical"):
            F, M = run.array(f"{name}.friction_force"), run.array(f"{name}.friction_moment")
        own = run.array(f"{name}.friction")[:, None]
        if joint.type == "spherical":
            slip, friction, load = w, M, np.linalg.norm(f, axis=1)
            load = load * (law.radius or 0)
        elif joint.type == "planar":
            slip, friction, load = v - e * _dot(v, e), F, np.abs(_dot(f, e)[:, 0])
        elif joint.type == "cylindrical":
            slip = np.hstack([law.radius * _dot(w, e), _dot(v, e)])
            friction = np.hstack([_dot(M, e) / law.radius, _dot(F, e)])
            load = _ends(f, n, e, law)
        elif joint.type == "prismatic":
            slip, friction, load = _dot(v, e), own, _ends(f, n, e, law)
        elif joint.type == "revolute":
            slip, friction, load = _dot(w, e), own, _ends(f, n, e, law) * (law.radius or 0)
        else:  # a screw: the force across the flank of its thread
            alpha = np.arctan(number(joint.lead) / (2 * np.pi) / law.radius)
            across = _dot(f, e) / np.cos(alpha) - own * np.sin(alpha) / law.radius
            slip, friction, load = _dot(w, e), own, np.abs(across[:, 0]) * law.radius / np.cos(alpha)
        yield Contact(name, law, slip, friction, load if law.coefficient is not None else None, run)
    for name, record in model.constraints.items():
        if record.friction is None:
            continue
        law, parent = record.friction.resolved(number), record.places[0]
        v, _ = relative(record, parent)
        own = run.array(f"{name}.friction")[:, None]  # along the path, the way of which its sign tells
        v = np.linalg.norm(v, axis=1, keepdims=True) * -np.sign(own + (own == 0))
        whole = np.linalg.norm(np.nan_to_num(run.array(f"{name}.force")), axis=1)
        normal = np.sqrt(np.maximum(whole**2 - own[:, 0] ** 2, 0))
        yield Contact(name, law, v, own, normal if law.coefficient is not None else None, run)


def _unit(axis: Any, number: Any) -> np.ndarray:
    named = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
    e = np.array([number(x) if hasattr(x, "evaluate") else float(x) for x in named.get(axis, axis)])
    return e / np.linalg.norm(e)


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a·b by rows, as a column."""
    return (a * b).sum(axis=1, keepdims=True)


def _ends(f: np.ndarray, n: np.ndarray, e: np.ndarray, law: Any) -> np.ndarray:
    """The force across an axis e, or at both ends of a bearing: f₁ + f₂ = f, L/2 e × (f₁ − f₂) = n across e."""
    f = f - e * _dot(f, e)
    if law.length is None:
        return np.linalg.norm(f, axis=1)
    tilt = np.cross(n, e) / law.length
    return np.linalg.norm(f / 2 + tilt, axis=1) + np.linalg.norm(f / 2 - tilt, axis=1)


def _coulomb(contact: Contact) -> None:
    """Complementarity of friction and slip."""
    law, speed, size = contact.law, np.linalg.norm(contact.w, axis=1), np.linalg.norm(contact.friction, axis=1)
    load = 1.0 if contact.load is None else contact.load + (law.preload or 0) * _arm(contact)
    scale = max(1e-3, size.max())
    drag = 0 if law.viscous is None else law.viscous * speed
    most = contact.curve(speed) * load + drag
    if law.regularize is not None:
        most = np.tanh(speed / law.regularize) * most
    else:
        holds = (contact.curve(0 * speed) if law.static is None else law.static) * load
        np.testing.assert_allclose(contact["friction_limit"], holds + 0 * speed, rtol=0, atol=EXACT * scale)
    sticks = contact["sticking"] > 0.5
    if sticks.any():
        assert speed[sticks].max() < 1e-10  # the constraints of a loop hold to this
        assert (size - contact["friction_limit"])[sticks].max() < MET * scale
    slides = ~sticks & (speed > SLOW)
    expected = -most[slides, None] * contact.w[slides] / speed[slides, None]
    np.testing.assert_allclose(contact.friction[slides], expected, rtol=0, atol=NEAR * scale, err_msg=contact.name)
    _breakaways(contact, size, sticks)


def _arm(contact: Contact) -> float:
    """Effort of friction over its force."""
    return contact.law.radius if contact.law.radius is not None and contact.w.shape[1] != 2 else 1.0


def _breakaways(contact: Contact, size: np.ndarray, sticks: np.ndarray) -> None:
    """A contact begins to slide where its limit is used up, if nothing else happens at that instant."""
    run = contact.run
    for event in run.events:
        if event.name != contact.name or not event.did.startswith("slides") or event.t == 0:
            continue
        at = np.flatnonzero(run.t == event.t)
        others = [other for other in run.events if other.t == event.t and not other.did.startswith("slides")]
        if len(at) > 1 and sticks[at[0]] and not others:
            first = next(other for other in run.events if other.t == event.t)
            if first.name == contact.name:  # the others at this instant are what it has set free
                assert size[at[0]] / contact["friction_limit"][at[0]] > 1 - MET


def _bristles(contact: Contact) -> None:
    """φ = −(σ₀ z + σ₁ ż + σ₂ w), over the load if it follows it, with ż = w − σ₀ |w| z/F; z is the integral of ż."""
    law, speed = contact.law, np.linalg.norm(contact.w, axis=1)
    z = contact["bristle"][:, None]
    rate = contact.w - law.bristle * speed[:, None] * z / contact.curve(speed)[:, None]
    given = law.bristle * z + (law.bristle_damping or 0) * rate
    load = 1.0 if contact.load is None else (contact.load + (law.preload or 0) * _arm(contact))[:, None]
    expected = -(given * load + (law.viscous or 0) * contact.w)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(contact.friction, expected, rtol=0, atol=NEAR * scale, err_msg=contact.name)


def _stops(model: Model, run: Trajectory, name: str) -> None:
    """Bounds, forces and impacts."""
    values, law = resolve(model.parameters), model.joints[name].limits

    def number(x: Any) -> float | None:
        return None if x is None else float(x.evaluate(values.__getitem__))

    lower, upper, k, c = map(number, (law.lower, law.upper, law.stiffness, law.damping))
    q, v, force = (run.array(f"{name}.{what}") for what in ("q", "v", "stop_force"))
    gaps = [(1, q - lower, v)] if lower is not None else []
    gaps += [(-1, upper - q, -v)] if upper is not None else []
    scale = max(1.0, np.abs(force).max())
    if k is not None:
        push = sum(side * np.where(gap < 0, np.maximum(-k * gap - (c or 0) * out, 0), 0) for side, gap, out in gaps)
        between = ~np.isin(run.t, [event.t for event in run.events])
        np.testing.assert_allclose(force[between], push[between], rtol=0, atol=NEAR * scale)
        return
    for _, gap, _ in gaps:
        assert gap.min() > -EXACT
    pushes = sum(np.where(np.abs(gap) < EXACT, np.maximum(side * force, 0), 0) for side, gap, _ in gaps)
    np.testing.assert_allclose(np.abs(force), pushes, rtol=0, atol=EXACT * scale)
    e = number(law.restitution) or 0.0
    for event in run.events:
        alone = sum(other.t == event.t and "meets" in other.did for other in run.events) == 1
        at = np.flatnonzero(run.t == event.t)
        if event.name == name and "meets" in event.did and len(at) > 1 and alone:
            np.testing.assert_allclose(v[at[-1]], -e * v[at[0]], rtol=0, atol=NEAR * max(1, abs(v[at[0]])))


def _restarts(model: Model, run: Trajectory, at: float, call: dict[str, Any]) -> None:
    """A run from the state in the middle ends as the whole one."""
    k = int(np.searchsorted(run.t, at))
    T, given = float(run.t[k]), {**model.initial, **call.get("initial", {})}
    assert all(abs(event.t - T) > 1e-3 for event in run.events), "choose an instant without events"
    names = [name.removesuffix(".q") for name in run.names if name.endswith(".q")]
    speeds = [name for name in run.names if name.endswith(".v")]
    free = [name for name in names if not hasattr(given.get(name), "guess")]
    if len(model.joints) > len([body for body in model.bodies if body != "ground"]):  # a loop: those that were given
        free = [name for name in free if name in given]
    start: dict[str, Any] = {name: {"guess": float(run.array(f"{name}.q")[k])} for name in names}
    start |= {name: float(run.array(f"{name}.q")[k]) for name in free}
    start |= {name: float(run.array(name)[k]) for name in speeds if len(free) == len(names) or name[:-2] in free}
    settings = {key: value for key, value in call.items() if key not in ("until", "initial", "parameters")}
    other = cardan.simulate(
        model.replace(initial={}),
        until=float(run.t[-1]) - T,
        initial=start,
        parameters={**call.get("parameters", {}), "t0": T},
        **settings,
    )
    assert other.ok, other.message
    for name in (*(f"{name}.q" for name in names), *speeds):
        whole = run.array(name)
        scale = max(1.0, np.abs(whole).max())
        np.testing.assert_allclose(other.array(name)[-1], whole[-1], rtol=0, atol=NEAR * scale, err_msg=name)
    for name in (name for name in run.names if name.endswith("heat")):
        total = run.array(name)
        np.testing.assert_allclose(total[k] + other.array(name)[-1], total[-1], rtol=0, atol=NEAR * max(1, total[-1]))
