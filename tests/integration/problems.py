"""Problems with known solutions, compiled the way models are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from cardan.codegen import native
from cardan.integration import Events, Problem
from cardan.integration.ensemble import LaneFunctions
from cardan.simulation.hybrid import event_functions

Law = Callable[[Any, Any, Any, Any], tuple[Any, Any]]  # (t, x, u, p) → (dx, dw)


def functions(
    law: Law, nq: int, n: int, m: int = 0, k: int = 0, *, project: Any = None, lanes: int = 0
) -> dict[str, Any]:
    """Return the native functions that a problem needs, from a law over CasADi matrices."""
    t, x, u, p = (ca.SX.sym(name, size) for name, size in (("t", 1), ("x", n), ("u", m), ("p", k)))
    dx, dw = law(t, x, u, p)
    out = ca.densify(ca.vertcat(dx, dw))
    arguments = [t, x, u, p]

    def build(*results: Any) -> Any:
        return native(ca.Function("f", arguments, [ca.densify(result) for result in results]), lanes=lanes)

    made = {"rhs": build(out), "velocity": build(dx[:nq])}
    if project is not None:
        made["project"] = build(*project(t, x, u, p), ca.SX(1))
    made["tangent"] = lambda: tangent(out, arguments)
    return made


def tangent(out: Any, arguments: list[Any], lanes: int = 8) -> Any:
    """Return the native derivative of `out` along a direction of (t, x, u); the arguments are t, x, u, p."""
    along = ca.SX.sym("along", sum(given.numel() for given in arguments[:3]))
    change = ca.jtimes(out, ca.vertcat(*arguments[:3]), along)
    return native(ca.Function("tangent", [*arguments, along], [ca.densify(change)]), lanes=lanes)


def problem(
    law: Law, nq: int, x0: Any, *, nw: int = 0, m: int = 0, p: Any = (), project: Any = None, **given: Any
) -> Problem:
    """Return a problem from a law; `given` are fields of `Problem`."""
    n, k = len(x0), len(p)
    sizes = {"nq": nq, "nv": n - nq, "nw": nw, "m": m, "k": k}
    return Problem(
        **sizes, **functions(law, nq, n, m, k, project=project), x0=np.array(x0, float), p=np.array(p, float), **given
    )


def lane_functions(law: Law, nq: int, n: int, m: int = 0, k: int = 0, *, lanes: int = 8) -> LaneFunctions:
    """Return the functions of an ensemble."""
    made = functions(law, nq, n, m, k, lanes=lanes)
    return LaneFunctions(made["rhs"], made["velocity"], made["tangent"]())


def wave(t: Any, x: Any, u: Any, p: Any) -> tuple[Any, Any]:
    """q = exp(sin t), w = ∫ (v/q)² dt, where u = t: a term that vanishes on the solution acts on every derivative."""
    q, v = x[0], x[1]
    return ca.vertcat(v, v * v / q - q * ca.log(q) + (u - t) * q), (v / q) ** 2


def wave_problem(times: Any, *, until: float = 4.0, **given: Any) -> Problem:
    """Return the wave from t = 0 with the input u = t in one segment."""
    segments = {"a": [0.0], "b": [until], "c0": [[0.0]], "c1": [[1.0]]}
    return problem(wave, 1, [1.0, 1.0], nw=1, m=1, times=times, **{**segments, **given})


def wave_solution(t: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return x and w of the wave at the instants t."""
    t = np.asarray(t)
    q = np.exp(np.sin(t))
    return np.stack([q, q * np.cos(t)], axis=-1), (t / 2 + np.sin(2 * t) / 4)[..., None]


def van_der_pol(t: Any, x: Any, u: Any, p: Any) -> tuple[Any, Any]:
    """Relaxation oscillator with stiffness p; the quadrature is ∫ q² dt."""
    return ca.vertcat(x[1], p * (1 - x[0] ** 2) * x[1] - x[0]), x[0] ** 2


def hybrid(
    law: Law,
    crossings: Law | None,
    reset: Callable[..., tuple[Any, Any, Any]] | None,
    x0: Any,
    *,
    nq: int = 1,
    p: Any = (),
    directions: Any = (),
    mode: tuple[int, int] = (0, 0),
    ticks: Any = None,
    lanes: int = 0,
    events: Any = None,
    **given: Any,
) -> Problem:
    """Return a problem with events; `crossings` gives (g, unused), `reset` (x, m, whether the run ends).

    With `lanes` the crossing functions are those of an ensemble; `events` are further fields of `Events`.
    """
    n, k = len(x0), len(p)
    kinds = len(directions) + (0 if ticks is None else np.shape(ticks)[1])
    t, x, u, p_ = (ca.SX.sym(name, size) for name, size in (("t", 1), ("x", n), ("u", 0), ("p", k)))
    made: dict[str, Any] = {"directions": directions, "mode": mode, "ticks": ticks, **(events or {})}
    if crossings is not None:
        made["crossings"] = crossing_function(crossings, n, k, lanes)
    if reset is not None:
        fired = ca.SX.sym("fired", kinds)
        results = [ca.densify(ca.SX(part)) for part in reset(t, x, u, p_, fired)]
        made["reset"] = native(ca.Function("reset", [t, x, u, p_, fired], results))
    return problem(law, nq, x0, p=p, events=Events(**made), **given)


def crossing_function(crossings: Law, n: int, k: int, lanes: int = 0) -> Any:
    """Return the native crossing functions."""
    t, x, u, p = (ca.SX.sym(name, size) for name, size in (("t", 1), ("x", n), ("u", 0), ("p", k)))
    dx, g = ca.SX.sym("dx", n), ca.densify(ca.SX(crossings(t, x, u, p)[0]))
    rate = ca.jtimes(g, ca.vertcat(t, x), ca.vertcat(1, dx))
    return native(event_functions.crossing_function([t, x, u, p], dx, g, ca.densify(rate)), lanes=lanes, apart=True)
