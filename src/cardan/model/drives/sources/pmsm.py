"""Synchronous machine with permanent magnets, in the axes of its rotor.

L_d di_d/dt = u_d − R i_d + p ω L_q i_q,   L_q di_q/dt = u_q − R i_q − p ω (L_d i_d + ψ),
τ = 3/2 p (ψ i_q + (L_d − L_q) i_d i_q)

Source: Park 1929, *Two-reaction theory of synchronous machines*, AIEE Trans. 48:716; Leonhard 2001, *Control of
Electrical Drives*, ch. 14 (amplitudes of phase quantities)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator

from cardan.errors import ModelError
from cardan.model.drives.sources.source import DriveSource
from cardan.model.quantities.fields import Anything, Inductance, Rate, Resistance, TorsionalDamping, Weight
from cardan.model.quantities.scalar import ZERO
from cardan.model.records.record import Record

if TYPE_CHECKING:
    from cardan.model.drives.train import Train

from cardan.model.short_forms.text import negative, plus, text_of, times

__all__ = ["AxisVoltages", "PmsmSource"]


class AxisVoltages(Record):
    """Voltages along the axes of the rotor."""

    d: Rate = ZERO  # along the magnets' flux [V]
    q: Rate  # across it [V]


def _axes(value: Any) -> Any:
    if isinstance(value, list | tuple):
        if len(value) != 2:
            raise ModelError(f"there are two axes, not {len(value)}", "write [L_d, L_q], or one inductance for both")
        return value
    return (value, value)


class PmsmSource(DriveSource):
    """Its currents are states `a.i_d` and `a.i_q`; results are `a.torque`, `a.speed`, `a.power` and `a.losses`."""

    type: Literal["pmsm"] = "pmsm"
    resistance: Resistance  # of a phase [Ω]
    inductance: Annotated[tuple[Inductance, Inductance], BeforeValidator(_axes)]  # along both axes, or one for both [H]
    flux: Anything  # of the magnets, linked with a phase [V s]
    pole_pairs: Weight  # p
    damping: TorsionalDamping = ZERO  # of its rotor [N m s/rad]
    voltages: AxisVoltages | None = None  # without them a controller of the drive gives them

    def add(self, train: Train) -> None:
        self.carry(train)
        name, place = train.name, train.place
        R, flux, p = text_of(self.resistance), text_of(self.flux), text_of(self.pole_pairs)
        Ld, Lq = (text_of(each) for each in self.inductance)
        i_d, i_q, w = f"{name}.i_d", f"{name}.i_q", times(p, f"{name}.speed")
        u_d, u_q = f"{name}.u_d", f"{name}.u_q"
        train.states[i_d] = f"({u_d} - {R}*{i_d} + {w}*{Lq}*{i_q})/{Ld}"
        train.states[i_q] = f"({u_q} - {R}*{i_q} - {w}*({Ld}*{i_d} + {flux}))/{Lq}"
        train.show("speed", place.speed)
        salient = times(plus(Ld, negative(Lq)), i_d)
        linked = flux if salient == "0.0" else plus(flux, salient)
        train.show("torque", lambda: times("1.5", p, f"({linked})", i_q))
        heat = times("1.5", R, f"({i_d}**2 + {i_q}**2)")
        train.show("losses", lambda: plus(heat, times(text_of(self.damping), f"{name}.speed**2")))
        train.show("power", lambda: f"1.5*({u_d}*{i_d} + {u_q}*{i_q})")
        train.act(plus(f"{name}.torque", times("-1", text_of(self.damping), f"{name}.speed")))
        train.currents = (i_q, i_d)
        if self.voltages is not None:
            direct, across = text_of(self.voltages.d), text_of(self.voltages.q)
            train.show("u_d", lambda: direct)
            train.show("u_q", lambda: across)
            return
        train.voltages = (u_q, u_d)
        train.decoupling = (times(w, f"({Ld}*{i_d} + {flux})"), times("-1", w, Lq, i_q))
