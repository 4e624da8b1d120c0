"""Where something switches with time: expressions that t may switch, breaks of motions, samples."""

from collections.abc import Mapping, Sequence

import numpy as np

from cardan.errors import Issue, ModelError
from cardan.frozen import dataclass
from cardan.model.expressions.grammar import Constant, ParsedExpression
from cardan.model.expressions.timed import Definitions, known_names
from cardan.model.model import Model
from cardan.model.quantities.lets import needed
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.element import Element
from cardan.model.records.walk import scalars
from cardan.model.sampled.held import Held, HeldSample
from cardan.simulation.hybrid.timed_events import impossible_events, timed_events
from cardan.simulation.instants import INSTANT, whole_motion
from cardan.simulation.motions.smooth import check_smooth
from cardan.system.input_segments import Segments, Signal, segments, varies
from cardan.system.system import System
from cardan.system.timing import MOST_INSTANTS, Timing, find_instants


@dataclass(frozen=True, eq=False)
class Switchings:
    """Where inputs, motions and laws switch, jump or are sampled in a run."""

    segments: Segments  # the inputs over time, in pieces between these instants
    whole: np.ndarray  # instants that show the whole motion, with both sides of jumps [s]
    ticks: np.ndarray | None  # (S, r) samples at the starts of the segments
    notices: tuple[str, ...]  # texts of warnings


def switchings(held: Held, system: System, values: Mapping[str, float], end: float, *, turning: bool) -> Switchings:
    """The switchings of a run that ends at `end` [s]; `turning`: also instants at which expressions turn."""
    model, signals = held.model, held.signals
    names, span = expression_names(model, values), end or INSTANT  # the inputs of a run that is one instant
    timed = timed_expressions(model, signals, values) + timed_events(model.events, names)
    rests = any(block.sticks for block in system.frictions) or bool(system.stops)
    timing = find_instants(timed, span, values, names, turning=turning, resting=rests)
    breaks = motion_breaks(model, values, span)
    if system.tree.motions:
        check_smooth(system.tree, np.array(list(values.values())), np.concatenate([breaks, timing.instants]))
    samples = sample_instants(held.sampled, span, values, model.parameters)
    pieces = segments(signals, span, values, np.concatenate([breaks, timing.instants, *samples]))
    ticks = ticks_of(samples, pieces.a)
    held_jumps = ticks[1:].any(axis=1)  # a run returns both states at a sample
    at_end = [end] if system.tree.motions or end in timing.instants else []
    whole = whole_motion(end, np.concatenate([pieces.a[1:][~held_jumps], at_end]))
    impossible = impossible_events(model.events, names, values, span)
    return Switchings(pieces, whole, ticks if samples else None, (*_too_many_switchings(timing, end), *impossible))


def _too_many_switchings(timing: Timing, end: float) -> tuple[str, ...]:
    """The warning about expressions that switch too often for every switching to end a step; empty without any."""
    if not timing.too_many:
        return ()
    text = f"may switch or turn at more than {MOST_INSTANTS:,} instants within {end:g} s; steps do not end at these"
    cure = "shorten the run, write its mean value, or set max_step to a fraction of the time between two of them"
    return (f"{', '.join(timing.too_many)} {text}; {cure}",)


def timed_expressions(
    model: Model, signals: Mapping[str, Signal], values: Mapping[str, float]
) -> list[tuple[str, ParsedExpression]]:
    """Expressions in which t may switch something, each with a name for messages."""
    found = [(f"input {name!r}", scalar) for name, scalar in moving_inputs(signals, values)]
    for kind, section in (("force", model.forces), ("constraint", model.constraints)):
        found += [(f"{kind} {name!r}", scalar) for name, record in section.items() for scalar in _scalars(record)]
    found += [(f"motion {name!r}", s) for name, motion in model.motions.items() for _, s in scalars(motion)]
    for kind, laws in (("joint", model.joints), ("constraint", model.constraints)):
        rough = [(name, one.friction.moving(values)) for name, one in laws.items() if one.friction is not None]
        found += [(f"friction of {kind} {name!r}", scalar) for name, own in rough for scalar in own.values()]
    found += [(f"state {name!r}", equation.rate) for name, equation in model.states.items()]
    found += [(f"graph {name!r}", scalar) for name, graph in model.graphs.items() for _, scalar in scalars(graph)]
    found += [(f"let {name!r}", scalar) for name, scalar in model.let.items()]
    return [(name, scalar.expression) for name, scalar in found if scalar.expression is not None]


def expression_names(model: Model, values: Mapping[str, float]) -> Definitions:
    """Definitions of the names in expressions of a `model`, with the `values` of its parameters."""
    lets = [(name, model.let[name]) for name in needed(model.let, model.let)]
    return known_names(values, [(name, x.expression or Constant(float(x.value or 0.0))) for name, x in lets])


def motion_breaks(model: Model, values: Mapping[str, float], until: float) -> list[float]:
    """Instants up to `until` [s] at which a derivative of a prescribed motion jumps."""
    return [t for motion in model.motions.values() for t in motion.breaks(lambda scalar: scalar.number(values), until)]


def moving_inputs(signals: Mapping[str, Signal], values: Mapping[str, float]) -> tuple[tuple[str, Scalar], ...]:
    """Names and expressions of the inputs that depend on t or on the state."""
    return tuple((name, s) for name, s in signals.items() if isinstance(s, Scalar) and varies(s, values))


def _scalars(record: Element) -> list[Scalar]:
    """All scalars of a force law or a constraint."""
    found: list[Scalar] = []

    def keep(scalar: Scalar) -> Scalar:
        found.append(scalar)
        return scalar

    record.resolved(keep)
    return found


def sample_instants(
    sampled: Sequence[HeldSample], until: float, values: Mapping[str, float], parameters: Mapping[str, Scalar]
) -> list[np.ndarray]:
    """Multiples of the period of each sampled law, from 0 past the end [s]."""
    found = []
    for law in sampled:
        path = (*law.path, "every")
        period = law.period(values, parameters)
        if until / period > MOST_INSTANTS:
            fault = f"a period of {period:g} s gives more than {MOST_INSTANTS:,} samples within {until:g} s"
            raise ModelError(Issue(fault, "give a longer one, or shorten the run", path))
        found.append(period * np.arange(int(until / period) + 2))
    return found


def ticks_of(instants: Sequence[np.ndarray], starts: np.ndarray) -> np.ndarray:
    """1 where a sample is made at the start of a segment (S,), else 0 (S, r).

    A segment starts at the last of the instants that are one up to round-off (`segments`): the next start is theirs.
    """
    ticks = np.zeros((starts.size + 1, len(instants)))
    for k, times in enumerate(instants):
        ticks[np.searchsorted(starts, times), k] = 1.0
    return ticks[:-1]
