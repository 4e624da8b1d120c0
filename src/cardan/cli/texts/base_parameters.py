"""The base parameters of a model as text."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cardan.model import Model


def base_parameter_lines(model: "Model") -> list[str]:
    """Return the lines that `cardan show --base-parameters` prints."""
    import cardan

    found = cardan.base_parameters(model)
    lines = [f"  {entry} = {round(entry.value, 12):.6g}" for entry in found.parameters]
    return [f"{len(found)} base parameters of {10 * len(model.bodies)} inertial parameters", *lines]
