"""Crossing functions and reset of a system as machine code."""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache

import casadi as ca
import numpy as np

from cardan.codegen import Native
from cardan.errors import ModelError
from cardan.frozen import dataclass, replace
from cardan.functions.system_functions import SystemFunctions
from cardan.integration import EITHER, FALLING, INVARIANT, NOTED, RISING, Events
from cardan.kinematics.scope import evaluate, value
from cardan.kinematics.tree import Number
from cardan.model.events import UserEvent
from cardan.model.expressions.evaluation import evaluate as evaluate_expression
from cardan.model.expressions.grammar import ParsedExpression
from cardan.model.expressions.operations import CASADI
from cardan.model.names import own_outputs
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.plain import plain_value
from cardan.model.sampled.held import HELD, SET, HeldSample
from cardan.numerics.round_off import EPSILON, GAP
from cardan.simulation.hybrid.callback import CallingReset, FunctionCall, calling
from cardan.simulation.hybrid.contacts.impacts import Impacts
from cardan.simulation.hybrid.contacts.indeterminacy import INDETERMINATE
from cardan.simulation.hybrid.contacts.kinds import Words, after_contacts, contact_conditions, contact_directions
from cardan.simulation.hybrid.contacts.rubbing import place
from cardan.simulation.hybrid.switchings import Switch
from cardan.system.contacts import Solved
from cardan.system.rates import with_rates

DIRECTIONS = {"rising": RISING, "falling": FALLING, "either": EITHER}


@dataclass(frozen=True)
class Plan:
    """The events of a run and their actions, by names of its model, in the order of the crossing functions."""

    events: tuple[tuple[str, UserEvent], ...] = ()  # user events by name
    sampled: tuple[HeldSample, ...] = ()  # what is computed at multiples of a period
    switches: tuple[Switch, ...] = ()  # switchings by motion, the mode
    contacts: Words = ()  # for each crossing function of contacts: its name, and what happens there
    rest: float = 0.0  # speed below which friction holds a joint that slides in several directions [m/s, rad/s]

    @property
    def calls(self) -> bool:
        """Whether Python functions give held values."""
        return any(sample.is_called for sample in self.sampled)

    @property
    def is_empty(self) -> bool:
        """Whether there are no events."""
        return not (self.sampled or self.has_crossings)

    @property
    def has_crossings(self) -> bool:
        """Whether there are crossing functions."""
        return bool(self.events or self.switches or self.contacts)

    @property
    def kept(self) -> int:
        """Number of crossing functions whose events are logged; those of switchings come after them."""
        return len(self.events) + len(self.contacts)

    @property
    def rubbing(self) -> tuple[str, ...]:
        """Joints and constraints whose friction may have several solutions or none."""
        return tuple(name for name, did in self.contacts if did == INDETERMINATE)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the user events."""
        return tuple(name for name, _ in self.events)


@dataclass(frozen=True, eq=False)
class EventFunctions:
    """The functions of the events of one system."""

    functions: SystemFunctions  # functions of the integrated system
    plan: Plan  # what happens

    def crossings(self, lanes: int = 0) -> Native:
        """The function (t, x, u, p, s, ẋ) → (g, dg/dt, how near),
        with ẋ in an array of its own (`crossing_function`).
        """
        return self._native(self.crossing_law, lanes, apart=True)

    def crossing_law(self) -> ca.Function:
        """The crossing functions as `crossings` computes them."""
        s, x = self.functions.symbols.inputs, self._x
        dx = ca.SX.sym("dx", x.shape[0])
        along = ca.vertcat(s["t"], x), ca.vertcat(1, dx)
        g, rate = with_rates(self.functions.system, self.functions.state, along, self.conditions)
        return crossing_function(self._arguments, dx, g, rate)

    @property
    def unknowns(self) -> tuple[int, int]:
        """How many complementarity problems an event solves, and how many unknowns each of them has."""
        return Impacts.unknowns(self.functions)

    def complementarity(self) -> Native | None:
        """The function (t, x, u, p, fired, y) → (H, c, lo, hi) of the complementarity problems; None without them."""
        return self._native(self.problem_law) if self.unknowns[0] else None

    def problem_law(self) -> ca.Function:
        """The problems as `complementarity` computes them."""
        fired, y = self._held
        problems = Impacts(self.functions, fired[len(self.plan.events) : self.plan.kept], y).problems()
        return ca.Function("problems", [*self._arguments, fired, y], problems)

    def reset(self) -> Native:
        """The function (t, x, u, p, fired, y) → (x, m, whether the run ends, events for the log)."""
        return self._native(self.reset_law)

    def reset_law(self) -> ca.Function:
        """The reset as `reset` computes it."""
        count = self.plan.kept + sum(switch.crossings for switch in self.plan.switches)
        (fired, y), x, ends = self._held, ca.SX(self._x), ca.SX(0)
        for k, (name, event) in enumerate(self.plan.events):
            if event.do == "stop":
                ends = ca.fmax(ends, fired[k])
            elif not isinstance(event.do, str):
                for target, scalar in event.do.set.items():
                    number = self._number(scalar, ("events", name, "do", "set", target))
                    for state, to in self._changes(target, number):
                        x[state] = ca.if_else(fired[k] > 0, to, x[state])
        for k, sample in enumerate(self.plan.sampled, start=count):
            if not sample.is_called:
                at, (scalar,) = place(self.functions, sample.states[0]), sample.of
                x[at] = ca.if_else(fired[k] > 0, self._number(scalar, (*sample.path, sample.key)), x[at])
        logged, own = ca.SX(fired[:count]), slice(len(self.plan.events), self.plan.kept)
        if self.plan.contacts:
            x, logged[own], unsolved = after_contacts(self.functions, x, fired[own], y, self.plan.rest)
            ends = ca.fmax(ends, unsolved)
        mode = ca.densify(ca.vertcat(ca.SX(0, 1), *self._modes(fired[self.plan.kept : count])))
        results = [ca.densify(x), mode, ends, ca.densify(logged)]
        return ca.Function("reset", [*self._arguments, fired, y], results)

    def arguments(self) -> Native:
        """The function (t, x, u, p) → arguments of all Python functions, in the order of the samples."""
        return self._native(self._called_with)

    def _called_with(self) -> ca.Function:
        numbers = [
            self._number(scalar, (*sample.path, "of"))
            for sample in self.plan.sampled
            if sample.is_called
            for scalar in sample.of
        ]
        return ca.Function("arguments", self._arguments, [ca.densify(ca.vertcat(*map(ca.SX, numbers)))])

    def with_calls(self, reset: Native, arguments: Native) -> CallingReset:
        """The reset that also calls the Python functions."""
        first = sum(x.shape[0] for x in self._arguments) + self._held[0].shape[0] - len(self.plan.sampled)
        calls, used = [], 0
        for k, sample in enumerate(self.plan.sampled, start=first):
            if sample.function is not None:
                places = tuple(place(self.functions, state) for state in sample.states)
                calls.append(FunctionCall(sample.path, k, slice(used, used + len(sample.of)), places, sample.function))
                used += len(sample.of)
        return calling(reset, arguments, calls, self._x.shape[0] + len(self.plan.switches))

    def _native(self, build: Callable[[], ca.Function], lanes: int = 0, *, apart: bool = False) -> Native:
        """Machine code of one of these functions; it is built only if its machine code is not on disk."""
        plan = replace(self.plan, sampled=tuple(replace(one, function=None) for one in self.plan.sampled))
        outputs = json.dumps(plain_value(self.functions.system.model.outputs))  # conditions may name them
        return self.functions.native(build, build.__name__, repr(plan), outputs, lanes=lanes, apart=apart)

    @property
    def fired(self) -> int:
        """Number of the entries of `fired`: conditions, switchings and samples."""
        switched = sum(switch.crossings for switch in self.plan.switches)
        return self.plan.kept + switched + len(self.plan.sampled)

    @property
    def _held(self) -> tuple[Number, Number]:
        """Symbols of what has fired and of solutions of the complementarity problems."""
        problems, size = self.unknowns
        return ca.SX.sym("fired", self.fired), ca.SX.sym("y", problems * size)

    def _modes(self, fired: Number) -> list[Number]:
        """The mode after the switchings that have fired."""
        found, k = [], 0
        for switch in self.plan.switches:
            m, g, out = self._lookup(switch.name), self._value(switch.condition), fired[k]
            if switch.kind == "floor":
                up = ca.fmax(ca.floor(g), m + 1)
                found.append(ca.if_else(out > 0, ca.fmin(ca.floor(g), m - 1), ca.if_else(fired[k + 1] > 0, up, m)))
            elif switch.kind == "sign":
                found.append(ca.if_else(out > 0, ca.sign(g), m))
            else:
                found.append(ca.if_else(out > 0, -m, m))
            k += switch.crossings
        return found

    def _invariants(self) -> list[Number]:
        """Functions that are not negative as long as the mode lasts."""
        found = []
        for switch in self.plan.switches:
            m, g = self._lookup(switch.name), self._value(switch.condition)
            if switch.kind == "floor":
                found += [g - m, m + 1 - g]
            elif switch.kind == "sign":
                found.append(ca.if_else(m == 0, -ca.fabs(g), m * g))
            else:
                found.append(m * g)
        return found

    def _value(self, expression: ParsedExpression) -> Number:
        return ca.SX(evaluate_expression(expression, self._lookup, CASADI))

    def start(self) -> Number:
        """The mode (nm,) of the state, from the expressions as the user wrote them."""
        found = [ca.SX(0, 1)]
        for switch in self.plan.switches:
            g = self._value(switch.written)
            at = {"floor": ca.floor(g), "sign": ca.sign(g), "side": 2 * (g >= 0) - 1, "above": 2 * (g > 0) - 1}
            found.append(at[switch.kind])
        return ca.densify(ca.vertcat(*found))

    def _changes(self, target: str, number: Number) -> list[tuple[int, Number]]:
        """Places of the states that setting the `target` to a `number` changes, with their values."""
        if target in self.functions.system.state_names:
            return [(place(self.functions, target), number)]
        return [(place(self.functions, target + HELD), number), (place(self.functions, target + SET), ca.SX(1))]

    def user_conditions(self) -> list[Number]:
        """The conditions of the user events; those of t alone just after t, so that steps to their instants see them.

        A step ends before the instant by the margin of segments, and its stages know nothing of what follows.
        """
        s = self.functions.symbols.inputs
        found = [ca.SX(self._number(event.when, ("events", name, "when"))) for name, event in self.plan.events]
        after, others = s["t"] * (1 + 2 * GAP * EPSILON), ca.vertcat(self._x, s["u"])
        return [g if ca.depends_on(g, others) else ca.substitute(g, s["t"], after) for g in found]

    def conditions(self, found: Solved) -> Number:
        """The crossing functions (k,) where the equations of motion have the solution `found`."""
        of_contacts = contact_conditions(self.functions, found, self.plan.rest) if self.plan.contacts else []
        return ca.vertcat(*map(ca.SX, (*self.user_conditions(), *of_contacts, *self._invariants())))

    def _number(self, scalar: Scalar, path: tuple[str, ...]) -> Number:
        """Value of an expression that may contain outputs."""
        try:
            return evaluate(scalar, self._lookup)
        except ModelError as error:
            raise error.under(*path) from None

    def _lookup(self, name: str) -> Number:
        system = self.functions.system
        if name in (own := own_outputs(system.model)):
            return evaluate(own[name], self._lookup)
        return value(system.tree, self.functions.state.motion, name)

    @property
    def _x(self) -> Number:
        return self.functions.symbols.inputs["x"]

    @property
    def _arguments(self) -> list[Number]:
        s = self.functions.symbols.inputs
        return [s["t"], self._x, s["u"], s["p"]]


def events_of(functions: SystemFunctions, plan: Plan, ticks: np.ndarray | None, first: int) -> Events | None:
    """The events of a problem, None if there are none."""
    if plan.is_empty:
        return None
    crossings, complementarity, reset, arguments = event_functions(functions, plan)
    of_contacts = contact_directions(functions) if plan.contacts else []
    switched = sum(switch.crossings for switch in plan.switches)
    kept = [NOTED if event.is_note else 1 for _, event in plan.events] + [1] * (plan.kept - len(plan.events))
    return Events(
        crossings=crossings,
        directions=[*(DIRECTIONS[event.direction] for _, event in plan.events), *of_contacts, *[INVARIANT] * switched],
        kept=kept + [0] * switched,
        mode=(first, len(plan.switches)),
        complementarity=complementarity,
        unknowns=Impacts.unknowns(functions),
        reset=reset if arguments is None else EventFunctions(functions, plan).with_calls(reset, arguments),
        returns_events=True,
        ticks=ticks,
    )


def crossing_function(arguments: Sequence[Number], dx: Number, g: Number, rate: Number) -> ca.Function:
    """The function (t, x, u, p, s, ẋ) → (g, dg/dt, how near) of crossing functions g.

    The last number is positive, or NaN, unless all functions are far from zero, |ġ| ≤ s g; s is the sign of each over
    the step that counts.
    """
    s = ca.SX.sym("s", g.shape[0])
    k, speed = g.shape[0], ca.fabs(rate)
    near = speed - s * g if k == 1 else k - ca.sum1(speed <= s * g)
    return ca.Function("crossings", [*arguments, s, dx], [g, rate, ca.densify(near)])


@lru_cache(maxsize=64)
def event_functions(
    functions: SystemFunctions, plan: Plan
) -> tuple[Native | None, Native | None, Native, Native | None]:
    """Crossing functions, complementarity problems, reset, and the arguments of Python functions, where there are.

    A second call returns the same machine code.
    """
    of_events = EventFunctions(functions, plan)
    crossings = of_events.crossings() if plan.has_crossings else None
    return crossings, of_events.complementarity(), of_events.reset(), of_events.arguments() if plan.calls else None
