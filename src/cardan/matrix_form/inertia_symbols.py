"""Symbols for the inertial parameters that a model gives as numbers: M₃₃ is then m₃ and not 4.

Body k, counted from 1 in file order, has the mass mk, the centre of mass x_Ck, y_Ck, z_Ck and the inertia I_kxx …
"""

from collections.abc import Mapping

from cardan.frozen import dataclass, field
from cardan.model.body import Body
from cardan.model.model import Model
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.section import Section
from cardan.model.records.walk import scalars

_AXES = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True)
class NamedInertias:
    """A model whose bodies have parameters for numbers."""

    model: Model  # with one more parameter for each number
    meaning: Mapping[str, str]  # what every new parameter is: "mass of link1"


@dataclass
class _Naming:
    taken: set[str]  # names with a meaning in the model
    values: dict[str, Scalar] = field(default_factory=dict)
    meaning: dict[str, str] = field(default_factory=dict)

    def symbol(self, number: Scalar, name: str, unit: str, meaning: str) -> Scalar:
        """A new parameter in place of a `number`; zeros and expressions stay."""
        if not number.value:
            return number
        while name in self.taken:
            name += "_"
        bare = not isinstance(number.source, str)
        self.values[name] = Scalar.read(f"{number.source!r} {unit}") if bare else Scalar.read(number.source)
        self.meaning[name] = meaning
        self.taken.add(name)
        return Scalar.read(name)


def named_inertias(model: Model) -> NamedInertias:
    """The model with parameters for all masses, centres of mass and inertias that are numbers other than zero.

    Example
    -------
    >>> import cardan
    >>> [*named_inertias(cardan.load("manipulator_3dof")).model.parameters][:3]
    ['g', 'm1', 'x_C1']
    """
    sections = [getattr(model, name) for name in Model.model_fields]
    naming = _Naming({"t", *(name for section in sections if isinstance(section, Mapping) for name in section)})
    bodies = {}
    for k, (name, body) in enumerate(model.bodies.items(), 1):
        if body.is_solid and any(scalar.names for shape in body.shapes for _, scalar in scalars(shape)):
            bodies[name] = body  # expressions of parameters, as it stands
            continue
        body = _stated(body)
        com = zip("xyz", body.com, strict=True)
        tensor = zip(_AXES, body.inertia, strict=True)
        bodies[name] = body.replace(
            mass=naming.symbol(body.mass, f"m{k}", "kg", f"mass of {name}"),
            com=tuple(naming.symbol(s, f"{axis}_C{k}", "m", f"centre of mass of {name}") for axis, s in com),
            inertia=tuple(naming.symbol(s, f"I_{k}{axes}", "kg*m^2", f"inertia of {name}") for axes, s in tensor),
        )
    changed = model.replace(parameters=Section({**model.parameters, **naming.values}), bodies=Section(bodies))
    return NamedInertias(changed, naming.meaning)


def _stated(body: Body) -> Body:
    """The body with numbers for what follows from the densities of its shapes, which are numbers."""
    if not body.is_solid:
        return body
    found = body.resolved(lambda scalar: scalar.value)
    return body.replace(
        mass=float(found.mass),
        com=[float(entry) + 0.0 for entry in found.com],
        inertia=[float(entry) + 0.0 for entry in found.inertia],
        shapes=[shape.replace(density=None) for shape in body.shapes],
    )
