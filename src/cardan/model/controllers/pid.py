"""Proportional, integral and derivative controller.   Source: Åström & Hägglund 1995, *PID Controllers*, ch. 3"""

from typing import Literal

from cardan.errors import Issue, ModelError
from cardan.model.controllers.pi import PI
from cardan.model.quantities.fields import Anything, PositiveTime
from cardan.model.quantities.scalar import ZERO
from cardan.model.short_forms.sections import Sections
from cardan.model.short_forms.text import over, text_of, times

_SHARE = "10.0"  # of the time constant of the derivative, kd/kp, over that of its filter


class PID(PI):
    """kp e + ki ∫e dt + kd ė, with ė behind a first-order lag; without ki or a time it has no integral."""

    type: Literal["pid"] = "pid"  # type: ignore[assignment]
    kd: Anything = ZERO
    filter: PositiveTime | None = None  # time constant of this lag alone [s]; by default a tenth of kd/kp

    integrates = False

    def law(self, name: str, sections: Sections) -> str:
        error = self.error_text(name, sections)
        if self.kd.value == 0:
            return self.of_error(name, error, (), sections)
        if self.filter is None and self.kp.value == 0:
            raise ModelError(
                Issue("the lag of the derivative is kd/(10 kp), and kp is zero", "give filter:", ("filter",))
            )
        kp, kd = text_of(self.kp), text_of(self.kd)
        lag = over(kd, times(_SHARE, kp)) if self.filter is None else text_of(self.filter)
        slope = self.followed(name, "filtered", error, lag, sections)
        return self.of_error(name, error, (times(kd, slope),), sections)
