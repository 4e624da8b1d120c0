"""Initial values of a model or a call, read into the state from which assembly starts."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from cardan.assembly.functions import AssemblyFunctions
from cardan.errors import Issue, ModelError
from cardan.model.checks.arguments import check_unit, number
from cardan.model.checks.references import driven_issues
from cardan.model.checks.start_conditions import start_conditions
from cardan.model.initial import Component, entries, plain_name
from cardan.model.names import advice, carrying, closing_coordinates
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.round_off import SIX_DIGITS
from cardan.system.system import System


def read_initial_values(
    system: System, functions: AssemblyFunctions, initial: Mapping[str, Any], values: Mapping[str, float]
) -> tuple[np.ndarray, set[str], dict[str, float]]:
    """State with the given values and defaults for the others, names of the held entries, and guesses of cut joints."""
    x = np.zeros(system.nx)
    x[: system.tree.nq] = system.tree.neutral
    x[system.tree.nq + system.tree.nv :] = [
        number(scalar, values, ("states", name, "initial"))
        for block in system.blocks
        for name, scalar in zip(block.names, block.initial, strict=True)
    ]
    prescribed, gaps = functions.prescribed
    if prescribed:
        x[list(prescribed)] -= gaps(x[: system.tree.nq], np.array(list(values.values())))[0].ravel()
    known = system.places
    given, guesses, closing = set(), dict[str, float](), closing_coordinates(system.model)
    met = start_conditions(system.model, initial)  # by `simulate`, which gives the values that meet them
    found = entries({name: x for name, x in initial.items() if name not in met}, carrying(system.model))
    _check_twice(found, known)
    for name, (entry, guessed) in found.items():
        plain = plain_name(name)
        if guessed and plain in closing and isinstance(entry, Scalar):
            check_unit(entry, closing[plain], system.model.parameters, ("initial", name))
            guesses[plain] = number(entry, values, ("initial", name))
            continue
        if name not in known:
            if name in {f"{motor}.current" for motor in system.model.motors}:  # without motors there are no currents
                if system.driven_motors and (issues := [*driven_issues(system.model, initial=[name])]):
                    raise ModelError(issues)
                continue
            raise ModelError(
                Issue(f"the state has no entry {name!r}", advice(system.model, name, known), ("initial", name))
            )
        if name in system.tree.followed:
            fault, cure = f"a motion follows {name!r}, whose start stands at the state", "make its initial a parameter"
            raise ModelError(Issue(fault, cure, ("initial", name)))
        if isinstance(entry, Component):
            path: tuple[str, ...] = ("initial", name.removesuffix(entry.suffix))
            entry.attitude.check(system.model.parameters, values, path)
            x[known[name]] = entry.evaluate(values.__getitem__)
        else:
            path = ("initial", name)
            check_unit(entry, system.state_units[known[name]], system.model.parameters, path)
            x[known[name]] = number(entry, values, path)
        if not guessed:
            given.add(system.state_names[known[name]])
    if not np.isfinite(x).all():
        wrong = system.state_names[int(np.flatnonzero(~np.isfinite(x))[0])]
        raise ModelError(Issue(f"{wrong} is not finite at the start", "give a finite number", ("initial", wrong)))
    return unit_quaternions(system, x), given, guesses


def _check_twice(names: Iterable[str], known: Mapping[str, int]) -> None:
    """Refuse two names of one state."""
    seen: dict[int, str] = {}
    for name in filter(known.__contains__, names):
        if (other := seen.setdefault(known[name], name)) != name:
            raise ModelError(Issue(f"{other!r} and {name!r} are the same state", "keep one of them", ("initial", name)))


def held_velocities(system: System, given: set[str]) -> list[int]:
    """Indices of the velocities that are held because coordinates are `given`; a quaternion is held as a whole."""
    out = []
    for link in system.tree.links:
        quaternion = [i for i in link.q if system.state_units[i] == "1"]
        single = [i for i in link.q if i not in quaternion]
        out += [k for i, k in zip(single, link.v, strict=False) if system.state_names[i] in given]
        if any(system.state_names[i] in given for i in quaternion):
            out += link.v[len(single) :]
    return out


def unit_quaternions(system: System, x: np.ndarray) -> np.ndarray:
    """States x (…, nx) with quaternions of unit length; they may differ from it by rounded digits."""
    for link in system.tree.links:
        at = [i for i in link.q if system.state_units[i] == "1"]
        if not at:
            continue
        size = np.linalg.norm(x[..., at], axis=-1, keepdims=True)
        wrong = np.abs(size - 1) > SIX_DIGITS
        if wrong.any():
            fault = f"the quaternion of joint {link.joint!r} has the length {size[wrong][0]:.6g}, not 1"
            cure = (
                f"give an attitude: {link.joint}: {{rpy: [0, 0, 30 deg]}}, or axis_angle, or quaternion of any length"
            )
            raise ModelError(Issue(fault, cure, ("initial", link.joint)))
        x[..., at] /= size
    return x
