"""The sampled controllers of a model as one function of a step: held values and measurements → new ones, outputs.

Which controllers these are does not matter: the function is made of the states with a next value and of the sampled
inputs, as which they are written out. What their laws name beside these, parameters and the time is measured.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cached_property
from math import lcm

import casadi as ca

from cardan.codegen.targets.source import Argument, Listing, Routine, Stepping
from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.kinematics.motion import Motion, motion
from cardan.kinematics.own_efforts import own_effort
from cardan.kinematics.relations.around import evaluate
from cardan.kinematics.tree import Number
from cardan.model.expressions.grammar import Call
from cardan.model.model import Model
from cardan.model.names import Names, efforts, user_states
from cardan.model.quantities.lets import needed, reached
from cardan.model.quantities.own_effort import OWN_EFFORT
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.model.sampled.delays import LONGEST, Delays
from cardan.model.sampled.held import Held, HeldSample, hold
from cardan.numerics.round_off import SIX_DIGITS
from cardan.system.system import System

CONTROLLERS = "controllers"
"""Name of the function."""
_WORDS = (
    "What the sampled controllers hold after a step, and their outputs. Steps are made at t = 0, one period, two "
    "periods, ..., each with what is measured then."
)
_MEANINGS = {
    "step": "number of the step, from 0",
    "held": "held values before it",
    "measured": "what is measured at this instant",
    "p": "parameters",
    "held_next": "held values after it",
    "outputs": "outputs until the next step",
}


def controllers(
    system: System, starts: Callable[[], Mapping[str, float]]
) -> tuple[Routine, tuple[Listing, ...], Stepping]:
    """The function, the entries of its arrays, and when its steps are made; `starts` returns first held values."""
    model, values = system.model, resolve(system.model.parameters)
    _check_events(model)
    signals = {name: model.inputs[name] for name in system.input_names if name in model.inputs}
    held = hold(*Delays(values).of(model, signals))
    laws = {name: (sample, law) for sample in held.sampled for name, law in zip(sample.states, sample.of, strict=True)}
    results = _results(held, laws)
    period, counts = _periods([sample.period(values, model.parameters) for sample, _ in laws.values()])
    every = {name: (law, count) for (name, (_, law)), count in zip(laws.items(), counts, strict=True)}
    inputs, outputs, measured = _step(system, held.model.let, every, results, period)
    function = ca.Function(CONTROLLERS, [*inputs.values()], [*outputs.values()], [*inputs], [*outputs])
    given, made = (
        tuple(Argument(key, () if key == "step" else (one.shape[0],), _MEANINGS[key], key) for key, one in each.items())
        for each in (inputs, outputs)
    )
    routine = Routine.of(CONTROLLERS, _WORDS, function, given, made)
    return routine, _listings(held, laws, starts(), measured, tuple(results)), Stepping(CONTROLLERS, period)


def _step(
    system: System,
    lets: Mapping[str, Scalar],
    laws: Mapping[str, tuple[Scalar, int]],
    results: Mapping[str, Scalar],
    period: float,
) -> tuple[dict[str, Number], dict[str, Number], tuple[str, ...]]:
    """Symbols of the inputs, expressions of the outputs, and names of what is measured.

    Each of the `laws` counts at multiples of so many steps.
    """
    step, x, tree = ca.SX.sym("step"), ca.SX.sym("held", len(laws)), system.tree
    known = dict(zip(tree.parameters, ca.vertsplit(tree.p), strict=True)) | {"t": period * step, "pi": ca.DM(ca.pi)}
    old = dict(zip(laws, ca.vertsplit(x), strict=True))
    before, new = _Values(system, lets, {**known, **old}, {}), {}
    for name, (law, count) in laws.items():
        value = ca.SX(evaluate(law, before))
        new[name] = value if count == 1 else ca.if_else(ca.fmod(step, count) == 0, value, old[name])
    after = _Values(system, lets, {**known, **new}, {})
    y = ca.vertcat(*(ca.SX(evaluate(law, after)) for law in results.values()))
    outputs = {"held_next": ca.vertcat(*new.values()), "outputs": y}
    measured = {name: one for name, one in before.measured.items() if ca.depends_on(outputs["held_next"], one)}
    inputs = {"step": step, "measured": ca.vertcat(ca.SX(0, 1), *measured.values()), "held": x}
    return inputs | ({"p": tree.p} if tree.parameters else {}), outputs, tuple(measured)


@dataclass
class _Values:
    """Values of names: those known, those of `let`, and of all others symbols, which are measured."""

    system: System
    lets: Mapping[str, Scalar]
    known: dict[str, Number]
    measured: dict[str, Number]

    def __call__(self, name: str) -> Number:
        for part in needed([name], self.lets, self.known):
            law = self.lets[part].expression
            if isinstance(law, Call) and law.operation == OWN_EFFORT:
                self.known[part] = own_effort(self.system.tree, self._motion, law, self)
            else:
                self.known[part] = evaluate(self.lets[part], self)
        if name in self.known:
            return self.known[name]
        place = self.system.places.get(name)
        called = name if place is None else self.system.state_names[place]  # as results are called
        return self.measured.setdefault(called, ca.SX.sym(called))

    @cached_property
    def _motion(self) -> Motion:
        """The measured state of motion."""
        tree = self.system.tree
        x = [self(name) for name in self.system.state_names[: tree.nq + tree.nv]]
        return motion(tree, ca.vertcat(*x[: tree.nq]), ca.vertcat(*x[tree.nq :]))


def _check_events(model: Model) -> None:
    """Refuse events that change inputs or what controllers hold."""
    continuous = {name for name, equation in model.states.items() if equation.next is None}
    for name, event in model.events.items():
        for target in () if isinstance(event.do, str) else event.do.set:
            if target not in continuous:
                fault = f"the event sets {target!r}, and exported controllers have no events"
                raise ModelError(Issue(fault, "write it with if(…) in a sampled law", ("events", name)))


def _results(held: Held, laws: Mapping[str, object]) -> dict[str, Scalar]:
    """Inputs and outputs of the model that held values decide alone."""

    def of(scalar: Scalar) -> tuple[bool, list[str]]:
        """Whether it follows held values, and what it follows beside these and parameters."""
        names = reached(scalar.names, held.model.let) - held.model.let.keys()
        return not names.isdisjoint(laws), sorted(names - laws.keys() - held.model.parameters.keys() - {"pi"})

    found = {}
    for name, signal in held.signals.items():
        if not isinstance(signal, Scalar):
            continue
        follows, others = of(signal)
        if others and (follows or others != ["t"]):
            fault = f"the input follows {others[0]!r} also between samples"
            cure = "give its controller a period, every: 1 ms, or write {every: …, value: …}"
            raise ModelError(Issue(fault, cure, ("inputs", name)))
        if follows:
            found[name] = signal
    if not laws:
        raise ModelError("the model has no sampled controllers to export", "give them a period, every: 1 ms")
    found |= {name: x for name, x in held.model.outputs.items() if name not in found and of(x) == (True, [])}
    if not found:
        raise ModelError("no input and no output follows sampled values alone", "add outputs: {u: integral}")
    return found


def _periods(periods: list[float]) -> tuple[float, list[int]]:
    """The largest period [s] of which all are multiples, and which multiples they are."""
    least = min(periods)
    ratios = [Fraction(period / least).limit_denominator(LONGEST) for period in periods]
    for period, ratio in zip(periods, ratios, strict=True):
        if abs(float(ratio) * least - period) > SIX_DIGITS * period:
            fault = f"the periods {least:g} s and {period:g} s are no multiples of one period"
            raise ModelError(Issue(fault, "give periods such as 1 ms and 5 ms", ("controllers",)))
    parts = lcm(*(ratio.denominator for ratio in ratios))
    return least / parts, [int(ratio * parts) for ratio in ratios]


def _listings(
    held: Held,
    laws: Mapping[str, tuple[HeldSample, Scalar]],
    starts: Mapping[str, float],
    measured: tuple[str, ...],
    results: tuple[str, ...],
) -> tuple[Listing, ...]:
    model = held.model
    states, names = user_states(model), Names(model)
    of_inputs = efforts(model.joints) | {name: motor.input_unit for name, motor in model.motors.items()}
    begins = tuple(starts.get(name, 0.0) for name in laws)

    def units(all_names: tuple[str, ...], known: Callable[[str], str | None]) -> tuple[str, ...]:
        return tuple(known(name) or "SI" for name in all_names)

    return (
        Listing(
            "held", "held values, and what they are before the first step", tuple(laws), units(tuple(laws), states.get),
            begins, tuple(f"every {sample.every}" for sample, _ in laws.values()),
        ),
        Listing("measured", "what is measured at each step", measured, units(measured, names.solved.get)),
        Listing("outputs", "outputs of the controllers", results, units(results, {**names.results, **of_inputs}.get)),
    )  # fmt: skip
