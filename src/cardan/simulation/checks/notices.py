"""What a user is told before a run about its model and its parameters."""

from collections.abc import Mapping
from typing import Any

from cardan.assembly.rounding import rounding_doubts
from cardan.assembly.still_freedoms import still_doubts
from cardan.model.model import Model
from cardan.simulation.call_values import new_warnings
from cardan.simulation.inputs import idle_inputs
from cardan.simulation.model_source import bare_mechanism
from cardan.simulation.motions.rough_relations import rough_relations
from cardan.system.system import System


def notices(
    model: Model, system: System, values: Mapping[str, float], parameters: Mapping[str, Any] | None
) -> tuple[str, ...]:
    """Rounded numbers, freedoms without motion, idle inputs, rough relations, and values that are probably wrong.

    `parameters` are those that the call changes, `values` those of the run.
    """
    return (
        *rounding_doubts(system.tree),
        *still_doubts(system.tree),
        *idle_inputs(model, system.motors),
        *rough_relations(bare_mechanism(model), system.motors),
        *new_warnings(model, values, parameters),
    )
