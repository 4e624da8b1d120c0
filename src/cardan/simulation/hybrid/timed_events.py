"""User events whose condition depends on time alone: their instants are known before the run, and none is missed."""

from collections.abc import Mapping

from cardan.model.events import UserEvent
from cardan.model.expressions.grammar import Call, ParsedExpression
from cardan.model.expressions.timed import Definitions, is_timed
from cardan.system.timing import find_instants


def timed_events(events: Mapping[str, UserEvent], names: Definitions) -> list[tuple[str, ParsedExpression]]:
    """Expressions that switch where such an event happens, with words for messages."""
    found = ((name, event.when.expression) for name, event in events.items())
    return [(f"event {name!r}", Call("sign", (x,))) for name, x in found if x is not None and is_timed(x, names)]


def impossible_events(
    events: Mapping[str, UserEvent], names: Definitions, values: Mapping[str, float], until: float
) -> tuple[str, ...]:
    """Warnings about events of time that cannot happen in a run."""
    out = []
    acting = {name: event for name, event in events.items() if not event.is_note}
    for words, switch in timed_events(acting, names):
        timing = find_instants([(words, switch)], until, values, names, turning=False)
        if not timing.instants.size and not timing.too_many:
            out.append(f"the {words} cannot happen: its condition passes no zero between 0 and {until:g} s")
    return tuple(out)
