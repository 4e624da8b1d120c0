"""Motions that a call gives, in place of those of the model or beside them."""

from collections.abc import Mapping, Set
from functools import lru_cache
from typing import Any

from cardan.errors import Issue, ModelError, nearest
from cardan.model.checks.arguments import check_named
from cardan.model.events.user_event import UserEvent
from cardan.model.initial import Guess, covered, read_initial
from cardan.model.model import Model
from cardan.model.motions import read_motion
from cardan.model.names import Names, carrying, closing_coordinates, coordinates, driven_joints


def with_motions(model: Model, motions: Mapping[str, Any] | None) -> Model:
    """The model with further motions; one of the same name replaces the model's, and None removes it.

    What the model's file gives for the driven joints and motors is left out: initial values, inputs, and what events
    set them to.
    """
    check_named("motions", motions)
    if not motions:
        return model
    return _with(model, tuple((name, _read(name, motion)) for name, motion in motions.items()))


@lru_cache(maxsize=64)
def _with(model: Model, motions: tuple[tuple[str, Any], ...]) -> Model:
    together = {name: motion for name, motion in {**model.motions, **dict(motions)}.items() if motion is not None}
    bare = model.unchecked(motions=together)
    driven = driven_joints(bare)
    idle = {name for name, motor in model.motors.items() if motor.joint in driven}
    known = coordinates(carrying(model))
    started = {
        *(f"{name}{end}" for name in together if name in known for end in ("", ".q", ".v")),
        *(f"{motor}.current" for motor in idle),
    }
    return model.replace(
        motions=together,
        inputs={name: signal for name, signal in model.inputs.items() if name not in idle and name not in driven},
        events={name: _without(event, idle | set(driven)) for name, event in model.events.items()},
        initial={name: value for name, value in model.initial.items() if name not in started},
    )


def _without(event: UserEvent, driven: Set[str]) -> UserEvent:
    """The event without what it sets driven inputs to; one that sets nothing else records its instant."""
    if isinstance(event.do, str):
        return event
    kept = {name: scalar for name, scalar in event.do.set.items() if name not in driven}
    return event.replace(do={"set": kept} if kept else "record") if len(kept) < len(event.do.set) else event


def shared(model: Model, realize: Any) -> Model:
    """The model with another way in which drives share the motions that have more of them than components."""
    if realize is None:
        return model
    names, out = Names(model), {}
    for name, motion in model.motions.items():
        target = names.target(name)
        spare = target is not None and len(motion.by or (name,)) > target.size
        out[name] = motion.replace(realize=realize) if spare else motion
    if all(out[name] is motion for name, motion in model.motions.items()):
        fault = "no motion has more drives than components, so there is nothing to share"
        raise ModelError(Issue(fault, "leave realize out, or name more joints in by:", ("motions",)))
    return model.replace(motions=out)


def guesses(model: Model, initial: Mapping[str, Any] | None) -> dict[str, Any]:
    """Initial coordinates of a model as guesses, those of a call in place of the model's; nothing else.

    Where motions prescribe every freedom, initial values only choose the branch of positions.
    """
    check_named("initial", initial)
    known = {**coordinates(carrying(model)), **closing_coordinates(model)}
    for name, value in (initial or {}).items():
        if not set(covered(name, value)) <= known.keys():
            cure = f"guesses are those of coordinates; {nearest(name, known)}"
            raise ModelError(Issue(f"there is no coordinate {name!r}", cure, ("initial", name)))
    found = {}
    for name, value in {**model.initial, **(initial or {})}.items():
        if not set(covered(name, value)) <= known.keys():
            continue
        entry = read_initial(value)
        found[name] = entry if isinstance(entry, Guess) else Guess(guess=entry)
    return found


def _read(name: str, motion: Any) -> Any:
    try:
        return None if motion is None else read_motion(motion)
    except ModelError as error:
        raise error.under("motions", name) from None
