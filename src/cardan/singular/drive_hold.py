"""Drives that lose their hold: efforts and accelerations no longer follow from the motion that the drives keep.

H are the accelerations of the components of motions under unit efforts of their drives (`system.drives`). The equations
for accelerations and efforts are singular where det H changes its sign: at a zero no effort moves a component, and at a
pole the mechanism has no inertia. A failed run is also followed to the position that it approaches.

Source: docs/motions.md
"""

from collections.abc import Callable
from functools import cached_property, partial

import numpy as np

from cardan.assembly.start import system_of
from cardan.frozen import dataclass
from cardan.functions.system_functions import SystemFunctions
from cardan.kinematics.tree import Prescribed
from cardan.numerics.golden_section import minima
from cardan.numerics.largest import largest
from cardan.numerics.rank import null_space
from cardan.results.status import Status
from cardan.singular.closed_loops import ClosedLoops
from cardan.singular.events import Event
from cardan.singular.step_log import StepLog, cubic
from cardan.singular.tolerances import ITERATIONS, NEAR, SINGULAR, SPACING, STARTS
from cardan.singular.words import position_in_words
from cardan.system.drives import acting_rows

Array = np.ndarray
Place = tuple[float, Array]  # instant [s] and position (nq,)
PARTS = 32  # number of positions ahead of a failed run that are examined


def lost_hold(log: StepLog, *, failed: bool) -> Event | None:
    """The event at which drives lose their hold; None if they keep it, or if each drives its own coordinate."""
    motions = [motion for motion in log.functions.system.tree.motions if not motion.is_direct]
    if not motions or not len(log.t):
        return None
    hold = _Hold(log, motions)
    return hold.crossed() or (hold.approached() if failed else None)


def keeps_hold(functions: SystemFunctions, t: Array, q: Array, p: Array) -> bool:
    """Whether det H keeps its sign at the instants of a run without a log of steps."""
    tree = functions.system.tree
    if all(motion.is_direct for motion in tree.motions):
        return True
    signs = _signs(_responses(functions, len(acting_rows(tree, functions.equations)), t, q, p))
    return bool((signs == signs[0]).all())  # False for NaN


@dataclass(frozen=True)
class _Hold:
    """Responses of motions to their drives, and inertia, along a run."""

    log: StepLog
    motions: list[Prescribed]  # those that other joints drive

    def crossed(self) -> Event | None:
        """The event in the first step over which det H changes its sign."""
        signs = self._signs(self.log.t, self.log.q)
        changes = np.flatnonzero(signs[1:] * signs[:-1] < 0)
        if not changes.size:
            return None
        k = int(changes[0])
        path, (low, high) = self._step(k), (0.0, 1.0)
        for _ in range(ITERATIONS):
            middle = 0.5 * (low + high)
            t, q = path(middle)
            same = self._signs(np.array([t]), q[None])[0] == signs[k]
            low, high = (middle, high) if same else (low, middle)
        return self._event(*path(low))

    def approached(self) -> Event | None:
        """The event in the position ahead in which inertia or response vanish, if there is one."""
        path, ways = self._ahead(), np.linspace(0, 1, PARTS + 1)
        sizes = np.array([self._sizes(*path(s)) for s in ways])
        usual = np.max([self._sizes(*place) for place in self._samples], axis=0)
        for kind in np.flatnonzero(usual > 0):
            k = int(np.argmin(sizes[:, kind]))
            (nearest,) = minima(
                partial(self._size, path, int(kind)), ways[[max(k - 1, 0)]], ways[[min(k + 1, PARTS)]], ITERATIONS
            )
            if self._sizes(*path(nearest))[kind] < SINGULAR * usual[kind]:
                return self._event(*path(nearest))
        return None

    def _event(self, t: float, q: Array) -> Event:
        """The event of a singular position."""
        inertia, _ = self._sizes(t, q)
        usual = np.max([self._sizes(*place)[0] for place in self._samples])
        cause = self._no_inertia(t, q) if inertia < SINGULAR * usual else self._no_effect(t, q)
        return Event(t, Status.DRIVE_LOST, cause)

    def _no_effect(self, t: float, q: Array) -> str:
        H = self._responses(np.array([t]), q[None])[0]
        rows = H / self._lengths[:, None]
        lost = np.abs(np.linalg.svd(rows.T)[2][-1])  # combination of the components that no effort moves
        owners = [motion for motion in self.motions for _ in range(motion.target.size)]
        owner = owners[int(np.argmax(lost))]
        rule = owner.realize
        without = {*rule.zero, *(rule.given or ())}  # drives whose efforts do not follow from the motion
        drives = [self.log.functions.system.tree.velocities[k].name for k in owner.drives]
        names = [name for name in drives if name not in without]
        by, does = (
            (f"the effort of {names[0]}", "does") if len(names) == 1 else (f"the efforts of {', '.join(names)}", "do")
        )
        share = ", in these proportions," if rule.share else ""
        other = "choose another realize:" if rule.share or without else "name a joint in by: that moves it there"
        cure = f"{other}, change the motion, or end the run before"
        beside = "next to which efforts grow without bound"
        return f"{by}{share} {does} not move {owner.name!r} in the position {self._position(q)}, {beside}; {cure}"

    def _no_inertia(self, t: float, q: Array) -> str:
        scale, N, M = self._inertia(t, q)
        lost = np.abs(N @ np.linalg.eigh(M)[1][:, 0]) / scale
        tree = self.log.functions.system.tree
        names = " and ".join(tree.velocities[k].name for k in np.flatnonzero(lost > NEAR * np.max(lost)))
        kept = ", ".join(repr(motion.name) for motion in self.motions)
        cure = "give the bodies that move there mass, choose another realize:, or end the run before"
        return (
            f"the mechanism has no inertia along {names} in the position {self._position(q)}, next to which speeds "
            f"grow without bound, so that its drives cannot keep {kept}; {cure}"
        )

    def _position(self, q: Array) -> str:
        """Values of the first coordinates, as text."""
        return position_in_words(self.log.functions.system.tree, q)

    def _signs(self, t: Array, q: Array) -> Array:
        """Signs (N,) of det H; 0 where there are more drives than components."""
        return _signs(self._responses(t, q))

    def _responses(self, t: Array, q: Array) -> Array:
        """H (N, k, c) at instants t (N,) and positions q (N, nq)."""
        return _responses(self.log.functions, len(self._rows), t, q, self.log.p)

    def _sizes(self, t: float, q: Array) -> tuple[float, float]:
        """Root of the smallest inertia of a free motion (1 if no motion is free), and smallest response."""
        M = self._inertia(t, q)[2]
        inertia = np.linalg.eigvalsh(M)[0] if len(M) else 1.0
        H = self._responses(np.array([t]), q[None])[0] / self._lengths[:, None]
        response = np.linalg.svd(H, compute_uv=False)[-1] if np.isfinite(H).all() else np.inf
        return float(np.sqrt(max(inertia, 0.0))), float(response)

    def _size(self, path: Callable[[float], Place], kind: int, s: Array) -> Array:
        return np.array([self._sizes(*path(float(part)))[kind] for part in s])

    def _inertia(self, t: float, q: Array) -> tuple[Array, Array, Array]:
        """Scales of the velocities (nv,), free motions (nv, f), and their inertia (f, f), all velocities scaled."""
        J = self._loops.at(t, q)[1][self._kept] / self._scale
        N = null_space(J)
        return self._scale, N, N.T @ (self._mass(q) / np.outer(self._scale, self._scale)) @ N

    def _mass(self, q: Array) -> Array:
        """M (nv, nv)."""
        system = self.log.functions.system
        return np.array(system_of(system.model, system.motors)[1].inertia(q, self.log.p)[0])

    @cached_property
    def _scale(self) -> Array:
        """Root of the largest inertia of every velocity (nv,); 1 where there is none."""
        most = np.max([np.diag(self._mass(q)) for _, q in self._samples], axis=0)
        return np.sqrt(np.where(most > 0, most, 1.0))

    @cached_property
    def _lengths(self) -> Array:
        """Largest response of every component (k,)."""
        t, q = (np.array(parts) for parts in zip(*self._samples, strict=True))
        most = np.max(np.linalg.norm(self._responses(t, q), axis=2), axis=0)
        return np.where(most > 0, most, 1.0)

    @property
    def _samples(self) -> list[Place]:
        """Instants and positions that represent the run."""
        log = self.log
        return [(float(log.t[k]), log.q[k]) for k in np.unique(np.linspace(0, len(log.t) - 1, STARTS).astype(int))]

    @property
    def _loops(self) -> ClosedLoops:
        return ClosedLoops(self.log.functions, self.log.p)

    @property
    def _rows(self) -> list[int]:
        """Indices of the equations of the components."""
        return acting_rows(self.log.functions.system.tree, self.log.functions.equations)

    @property
    def _kept(self) -> list[int]:
        """Indices of the equations that are solved, those with feedback included."""
        return sorted({*self.log.functions.system.choice.kept, *self._rows})

    def _step(self, k: int) -> Callable[[float], Place]:
        """Cubic path through step k."""
        log = self.log
        h = log.t[k + 1] - log.t[k]
        return lambda s: (float(log.t[k] + s * h), cubic(s, h, *log.q[k : k + 2], *log.rates[k : k + 2]))

    def _ahead(self) -> Callable[[float], Place]:
        """Path from the end of the run along its velocities, with loops closed, over the distance of two samples."""
        log, loops = self.log, self._loops
        t, q, v = float(log.t[-1]), log.q[-1], log.v[-1]
        span = SPACING / max(largest(v), SPACING)

        def path(s: float) -> Place:
            return t + s * span, loops.closed(t + s * span, loops.moved(q, s * span * v))[0]

        return path


def _responses(functions: SystemFunctions, rows: int, t: Array, q: Array, p: Array) -> Array:
    """H (N, rows, c) at instants t (N,) and positions q (N, nq)."""
    x = np.column_stack([q, np.zeros((len(t), functions.system.nx - q.shape[1]))])
    (flat,) = functions.batch("responses")(t, x, np.zeros(len(functions.system.input_names)), p)
    return np.swapaxes(np.reshape(flat, (len(t), -1, rows)), 1, 2)


def _signs(H: Array) -> Array:
    """Signs (N,) of det H; 0 where there are more drives than components."""
    return np.array(np.linalg.slogdet(H)[0] if H.shape[1] == H.shape[2] else np.zeros(len(H)))
