"""Random states of a mechanism near its initial position, with closed loops and consistent velocities."""

from collections.abc import Mapping

import numpy as np

from cardan.assembly.assembler import Assembler
from cardan.assembly.functions import AssemblyFunctions
from cardan.assembly.start import start
from cardan.errors import AssemblyError
from cardan.frozen import dataclass
from cardan.model.quantities.parameters import resolve
from cardan.numerics.rank import independent_rows, null_space
from cardan.system.constrained import has_constraints
from cardan.system.system import System

AWAY = 0.5  # displacement from a singular start [rad, m]: near it the solve is damped and laws hold less exactly


@dataclass(frozen=True)
class Sample:
    """A state with its time and inputs."""

    t: float  # [s]
    q: np.ndarray  # (nq,)
    v: np.ndarray  # (nv,)
    z: np.ndarray  # (nz,)
    u: np.ndarray  # (m,)


@dataclass(frozen=True)
class Sampler:
    """The mechanism and the position around which random states are drawn."""

    system: System
    assembler: Assembler  # with the values of the parameters
    start: np.ndarray  # the initial position (nq,)


def sampler(system: System, parameters: Mapping[str, float] | None = None) -> Sampler:
    """Sampler around the initial position."""
    values = {name: float(value) for name, value in resolve(system.model.parameters, parameters or {}).items()}
    functions = AssemblyFunctions(system.tree)
    begin = start(system, functions, system.model.initial, values)
    assembler, q = Assembler(functions, np.array(list(values.values()))), begin.x[: system.tree.nq]
    return Sampler(system, assembler, _regular(assembler, q, len(begin.choice.kept)))


def _regular(assembler: Assembler, q: np.ndarray, rank: int) -> np.ndarray:
    """q (nq,); if the equations lose rank there, the most regular of the positions around it."""
    if len(independent_rows(assembler.at(q)[1])) == rank:
        return q
    return max(assembler.neighbours(q, AWAY), key=lambda place: np.linalg.svd(assembler.at(place)[1])[1][rank - 1])


def random_sample(at: Sampler, rng: np.random.Generator, reach: float = 0.3) -> Sample:
    """A random state; at time 0 where there are constraints."""
    system, tree = at.system, at.system.tree
    z, u = rng.uniform(-1, 1, system.nz), rng.uniform(-1, 1, len(system.input_names))
    wanted = rng.uniform(-1, 1, tree.nv)
    if not has_constraints(tree):
        return Sample(rng.uniform(), at.assembler.moved(at.start, rng.uniform(-1, 1, tree.nv)), wanted, z, u)
    q = _assembled(at, rng, reach)
    return Sample(0.0, q, at.assembler.velocities(q, wanted, range(tree.nv)).v, z, u)


def _assembled(at: Sampler, rng: np.random.Generator, reach: float) -> np.ndarray:
    """A random position reached along velocities that the loops allow; nearer to the start if loops do not close."""
    N = null_space(at.assembler.at(at.start)[1])
    step = N @ rng.uniform(-reach, reach, N.shape[1])
    for factor in (1.0, 0.5, 0.2):
        try:
            return at.assembler.position(at.assembler.moved(at.start, factor * step))
        except AssemblyError:
            continue
    return at.start
