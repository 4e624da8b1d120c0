"""The carriers and time constants of a model's motors as text."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cardan.model import Model


def motor_lines(model: "Model") -> list[str]:
    """Return the carrier and the time constants of each motor for `cardan show`; no times if assembly fails."""
    import cardan
    from cardan.analysis import motor_times

    if not model.motors:
        return []
    lines = _stators(model)
    try:
        return [*lines, *(f"{name}: {times}" for name, times in motor_times(model).items())]
    except cardan.AssemblyError:
        return lines


def _stators(model: "Model") -> list[str]:
    """Which body carries the stator of each motor with inertia, and what its turning adds."""
    from cardan.kinematics.build import build
    from cardan.model.motors.stators import stators
    from cardan.model.place import GROUND

    tree, lines = build(model), []
    carrier = {rotor.name: rotor.carrier for rotor in tree.motor_rotors}
    for name, body in stators(model).items():
        if (link := carrier[name]) is not None and tree.turns(link):
            words = f"stator on {body}, with whose turning the rotor's spin couples (exact)"
        elif model.motors[name].mounted_on == GROUND:
            words = "mounted_on: ground, so that only r² Im is added (the papers' form)"
        else:
            words = f"stator on {body}, which does not turn: the rotor adds r² Im"
        lines.append(f"{name}: {words}")
    return lines
