"""Which body carries the stator of each motor, with whose turning the spin of its rotor couples.

Source: docs/notation.md §5; docs/decisions/0031-stators-ride-on-the-parent.md
"""

from collections.abc import Iterator

from cardan.errors import Issue
from cardan.model.place import GROUND, split
from cardan.model.sections import ModelSections


def stators(model: ModelSections) -> dict[str, str]:
    """Body that carries the stator of each motor whose rotor has inertia, or "ground"; literal zeros are none."""
    return {
        name: motor.mounted_on or split(model.joints[motor.driven[0]].parent)[0]
        for name, motor in model.motors.items()
        if motor.rotor_inertia.value != 0
    }


def stator_issues(model: ModelSections) -> Iterator[Issue]:
    """Motors of the `model` on axes that do not stand in the body that would carry their stators."""
    for name, body in stators(model).items():
        motor = model.motors[name]
        joint, suffix = motor.driven
        if body != GROUND and motor.mounted_on is None and suffix in model.joints[joint].turning_axes:
            fault = f"the axis of {motor.joint!r} turns against {body!r}, which would carry the stator"
            cure = f"write mounted_on: ground to add r² Im alone, or mounted_on: {body} with the axis as at q = 0"
            yield Issue(fault, cure, ("motors", name, "mounted_on"))
