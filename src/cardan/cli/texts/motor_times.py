"""The time constants of a model's motors as text."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cardan.model import Model

__all__ = ["motor_lines"]


def motor_lines(model: "Model") -> list[str]:
    """Return one line per motor for `cardan show`; none for a model that cannot be assembled.

    Parameters
    ----------
    model : Model
        The mechanism.
    """
    import cardan
    from cardan.analysis import motor_times

    if not model.motors:
        return []
    try:
        return [f"{name}: {times}" for name, times in motor_times(model).items()]
    except cardan.AssemblyError:
        return []
