"""Functional mock-up units that run beside a mechanism: at each sample one makes the step that ends there.

Source: FMI 2.0.4 and 3.0.1, co-simulation. Library: FMPy
"""

import shutil
import threading
import weakref
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from cardan.errors import Issue, ModelError, SolveError, nearest, within
from cardan.model.checks.arguments import number
from cardan.model.model import Model
from cardan.model.quantities.scalar import Scalar
from cardan.model.sampled.functions import SampledFunction
from cardan.model.sampled.program import UnitProgram

_INSTALL = "pip install fmpy"


def programs_of(model: Model, values: Mapping[str, float], *, trust: bool) -> dict[str, SampledFunction]:
    """The functions that make the steps of the model's programs, by their names; refused unless the caller trusts."""
    if model.programs and not trust:
        name, program = next(iter(model.programs.items()))
        fault = f"{program.file} is a program, which can do whatever you can"
        raise ModelError(Issue(fault, "if you know where it comes from, give trust=True", ("programs", name)))
    laws = {name: _function(name, program, values) for name, program in model.programs.items()}
    for name, program in model.programs.items():
        laws[name].check(model, ("programs", name))
        for state in program.outputs:
            if state not in model.states:
                cure = "write the unit as a controller of type fmu, which brings its states"
                raise ModelError(Issue(f"there is no state {state!r}", cure, ("programs", name, "outputs", state)))
    return laws


def _function(name: str, program: UnitProgram, values: Mapping[str, float]) -> SampledFunction:
    path = ("programs", name)
    parameters = {
        variable: number(value, values, (*path, "parameters", variable))
        for variable, value in program.parameters.items()
    }
    with within(*path):
        unit = MockupUnit(program.file, tuple(program.inputs), tuple(program.outputs.values()), parameters)
    return SampledFunction(program.every, (Scalar.read("t"), *program.inputs.values()), unit)


class MockupUnit:
    """A functional mock-up unit; each thread has an instance of its own, and each run begins it anew.

    A call takes t and the values of `inputs`, and returns those of `outputs` [SI].
    """

    def __init__(
        self, file: str, inputs: Sequence[str], outputs: Sequence[str], parameters: Mapping[str, float]
    ) -> None:
        try:
            import fmpy
            from fmpy.fmi1 import FMICallException
            from fmpy.simulation import instantiate_fmu
        except ImportError:
            raise ModelError("functional mock-up units need FMPy", _INSTALL) from None
        if not Path(file).is_file():
            raise ModelError(Issue(f"there is no file {file}", "put it beside the model file", ("file",)))
        self._instantiate, self._failure = instantiate_fmu, FMICallException
        try:
            self._folder = mkdtemp(prefix="cardan-fmu-")
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
            fmpy.extract(file, self._folder)
            self._described = fmpy.read_model_description(self._folder)
        except Exception as error:  # a broken archive or description ends in errors of many kinds
            fault = f"{file} cannot be read: {str(error)[:200]}"
            raise ModelError(Issue(fault, "export it again from the tool that made it", ("file",))) from None
        self._check(file, fmpy.platform_tuple if self._is_new else fmpy.platform)
        self._inputs = [self._variable("inputs", name, "input") for name in inputs]
        self._outputs = [self._variable("outputs", name, "output") for name in outputs]
        self._parameters = [self._variable("parameters", name, "parameter") for name in parameters]
        self._given = list(parameters.values())
        self._running = threading.local()

    @cached_property
    def _is_new(self) -> bool:
        return bool(self._described.fmiVersion.startswith("3"))

    def _check(self, file: str, platform: str) -> None:
        """Refuse what cannot make steps here."""
        if self._described.fmiVersion.startswith("1") or self._described.coSimulation is None:
            fault = f"{file} is FMI {self._described.fmiVersion} without co-simulation of FMI 2.0 or 3.0"
            raise ModelError(Issue(fault, "export it for co-simulation", ("file",)))
        if not (Path(self._folder) / "binaries" / platform).is_dir():
            raise ModelError(Issue(f"{file} has no binary for {platform}", "export it for this system", ("file",)))

    def _variable(self, section: str, name: str, causality: str) -> tuple[int, float]:
        """The reference of a variable, and the size of its unit in SI."""
        real = "Float64" if self._is_new else "Real"
        known = {x.name: x for x in self._described.modelVariables}
        reals = [key for key, x in known.items() if (x.type, bool(x.dimensions)) == (real, False)]
        named = [key for key in reals if known[key].causality == causality]
        if name not in (reals if causality == "output" else named):
            fault = f"the unit has no {causality} {name!r} that is a single real number"
            raise ModelError(Issue(fault, nearest(name, named), (section, name)))
        return known[name].valueReference, _size(known[name].unit)

    def __call__(self, t: float, *values: float) -> list[float]:
        """Make the step that ends at t, in which the inputs have these values; at the start of a run there is none."""
        try:
            return self._after_step(t, values)
        except self._failure as error:
            fault = f"the functional mock-up unit fails at t = {t:.6g} s: {error}"
            raise SolveError(f"{fault} Look at what it reports") from None

    def _after_step(self, t: float, values: Sequence[float]) -> list[float]:
        """The outputs after the step that ends at t."""
        last = getattr(self._running, "t", None)
        if last is None or t <= last:
            self._begin(t, values)
        else:
            self._set(self._inputs, values)
            self._do_step(last, t - last)
        self._running.t = t
        references = [reference for reference, _ in self._outputs]
        found = self._instance.getFloat64(references) if self._is_new else self._instance.getReal(references)
        return [value * size for value, (_, size) in zip(found, self._outputs, strict=True)]

    @property
    def _instance(self) -> Any:
        return self._running.instance

    def _begin(self, t: float, values: Sequence[float]) -> None:
        """Begin a run."""
        old = self._running.__dict__.pop("instance", None)
        if old is not None:
            old.terminate()
            old.freeInstance()
        unit = self._instantiate(self._folder, self._described, "CoSimulation")
        self._running.instance = unit
        self._set(self._parameters, self._given)
        if self._is_new:
            unit.enterInitializationMode(startTime=t)
        else:
            unit.setupExperiment(startTime=t)
            unit.enterInitializationMode()
        self._set(self._inputs, values)
        unit.exitInitializationMode()

    def _set(self, variables: Sequence[tuple[int, float]], values: Sequence[float]) -> None:
        if not variables:
            return
        own = [value / size for value, (_, size) in zip(values, variables, strict=True)]
        references = [reference for reference, _ in variables]
        (self._instance.setFloat64 if self._is_new else self._instance.setReal)(references, own)

    def _do_step(self, t: float, h: float) -> None:
        """Make a step; a unit that ends before its end ends the run."""
        found = self._instance.doStep(t, h)
        if self._is_new and (found[1] or found[2]):
            raise SolveError(f"the functional mock-up unit ends at t = {found[3]:.6g} s; look at what it reports")


def _size(unit: str | None) -> float:
    """The size of a unit that a variable declares, in SI; 1 for none, and for one that is not known."""
    if not unit:
        return 1.0
    try:
        size = Scalar.read(f"1 {unit}").value
    except ModelError:
        return 1.0
    return float(size) if size else 1.0
