"""A step of a motion in C, added to the functions `rate`, `velocity` and `project` of a machine; it takes no memory.

    int NAME_step(NAME_state *state, const double *u, const double *p, double dt)

The texts in the folder `parts` are C in which names begin with `model_` and `MODEL_`; they get the name of the machine.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import numpy as np

from cardan.codegen.targets.source import WIDTH, Addition, Routine, joined, operation_count

Stepper = Literal["rk4", "semi_implicit_euler", "tsit5"]

PROJECTIONS = 5
"""Newton steps of a projection: each doubles the digits, and 1e-1, 1e-2, 1e-4, 1e-8, 1e-16 is below its tolerance."""
_FOLDER = Path(__file__).parent / "parts"
_LIBRARY = re.compile(
    r"\b(acosh?|asinh?|atan2|atanh?|ceil|cosh?|exp|expm1|fabs|floor|fmax|fmin|fmod|hypot|log|log1p|pow|sinh?|sqrt|tanh?)\("
)

_HEADER = """
/* A motion. The states x are in the order of the list above; they may be changed between steps. */
typedef struct {
    double t; /* time [s] */
    double x[MODEL_NX];ADAPTIVE
} model_state;

enum {
    MODEL_CONSTRAINTS_LOST = 1, /* no closed position is near: the step is too long, or leads to a singular one */
    MODEL_NOT_FINITE = 2, /* the step is too long, or a force is not defined */
    MODEL_TOO_MANY_STEPS = 3 /* the tolerance is too small, or the motion too stiff */
};

/* The start: that of a run, at t = 0. */
void model_init(model_state *state);

/*
 * A step of the method METHOD from state->t over dt [s], with inputs u that stay as they are;
 * 0, or what is wrong, and the state is WHERE.
 * WORK
 */
int model_step(model_state *state, const double *u, const double *p, double dt);"""

_ADAPTIVE = """
    double h; /* length of the next step within a call [s]; 0: that of the call */
    double rtol, atol; /* tolerances of a step */"""


def stepper(
    name: str, method: Stepper, routines: Iterable[Routine], tableau: Mapping[str, np.ndarray], words: str
) -> Addition:
    """The step; the tableau of an explicit method has A, c and, with an error estimate, E."""
    adaptive = "E" in tableau
    projects = any(routine.name == "project" for routine in routines)
    texts = [stepper_constants(tableau), part("projection") if projects else _UNCONSTRAINED]
    texts += [part("explicit" if tableau else "semi_implicit_euler")]
    more = "\n    state->h = 0.0;\n    state->rtol = 1e-8;\n    state->atol = 1e-10;" if adaptive else ""
    texts += [part("adaptive"), part("adaptive_step")] if adaptive else [part("fixed_step")]
    texts += [part("init").replace("t = 0.0;", f"t = 0.0;{more}")]
    header = _HEADER.replace("ADAPTIVE", _ADAPTIVE if adaptive else "").replace("METHOD", method)
    header = header.replace("WHERE", "that of the last good step" if adaptive else "unchanged").replace("WORK", words)
    return Addition(named(header, name), named("".join(texts), name))


def part(file: str) -> str:
    """One of the texts."""
    return (_FOLDER / f"{file}.c").read_text(encoding="utf-8")


def named(text: str, name: str) -> str:
    """A text with the name of the machine in place of `model` at the start of names."""
    return re.sub(r"\bMODEL_", f"{name.upper()}_", re.sub(r"\bmodel_", f"{name}_", text))


def library_functions(code: str) -> list[str]:
    """Functions of <math.h> that a text in C calls."""
    return sorted(set(_LIBRARY.findall(code)))


_UNCONSTRAINED = "\n#define model_settled(t, x, u, p) 0 /* nothing holds the state */\n"


def stepper_constants(tableau: Mapping[str, np.ndarray]) -> str:
    """The numbers of a method."""
    stages = tableau["c"].size if tableau else 1
    lines = [f"#define MODEL_PROJECTIONS {PROJECTIONS}", f"#define MODEL_STAGES {stages}"]
    for name, values in tableau.items():
        rows = [joined("{", map(repr, row), "}", WIDTH) for row in np.atleast_2d(values).tolist()]
        lines += [f"static const double model_{name}[{len(rows)}][{values.shape[-1]}] = {{", ",\n".join(rows), "};"]
    return "\n" + "\n".join(lines) + "\n"


def work(routines: Iterable[Routine], tableau: Mapping[str, np.ndarray], nx: int, nq: int) -> Counter[str]:
    """Most floating-point operations of a step, of each sort; of an adaptive method those of one attempt."""
    each = {routine.name: Counter(operation_count(routine.program)) for routine in routines}
    stages, rows = (tableau["c"].size, len(tableau["A"])) if tableau else (1, 0)
    total = Counter[str]()
    for name, times in (("rate", stages), ("velocity", 1), ("project", PROJECTIONS)):
        for sort, count in each.get(name, Counter()).items():
            total[sort] += times * count
    sums = nx * rows * (rows - 1) // 2 + nx * rows if tableau else nx + nq  # products and sums of the stages
    error = nx * (stages + 4) if "E" in tableau else nx  # of the estimate, or the test that the end is finite
    total["add"] += sums + error + 3 * stages
    total["multiply"] += sums + error + stages
    total["divide"] += nx + 2 if "E" in tableau else 0
    total["square root"] += 3 if "E" in tableau else 0
    total["total"] = sum(count for sort, count in total.items() if sort != "total")
    return +total


def in_words(counts: Mapping[str, int]) -> str:
    """Numbers of operations as text."""
    parts = ", ".join(f"{count} {sort}" for sort, count in counts.items() if sort != "total")
    return f"{counts['total']} floating-point operations ({parts})"
