"""A controller or an actuator that is a program of its own: a functional mock-up unit, which makes a step each period.

Source: FMI 2.0.4 and 3.0.1, co-simulation
"""

from typing import Any, Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.controllers.controller import ControlLaw
from cardan.model.quantities.fields import Anything, Rate
from cardan.model.records.section import PathSection
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import text_of


class Fmu(ControlLaw):
    """A functional mock-up unit; its results are `name.output`."""

    type: Literal["fmu"] = "fmu"
    file: str  # NAME.fmu
    inputs: PathSection[Rate] = PathSection()  # its inputs, in its own unit each, by the names of its variables
    outputs: PathSection[str] = PathSection()  # its variables by the names that their values get here
    parameters: PathSection[Anything] = PathSection()  # values of its parameters, by the names of its variables

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.every is None:
            raise ModelError(Issue("the key 'every' is missing", 'give the period of its steps, such as "1 ms"'))
        if self.computing_delay is not None:
            raise ModelError(Issue("the unit computes its delay itself", "leave it out", ("computing_delay",)))
        if not self.outputs or (self.drive is not None and len(self.outputs) > 1):
            fault = "a drive has one input" if self.outputs else "the unit gives nothing"
            cure = "leave drive out, and name its results in inputs" if self.outputs else "write outputs: {u: variable}"
            raise ModelError(Issue(f"{fault}, and outputs names {len(self.outputs)} variables", cure, ("outputs",)))
        return self

    def write(self, name: str, sections: Sections) -> None:
        assert self.every is not None
        taken, given = dict[str, Any](), dict[str, Any]()
        for variable, law in self.inputs.items():
            taken[variable] = f"{name}.{variable}"
            sections.put("let", f"{name}.{variable}", text_of(law))
        for key, variable in self.outputs.items():
            state = f"{name}.{key}"
            given[state] = variable
            sections.put("states", state, {"next": state, "every": self.every.source})
        program = {"file": self.file, "every": self.every.source, "inputs": taken, "outputs": given}
        parameters = {variable: value.source for variable, value in self.parameters.items()}
        sections.put("programs", name, {**program, **({"parameters": parameters} if parameters else {})})
        if self.drive is not None:
            sections.put("inputs", self.drive, next(iter(given)))
