"""Synchronous machine with permanent magnets, in the axes of its rotor.

L_d di_d/dt = u_d − R i_d + p ω L_q i_q,   L_q di_q/dt = u_q − R i_q − p ω (L_d i_d + ψ),
τ = 3/2 p (ψ i_q + (L_d − L_q) i_d i_q)

Source: Park 1929, *Two-reaction theory of synchronous machines*, AIEE Trans. 48:716; Leonhard 2001, *Control of
Electrical Drives*, ch. 14 (amplitudes of phase quantities)
"""

from functools import partial
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, model_validator

from cardan.errors import Issue, ModelError
from cardan.model.drives.sources.axes import Amplitudes, Voltages, limited_voltages, show_phases, within
from cardan.model.drives.sources.source import DriveSource
from cardan.model.drives.train import Train
from cardan.model.quantities.fields import Anything, Inductance, Rate, Resistance, TorsionalDamping, Weight
from cardan.model.quantities.scalar import ZERO
from cardan.model.short_forms.text import negative, plus, text_of, times


def _axes(value: Any) -> Any:
    if isinstance(value, list | tuple):
        if len(value) != 2:
            raise ModelError(f"there are two axes, not {len(value)}", "write [L_d, L_q], or one inductance for both")
        return value
    return (value, value)


def _pair(value: Any) -> Any:
    if value is not None and not (isinstance(value, list | tuple) and len(value) == 2):
        raise ModelError("the currents along both axes are two numbers", "write current: [i_d, i_q]")
    return value


class PmsmSource(DriveSource):
    """Its currents are states `a.i_d` and `a.i_q`; results are `a.torque`, `a.speed`, `a.power` and `a.losses`."""

    type: Literal["pmsm"] = "pmsm"
    resistance: Resistance  # of a phase [Ω]
    inductance: Annotated[tuple[Inductance, Inductance], BeforeValidator(_axes)]  # along both axes, or one for both [H]
    flux: Anything  # of the magnets, linked with a phase [V s]
    pole_pairs: Weight  # p
    damping: TorsionalDamping = ZERO  # of its rotor [N m s/rad]
    voltages: Voltages | None = None  # without them a controller of the drive gives them
    current: Annotated[tuple[Rate, Rate] | None, BeforeValidator(_pair)] = None  # ideally fed, in place of voltages [A]
    limits: Amplitudes = Amplitudes()  # to which its vectors are shortened
    heat: str | None = None  # thermal node into which its losses flow

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.current is not None and (self.voltages is not None or self.limits.voltage is not None):
            fault = "currents are fed, whatever voltages they take"
            raise ModelError(Issue(fault, "give current: or voltages:, and of limits the current alone", ("current",)))
        if self.current is None and self.limits.current is not None:
            fault = "its current follows from voltages and has no limit of its own"
            cure = "limit the result of the speed loop of its cascade, or feed current: [i_d, i_q]"
            raise ModelError(Issue(fault, cure, ("limits", "current")))
        return self

    def add(self, train: Train) -> None:
        self.carry(train)
        train.heats = self.heat
        name, place = train.name, train.place
        R, flux, p = text_of(self.resistance), text_of(self.flux), text_of(self.pole_pairs)
        Ld, Lq = (text_of(each) for each in self.inductance)
        i_d, i_q, w, speed = f"{name}.i_d", f"{name}.i_q", times(p, f"{name}.speed"), f"{name}.speed"
        angle = times(p, f"{name}.angle")
        train.show("angle", place.angle)
        train.show("speed", place.speed)
        salient = times(plus(Ld, negative(Lq)), i_d)
        linked = flux if salient == "0.0" else plus(flux, salient)
        train.show("torque", lambda: times("1.5", p, f"({linked})", i_q))
        heat = times("1.5", R, f"({i_d}**2 + {i_q}**2)")
        damper = times(text_of(self.damping), speed)
        is_let = self.current is None or self.heat is not None  # else of time alone, and constant where it is limited
        train.show("losses", lambda: plus(heat, times(damper, speed)), is_let=is_let)
        train.act(plus(f"{name}.torque", times("-1", damper)))
        if self.current is not None:
            self._fed(train)
            train.show("power", lambda: f"{heat} + {name}.torque*{speed}", is_let=False)
        else:
            u_d, u_q = f"{name}.u_d", f"{name}.u_q"
            train.states[i_d] = f"({u_d} - {R}*{i_d} + {w}*{Lq}*{i_q})/{Ld}"
            train.states[i_q] = f"({u_q} - {R}*{i_q} - {w}*({Ld}*{i_d} + {flux}))/{Lq}"
            train.show("power", lambda: f"1.5*({u_d}*{i_d} + {u_q}*{i_q})")
            train.currents = (i_q, i_d)
            d, q = limited_voltages(train, self.voltages, self.limits.voltage, angle)
            if self.voltages is None:
                train.voltages = (train.prefixed(q), train.prefixed(d))
            train.decoupling = (times(w, f"({Ld}*{i_d} + {flux})"), times("-1", w, Lq, i_q))
        show_phases(train, i_d, i_q, angle)

    def _fed(self, train: Train) -> None:
        """Currents as they are asked for, within the limit."""
        assert self.current is not None
        asked = [text_of(each) for each in self.current]
        for axis, text in zip("dq", within(train, "current", self.limits.current, *asked), strict=True):
            train.show(f"i_{axis}", partial(str, text))
