"""Model: what the user wrote, as one frozen record; the YAML file is the same thing.

In: keys of a model file or Python records. Out: a record whose references, dimensions and values have been checked. It
knows no index and no equation.
"""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Self

from pydantic import model_validator

from cardan.displays import shown
from cardan.errors import DoubtWarning, ModelError, ModelWarning, in_words, warn
from cardan.model.checks.references import reference_issues
from cardan.model.checks.scopes import expression_issues
from cardan.model.checks.values import doubts, value_issues
from cardan.model.controllers import controllers_written_out
from cardan.model.drives import drives_written_out
from cardan.model.flexible import flexible_written_out
from cardan.model.graphs import BondGraph
from cardan.model.initial import with_equilibrium
from cardan.model.names import carrying, coordinates
from cardan.model.quantities.parameters import resolve
from cardan.model.sections import ModelSections, gravity_words
from cardan.model.short_forms.paths import paths_written_out
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.supplies import supplies_read, supplies_written_out
from cardan.model.short_forms.thermal import thermal_written_out

_SHOWN = 4  # names of coordinates or parameters in the three lines that describe a model


class Model(ModelSections):
    """A mechanism: bodies, joints, motors, forces, and how to move it. All faults are reported together.

    Raises
    ------
    ModelError
        Something is missing, unknown, of the wrong dimension, or cannot be.

    Example
    -------
    >>> import cardan
    >>> rod = cardan.Body(mass="1.3 kg", com=[0, "-0.4 m", 0])
    >>> hinge = {"type": "revolute", "parent": "ground", "child": "rod", "axis": "z"}
    >>> cardan.Model(bodies={"rod": rod}, joints={"hinge": hinge}).joints["hinge"].axis[2].value
    1.0
    """

    @model_validator(mode="after")
    def _check(self) -> Self:
        validate(self)
        return self

    def __init__(self, /, **data: Any) -> None:
        whole = written_out(data)
        try:
            super().__init__(**whole.data)
        except ModelError as error:
            raise whole.told(error) from None

    def __repr__(self) -> str:
        """The model in three lines: its name; how many parts it has; its coordinates, gravity and parameters."""
        if "joints" not in self.__dict__:
            return "Model that was refused"  # debuggers show it while its error is raised
        loops = len(self.joints) - len(carrying(self))
        counts = [
            _counted(len(self.bodies), "body", "bodies"),
            _counted(len(self.joints), "joint"),
            _counted(loops, "loop"),
            _counted(len(self.constraints), "constraint"),
            _counted(len(self.motors), "motor"),
            _counted(len(self.forces), "force"),
            _counted(len(self.contacts), "contact"),
            _counted(len(self.graphs), "graph"),
        ]
        known = list(coordinates(carrying(self)))
        lines = [
            f"Model {self.name or 'without a name'}" + (f" (planar: {self.planar})" if self.planar else ""),
            f"{', '.join(count for count in counts if count)}; gravity: {gravity_words(self)}",
            f"{_listed('coordinate', known)}; {_listed('parameter', list(self.parameters))}",
        ]
        return "\n  ".join(lines)

    __str__ = __repr__

    def _repr_html_(self) -> str | None:
        """Show the schematic and the parts in a notebook."""
        return shown(self)


def written_out(data: dict[str, Any]) -> Sections:
    """The data of a model whose short forms are written out: flexible bodies, drives, paths, controllers and others."""
    whole = Sections(data)
    if isinstance(data.get("initial"), Mapping):
        whole.data["initial"] = with_equilibrium(data["initial"])
    flexible_written_out(whole)
    paths_written_out(whole)
    supplies_read(whole)
    drives_written_out(whole)
    supplies_written_out(whole)
    controllers_written_out(whole)
    thermal_written_out(whole)
    return whole


def _counted(number: int, noun: str, plural: str = "") -> str:
    """A number of things in words; empty for none."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}" if number else ""


def _listed(noun: str, names: Sequence[str]) -> str:
    """A few names and how many there are."""
    shown = [*names[:_SHOWN], "…"] if len(names) > _SHOWN else names
    return f"{_counted(len(names), noun)}: {', '.join(shown)}" if names else f"no {noun}s"


def check_bodies(model: Model) -> None:
    """Refuse a model of bond graphs alone where bodies are needed."""
    if not model.bodies:
        fault = "the model has no bodies: bond graphs alone have state equations, not a mechanism's equations of motion"
        raise ModelError(fault, "write cardan.equations, or simulate it; its graphs have no mobility and no reactions")


def with_graph(model: Any) -> Any:
    """The model that consists of one bond graph called "graph", if that is what is given; else what is given."""
    return Model(graphs={"graph": model}) if isinstance(model, BondGraph) else model


def check_model(model: Any) -> None:
    """Refuse what is not a `Model`, such as its name or its file."""
    if not isinstance(model, Model):
        cure = "give what cardan.load or cardan.Model returns"
        if isinstance(model, str | PathLike):
            cure = f"load it first: cardan.load({str(model)!r})"
        elif isinstance(model, BondGraph):
            cure = 'make one of it: cardan.Model(graphs={"graph": …})'
        raise ModelError(f"{in_words(model)} is not a model", cure)


def validate(model: ModelSections) -> None:
    """Refuse a model that cannot be, warn of one that probably is not meant."""
    issues = reference_issues(model)
    try:
        values = resolve(model.parameters)
    except ModelError as error:
        raise ModelError([*issues, *error.under("parameters").issues]) from None
    issues += [] if issues else expression_issues(model)
    issues += [] if issues else value_issues(model, values)
    if issues:
        raise ModelError(issues)
    for doubt in doubts(model, values):
        warn(doubt.one_line(), DoubtWarning if doubt.kind else ModelWarning)
