"""A motion as an expression of t, parameters and other prescribed coordinates, or a list of them for a vector."""

from typing import Annotated, Any

from pydantic import BeforeValidator

from cardan.errors import ModelError
from cardan.model.motions.prescribed import Number, NumberOf, PrescribedMotion
from cardan.model.quantities.fields import TimeLaw


def _components(value: Any) -> Any:
    if isinstance(value, list | tuple):
        if not 1 <= len(value) <= 3:
            raise ModelError(f"a motion has 1 to 3 components, not {len(value)}", "write [x, y, z]")
        return tuple(value)
    return (value,)


class ExpressedMotion(PrescribedMotion):
    """`value`: "30 deg*sin(2*t)", or [x, y, z] for a position or an orientation."""

    value: Annotated[tuple[TimeLaw, ...], BeforeValidator(_components)]  # [m] or [rad]

    @property
    def size(self) -> int:
        return len(self.value)

    def values(self, number: NumberOf, t: Number) -> list[Number]:
        return [number(scalar) for scalar in self.value]

    def words(self) -> tuple[str, ...]:
        return tuple(str(scalar) for scalar in self.value)
