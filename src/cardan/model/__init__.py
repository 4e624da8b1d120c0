"""What the user wrote: frozen records of bodies, joints, motors, forces, each with its own law.

In: keys of a model file or Python values. Out: a `Model` whose names, dimensions and numbers have been checked. It
knows no index, no tree, no equation of the whole machine.
"""

from cardan.model.body import Body, Marker
from cardan.model.graphs import BondGraph
from cardan.model.initial import Attitude, Guess
from cardan.model.model import Model
from cardan.model.quantities.parameters import resolve
from cardan.model.quantities.scalar import Scalar
from cardan.model.records.record import Record, Section
from cardan.model.sections import AssembleOptions, SimulateOptions
from cardan.model.shapes import Box, Cylinder, Mesh, Sphere
from cardan.model.signal import Table
from cardan.model.state_equation import StateEquation

__all__ = [
    "AssembleOptions",
    "Attitude",
    "Body",
    "BondGraph",
    "Box",
    "Cylinder",
    "Guess",
    "Marker",
    "Mesh",
    "Model",
    "Record",
    "Scalar",
    "Section",
    "SimulateOptions",
    "Sphere",
    "StateEquation",
    "Table",
    "resolve",
]
