"""Assembled initial states of many runs at once: the steps of one assembly, for many values of the parameters together.

A state whose loops these steps do not clearly close is assembled alone (`start`), with messages about failures.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardan.assembly.assembler import ITERATIONS, LONGEST, REGULAR
from cardan.assembly.functions import AssemblyFunctions, Evaluated
from cardan.assembly.initial_values import held_velocities, unit_quaternions
from cardan.assembly.start import Start, bending
from cardan.model.initial import entries
from cardan.model.names import carrying, closing_coordinates
from cardan.numerics.numbers import Numbers
from cardan.numerics.round_off import ROUND_OFF
from cardan.system.constrained import has_constraints
from cardan.system.contacts.stops import BeyondStopError, check_start
from cardan.system.system import System

WIDTH = 256  # number of states that CasADi evaluates in one call


def starts(
    system: System,
    functions: AssemblyFunctions,
    initial: Mapping[str, Any],
    varied: Mapping[str, np.ndarray],
    parameters: Mapping[str, np.ndarray],
    first: Start,
    count: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Assembled states (B, nx), and which (B,) are assembled with the first run's equations; the others are not to use.

    Those that start beyond an end stop are among the others.
    """
    x, given = np.zeros((count, system.nx)), set(varied)
    x[:, : system.tree.nq] = system.tree.neutral
    of_blocks = [scalar for block in system.blocks for scalar in block.initial]
    for k, scalar in enumerate(of_blocks, system.tree.nq + system.tree.nv):
        x[:, k] = scalar.evaluate(parameters.__getitem__)
    for name, (number, guessed) in entries(initial, carrying(system.model)).items():
        if name not in system.places:  # a current where motors have none
            continue
        x[:, system.places[name]] = number.evaluate(parameters.__getitem__)
        if not guessed:
            given.add(name)
    for name, values in varied.items():
        x[:, system.places[name]] = values
    x = unit_quaternions(system, x)
    p = np.stack([*parameters.values()], axis=-1) if parameters else np.zeros((count, 0))
    if any(block.law.settle for block in system.contacts):
        return x, np.zeros(count, dtype=bool)  # bodies are moved apart one mechanism at a time
    if not has_constraints(system.tree):
        return _started(system, x, parameters, p, np.ones(count, dtype=bool))
    if len(first.choice.kept) < len(functions.labels) or first.choice.weight or not functions.sparse:
        return x, np.zeros(count, dtype=bool)  # redundant equations: ranks are computed for one mechanism at a time
    if any(name.removesuffix(".q") in closing_coordinates(system.model) for name in initial):
        return x, np.zeros(count, dtype=bool)  # guesses of cut joints are tried from several starts
    if bending(system):
        return x, np.zeros(count, dtype=bool)  # rods start stiff, if they can, one mechanism at a time
    names = {system.state_names[system.places[name]] for name in given if name in system.places}
    x, alike = _assembled(system, functions, x, p, names)
    return _started(system, x, parameters, p, alike)


def _started(
    system: System, x: np.ndarray, parameters: Mapping[str, np.ndarray], p: np.ndarray, alike: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The states (B, nx) with the initial states of friction and stops, which follow from the velocities.

    And which (B,) of those that are `alike` start within their stops.
    """
    if not (system.frictions or system.stops or system.contacts):
        return x, alike
    (nq, nv), within = (system.tree.nq, system.tree.nv), alike.copy()
    for k in np.flatnonzero(alike).tolist():
        row, values = x[k], {name: float(each[k]) for name, each in parameters.items()}
        try:
            check_start(system.model, system.stops, row[:nq], row[nq : nq + nv], values)
        except BeyondStopError:
            within[k] = False
            continue
        row[nq + nv :] = system.started(row[nq + nv :], row[:nq], row[nq : nq + nv], p[k])
    return x, within


def _assembled(
    system: System, functions: AssemblyFunctions, x: np.ndarray, p: np.ndarray, given: set[str]
) -> tuple[np.ndarray, np.ndarray]:
    """The states with closed loops, and which of them are clearly closed; arguments as for `starts`."""
    nq, nv = system.tree.nq, system.tree.nv
    q, closed = _closed(functions, x[:, :nq], p, held_velocities(system, given))
    kept = [k for k in range(nv) if system.state_names[nq + k] in given]
    v, consistent = _consistent(functions, q, p, x[:, nq : nq + nv], kept)
    ratios, inertias = _Side(functions.pivots)(q, p)
    regular = np.all(ratios > REGULAR, axis=1) & np.all(inertias > REGULAR, axis=1)  # False for NaN
    upright = np.all(_Side(functions.upright)(q, p)[0] >= 0, axis=1)
    alike = closed & consistent & regular & upright
    x = np.hstack([q, v, x[:, nq + nv :]])
    x[~alike] = np.nan
    return x, alike


def _closed(
    functions: AssemblyFunctions, guess: np.ndarray, p: np.ndarray, held: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Positions (B, nq) near a guess, and which of them (B,) have closed loops.

    Levenberg's method with sparse steps, as for one mechanism; a run is left open if a step does not reduce its gap.
    """
    nv, B = functions.tree.nv, len(guess)
    closing, step = _Side(functions.closing), _Side(functions.step)
    free = np.ones(nv)
    free[held] = 0.0
    q, old, closed = guess.copy(), np.full(B, np.inf), np.zeros(B, dtype=bool)
    sizes = 1.0 + np.max(np.abs(guess), axis=1, initial=0.0)
    active = np.arange(B)
    for _ in range(ITERATIONS):
        if not active.size:
            break
        Phi, dv = closing(q[active], p[active], np.broadcast_to(free, (len(active), nv)))
        widest, size = np.max(np.abs(Phi), axis=1, initial=0.0), np.linalg.norm(Phi, axis=1)
        done = (widest < 1e-15 * sizes[active]) | ((widest < ROUND_OFF) & (size > 0.9 * old[active]))
        closed[active[done]] = True
        going = ~done & (size < old[active])
        old[active] = size
        active, dv = active[going], dv[going]
        longest = np.max(np.abs(dv), axis=1, initial=0.0)
        dv *= np.minimum(1.0, LONGEST / np.maximum(longest, 1e-300))[:, None]
        if active.size:
            (q[active],) = step(q[active], dv)
    return q, closed


def _consistent(
    functions: AssemblyFunctions, q: np.ndarray, p: np.ndarray, wanted: np.ndarray, kept: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Velocities (B, nv) with Φq v = −Φt nearest to the wanted ones, held ones exact, and which (B,) are consistent."""
    moving = _Side(functions.moving)
    weights = np.ones(functions.tree.nv)
    weights[kept] = 0.0
    v, found = wanted.copy(), np.zeros(len(q), dtype=bool)
    active = np.arange(len(q))
    for _ in range(3):  # a solve and two refinements
        if not active.size:
            break
        shared = np.broadcast_to(weights, (len(active), len(weights)))
        rate, Phi_t, dv, _ = moving(q[active], p[active], shared, v[active])
        allowed = 0.1 * ROUND_OFF * (1 + np.max(np.abs(Phi_t), axis=1, initial=0.0))
        done = np.max(np.abs(rate), axis=1, initial=0.0) <= allowed
        found[active[done]] = True
        active, dv = active[~done], dv[~done]
        v[active] += dv
    return np.where(np.abs(v - wanted) > ROUND_OFF * (1 + np.abs(wanted)), v, wanted), found


class _Side:
    """A function of one state, evaluated for many states in one call; states are rows.

    If all states agree in the arguments on which it depends, it is evaluated once: closed loops do not depend on
    masses.
    """

    def __init__(self, one: Evaluated) -> None:
        assert isinstance(one, Numbers)  # not the functions with dense matrices
        self._function = Numbers(one.function.map(WIDTH))
        results = range(one.function.n_out())
        self._sizes = [one.function.size1_out(k) for k in results]
        self._used = [
            sorted({column for k in results for column in one.function.jac_sparsity(k, i).get_col()})
            for i in range(one.function.n_in())
        ]

    def __call__(self, *arrays: np.ndarray) -> list[np.ndarray]:
        """Results (N, size) of arguments (N, size)."""
        count = len(arrays[0])
        used = [array[:, columns] for array, columns in zip(arrays, self._used, strict=True)]
        if count > 1 and all((columns == columns[0]).all() for columns in used):
            return [np.repeat(values, count, axis=0) for values in self(*(array[:1] for array in arrays))]
        out = [np.empty((count, size)) for size in self._sizes]
        for first in range(0, count, WIDTH):
            rows = np.minimum(np.arange(first, first + WIDTH), count - 1)
            n = min(WIDTH, count - first)
            for whole, part in zip(out, self._function(*(array[rows] for array in arrays)), strict=True):
                whole[first : first + n] = part.T[:n]
        return out
