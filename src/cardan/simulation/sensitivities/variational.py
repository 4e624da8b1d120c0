"""The variational equations: with ẋ = f(t, x, p) the derivatives S of x by some quantities obey Ṡ = f_x S + f_p P.

S follows by directional derivatives of the same laws that move x, so that both are one state y = (x, S) of the
integrator. P are the derivatives of all parameters by the chosen ones; columns are multiplied by the size of the
parameter, so that one tolerance judges x and S. At an event S jumps, as the instant τ of the event moves too:
S⁺ = r_x S + r_p P + (r_x f⁻ + r_t − f⁺) τ_p with the reset r, and τ_p = −(g_x S + g_p P)/ġ of its condition g.

Source: Hairer, Nørsett & Wanner 1993, I.14; Rozenwasser & Yusupov 2000, *Sensitivity of Automatic
Control Systems*, ch. 2
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache, partial

import casadi as ca

from cardan.channels.functions import channel_functions
from cardan.codegen import Gradual, Native
from cardan.frozen import dataclass, field, replace
from cardan.functions.system_functions import SystemFunctions, functions_of
from cardan.integration import RESOLUTION
from cardan.kinematics.scope import evaluate, parameter_value
from cardan.kinematics.tree import Number
from cardan.model.quantities.parameters import in_order_of_use
from cardan.model.quantities.scalar import Scalar
from cardan.numerics.round_off import EPSILON, GAP
from cardan.simulation.hybrid.event_functions import EventFunctions, Plan
from cardan.simulation.hybrid.switchings import frozen
from cardan.simulation.setup import Setup
from cardan.system.response import response, state_derivative


@dataclass(frozen=True)
class Chosen:
    """The quantities by which a run is differentiated."""

    names: tuple[str, ...]  # parameters, and states whose initial values are meant
    definitions: tuple[tuple[str, Scalar], ...]  # of all parameters; 0 in place of numbers

    @property
    def parameters(self) -> list[str]:
        """Names of all parameters."""
        return [name for name, _ in self.definitions]


def parameter_seeds(given: Chosen, p: Number) -> Number:
    """Derivatives P (K, k) of all parameters p (K,) by the chosen ones, times the sizes of these, 1 in place of 0."""
    names, chosen, definitions = given.parameters, given.names, dict(given.definitions)
    P = ca.SX(p.shape[0], len(chosen))
    for name in in_order_of_use(definitions):
        k = names.index(name)
        if name in chosen:
            P[k, chosen.index(name)] = ca.if_else(p[k] == 0, 1, ca.fabs(p[k]))
        elif definitions[name].expression is not None:
            value = ca.SX(evaluate(definitions[name], partial(parameter_value, tuple(names), p)))
            P[k, :] = ca.jacobian(value, p) @ P
    return P


def equations_of(setup: Setup, chosen: Chosen) -> tuple[Variational, Variational]:
    """The variational equations in a mode, which are integrated, and as they are written.

    Inputs that follow parameters are expressions here.
    """
    conditions, task = setup.conditions, setup.task
    inputs = tuple((name, x) for name, x in conditions.signals.items() if isinstance(x, Scalar) and x.names)
    mode = frozen(conditions.system.model, inputs)
    choice = task.functions.system.choice
    moving, whole = (
        functions_of(model, conditions.motors, given, choice)
        for model, given in ((mode.model, mode.expressions), (conditions.system.model, inputs))
    )
    plan = replace(conditions.plan, switches=mode.switches)
    return _variational(moving, plan, chosen), _variational(whole, conditions.plan, chosen)


@lru_cache(maxsize=64)
def _variational(functions: SystemFunctions, plan: Plan, chosen: Chosen) -> Variational:
    """The variational equations of a system; a second call returns the same record with its machine code."""
    return Variational(functions, plan, chosen)


@dataclass(frozen=True, eq=False)
class Variational:
    """Functions of (t, y, u, p) of one system. y = (x, S, instant of the last event); u ends with that of a jump."""

    functions: SystemFunctions  # of the system, in a mode where it switches with the motion
    plan: Plan  # what happens at events
    chosen: Chosen  # the quantities by which it is differentiated
    _made: dict[str, Native] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def outputs(self) -> Gradual:
        """Outputs (N, r) of the model, and their derivatives (N, r k), of (t, x, u, p, S)."""
        channels = channel_functions(self.functions)
        values = ca.vertcat(ca.SX(0, 1), *map(ca.SX, channels.expressions("outputs")))
        solution = ca.vertcat(*map(ca.SX, self.functions.accelerations_and_multipliers))
        values = ca.substitute(values, ca.vertcat(*channels.unknowns), ca.densify(solution))
        return self.functions.columns("outputs", [values, ca.vec(self._along(values))], ca.vec(self._S))

    @cached_property
    def slopes(self) -> ca.Function:
        """Of (t, x, u, p, S): the derivatives f_x (nx, nx) of the rates, and f_x S + f_p P (nx, k)."""
        return ca.Function("slopes", [*self._own, self._S], [ca.jacobian(self._f, self._x), self._along(self._f)])

    def native(self, name: str, lanes: int | None = 0, *, apart: bool = False) -> Native:
        """One of `_LAWS` at an address, made once; it is built only if its machine code is not on disk."""

        def build() -> ca.Function:
            more, results = _LAWS[name](self)
            return ca.Function(name, [*self._given, *more], ca.cse([ca.densify(ca.SX(one)) for one in results]))

        if name not in self._made:
            made_from = f"variational {name}", repr(self.plan), repr(self.chosen)
            self._made[name] = self.functions.native(build, *made_from, lanes=lanes, apart=apart)
        return self._made[name]

    def _derivative(self) -> _Law:
        """ẏ."""
        return [], [self._rates]

    def _tangent(self) -> _Law:
        """Derivatives of ẏ along a direction of (t, y, u)."""
        t, y, u, _ = self._given
        along = ca.SX.sym("along", 1 + y.shape[0] + u.shape[0])
        return [along], [ca.jtimes(self._rates, ca.vertcat(t, y, u), along)]

    def _projection(self) -> _Law:
        """y brought back to its constraints, the residual before, and the distance from a singular position."""
        moved, residual, nearness = self.functions.symbols.projected
        return [], [ca.vertcat(moved, ca.vec(self._along(moved)), self._symbols[1]), residual, nearness]

    def _crossings(self) -> _Law:
        """Crossing functions of events, of ẏ apart, which do not depend on S."""
        law = self._events.crossing_law()
        s, dy = ca.SX.sym("s", law.size1_in(4)), ca.SX.sym("dy", self._given[1].shape[0])
        return [s, dy], law.call([*self._own, s, dy[: self._x.shape[0]]])

    def _complementarity(self) -> _Law:
        """The complementarity problems of events, which do not depend on S."""
        fired, tick, unknowns = self._decided()
        return [fired, tick, unknowns], self._events.problem_law().call([*self._own, fired, unknowns])

    def _reset(self) -> _Law:
        """State, mode, end and log after an event; the last tick is a jump in time."""
        fired, tick, unknowns = self._decided()
        x, mode, ends, logged = self._events.reset_law()(*self._own, fired, unknowns)
        tau = self._instant(fired)
        S, changes = self._after(x, mode, tick, tau)
        last = ca.if_else(changes, ca.vertcat(tau.T, self._own[0] * (1 + RESOLUTION)), self._symbols[1])
        return [fired, tick, unknowns], [ca.vertcat(x, ca.vec(S), last), mode, ends, logged]

    def _after(self, x: Number, mode: Number, tick: Number, tau: Number) -> tuple[Number, Number]:
        """S (nx, k) after the reset to x, at an instant with the derivatives tau (1, k), and whether anything changes.

        Rates that differ by less than `least`, as at a kink of the law, leave S as it is.
        """
        (t, _, _, p), step = self._own, 2 * GAP * EPSILON
        later = t * (1 + step)
        before = ca.substitute(self._f, t, ca.if_else(tick > 0, t * (1 - step), later))
        changed = ca.vertcat(t, self._x, p[len(self.chosen.definitions) :, :][: mode.numel(), :])
        after = ca.substitute(self._f, changed, ca.vertcat(later, x, mode))
        along = ca.jtimes(x, ca.vertcat(t, self._x), ca.vertcat(1, before))
        changes = ca.mmax(ca.vertcat(ca.fabs(along - after) - self._symbols[2][-1], ca.fabs(x - self._x))) > 0
        return self._along(x) + ca.if_else(changes, (along - after) @ tau, ca.SX(*self._S.shape)), changes

    def _instant(self, fired: Number) -> Number:
        """Derivatives (1, k) of the instant of an event.

        They are those of a jump in time or of another event at this instant, which causes it, else those with which
        its condition stays zero.
        """
        t, x, _, _ = self._own
        conditions = ca.SX(self._events.conditions(response(self.functions.system, self.functions.state)))
        tau = ca.SX(1, len(self.chosen.names))
        if conditions.numel():
            shifts, rates = -self._along(conditions), ca.jtimes(conditions, ca.vertcat(t, x), ca.vertcat(1, self._f))
            for i in reversed(range(conditions.numel())):
                tau = ca.if_else(fired[i] > 0, shifts[i, :] / rates[i], tau)
        k = len(self.chosen.names)
        for same in self._symbols[1:]:
            tau = ca.if_else(t <= same[k], same[:k].T, tau)
        return tau

    @cached_property
    def _events(self) -> EventFunctions:
        return EventFunctions(self.functions, self.plan)

    def _decided(self) -> list[Number]:
        """New symbols of what has fired, of a jump in time, and of the solutions of complementarity problems."""
        problems, size = self._events.unknowns
        return [ca.SX.sym("fired", self._events.fired), ca.SX.sym("tick"), ca.SX.sym("unknowns", problems * size)]

    @property
    def _own(self) -> list[Number]:
        """Symbols (t, x, u, p) of the system's own functions."""
        return [self.functions.symbols.inputs[name] for name in ("t", "x", "u", "p")]

    @property
    def _x(self) -> Number:
        return self._own[1]

    @cached_property
    def _symbols(self) -> tuple[Number, Number, Number]:
        """Symbols beside those of the system: S (nx, k); of the last event the derivatives of its instant, and its end

        up to round-off (k + 1,); the same of the instant at which a segment of the inputs begins, and the least jump of
        rates (k + 2,).
        """
        k = len(self.chosen.names)
        return ca.SX.sym("S", self._x.shape[0], k), ca.SX.sym("last", k + 1), ca.SX.sym("jump", k + 2)

    @property
    def _S(self) -> Number:
        return self._symbols[0]

    @property
    def _given(self) -> list[Number]:
        """Symbols (t, y, u, p) of the functions here."""
        (t, x, u, p), (S, last, jump) = self._own, self._symbols
        return [t, ca.vertcat(x, ca.vec(S), last), ca.vertcat(u, jump), p]

    @cached_property
    def _f(self) -> Number:
        s = self.functions.symbols
        return ca.densify(ca.SX(state_derivative(s.system, s.state, s.accelerations_and_multipliers)))

    @property
    def _rates(self) -> Number:
        return ca.vertcat(self._f, ca.vec(self._along(self._f)), ca.SX(*self._symbols[1].shape))

    def _along(self, values: Number) -> Number:
        """Derivatives (n, k) of some values (n,) by the chosen quantities."""
        p = self._own[3]
        P = parameter_seeds(self.chosen, p)
        return ca.densify(ca.jtimes(ca.SX(values), ca.vertcat(self._x, p), ca.vertcat(self._S, P)))


_Law = tuple[list[Number], list[Number]]
"""Symbols after (t, y, u, p) of a function, and its results."""

_LAWS: dict[str, Callable[[Variational], _Law]] = {
    "derivative": Variational._derivative,
    "tangent": Variational._tangent,
    "projection": Variational._projection,
    "crossings": Variational._crossings,
    "complementarity": Variational._complementarity,
    "reset": Variational._reset,
}
"""The functions that the integrator calls."""
