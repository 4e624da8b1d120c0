"""C target: controllers as a struct of what they hold, with functions that begin it and make a step."""

from cardan.codegen.targets.source import WIDTH, Source, joined

_HEADER = """
/* What the controllers hold: one struct for each machine. */
typedef struct {{
    double held[{size}];
    double step; /* number of the next step */
}} {own}_state;

/* Time from step to step [s]. */
extern const double {own}_period;

/* Before the first step. */
void {own}_init({own}_state *state);

/* A step: from what is measured now to the outputs until the next one. */
{head};"""

_CODE = """
const double {own}_period = {period!r};

void {own}_init({own}_state *state)
{{
    int i;
    for (i = 0; i < {size}; i++) {{
        state->held[i] = {name}_held_default[i];
    }}
    state->step = 0.0;
}}

{head}
{{
    double next[{size}];
    int i;
    {own}({given});
    for (i = 0; i < {size}; i++) {{
        state->held[i] = next[i];
    }}
    state->step += 1.0;
}}"""


def step_header(source: Source) -> list[str]:
    """Declarations."""
    return _written(_HEADER, source)


def step_code(source: Source) -> list[str]:
    """Definitions."""
    return _written(_CODE, source)


def _written(text: str, source: Source) -> list[str]:
    if source.stepping is None:
        return []
    own, size = f"{source.name}_{source.stepping.routine}", f"{source.name.upper()}_NHELD"
    routine = next(one for one in source.routines if one.name == source.stepping.routine)
    p = ["p"] if any(one.name == "p" for one in routine.inputs) else []
    arguments = [f"{own}_state *state", *(f"const double *{each}" for each in ("measured", *p)), "double *outputs"]
    head = joined(f"void {own}_step(", arguments, ")", WIDTH)
    given = ", ".join(["state->step", "measured", "state->held", *p, "next", "outputs"])
    period = source.stepping.period
    return [text.format(own=own, size=size, name=source.name, period=period, head=head, given=given)]
