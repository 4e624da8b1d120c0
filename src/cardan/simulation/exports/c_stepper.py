"""A step of a model's motion in C: the functions it calls, its text, and how much it computes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from cardan.codegen.targets.c_source import c_files
from cardan.codegen.targets.c_stepper import Stepper, in_words, library_functions, stepper, work
from cardan.codegen.targets.source import Source
from cardan.errors import Issue, ModelError, nearest
from cardan.integration.tableaus import rk4, tsit5
from cardan.model.model import Model
from cardan.settings import Motors
from cardan.simulation.exports.motion_source import motion_source, moving_routines
from cardan.simulation.setup import Setup, prepare


def stepper_source(model: Model, name: str, method: str, motors: Motors | None) -> tuple[Source, str]:
    """The source of a step by a method, and how much it computes in words."""
    if method not in get_args(Stepper):
        raise ModelError(f"there is no stepper {method!r}", nearest(method, get_args(Stepper)))
    setup = exported_setup(model, motors)
    _refuse_events(setup)
    tableau, functions = tableau_of(method), setup.task.functions
    names = ["rate", *([] if tableau else ["velocity"]), *(["project"] if functions.drifts else [])]
    source = motion_source(setup, name, moving_routines(functions, names))
    counted = in_words(work(source.routines, tableau, functions.system.nx, functions.system.tree.nq))
    words = f"{'each attempted step' if 'E' in tableau else 'a step'} takes at most {counted}"
    whole = replace(source, addition=stepper(name, method, source.routines, tableau, words))  # type: ignore[arg-type]
    called = ", ".join(library_functions(c_files(whole)[".c"])) or "none"
    return replace(whole, about=(*source.about, f"functions of <math.h>: {called}")), words


def exported_setup(model: Model, motors: Motors | None, inputs: Mapping[str, Any] | None = None) -> Setup:
    """The model ready to run in all its coordinates, until the end that it names or for one second.

    With a fixed step, segments of a run end at jumps alone, and not where expressions of the time turn.
    """
    for name in model.programs:
        cure = "export without it, and connect both where the export runs"
        raise ModelError(Issue("an exported model calls no other FMU", cure, ("controllers", name)))
    until = model.simulate.until if model.simulate.until is not None else 1.0
    return prepare(model, until, motors=motors, inputs=inputs, embed=False, method="rk4", step=1e-3)


def tableau_of(method: str) -> Mapping[str, np.ndarray]:
    """Numbers of an explicit method: A with the weights of the end in its last row, c, and E of an error estimate."""
    if method == "semi_implicit_euler":
        return {}
    known = rk4() if method == "rk4" else tsit5()
    stages = known.last + known.error_uses_last
    found = {"A": known.A[: known.last + 1, :stages], "c": known.c[:stages]}
    return found if known.controller is None else found | {"E": known.E[0, :stages]}


def _refuse_events(setup: Setup) -> None:
    """Refuse what happens at instants within a step: a step in C has a fixed amount of work, and no events."""
    plan = setup.task.plan
    acting = [("events", name) for name, event in plan.events if event.do != "record"]
    if plan.sampled:
        fault, cure = (
            "a step in C samples no controllers",
            "export them with --function controllers, call both, and give their inputs as numbers",
        )
        raise ModelError(Issue(fault, cure, plan.sampled[0].path))
    if plan.contacts:
        name, did = plan.contacts[0]
        raise ModelError(
            f"a step in C has no events, and {name!r} {did}", "export an FMU (--to fmu), which locates them"
        )
    if acting:
        raise ModelError(Issue("a step in C has no events", "export an FMU (--to fmu), which locates them", acting[0]))
