"""Induction machine with a squirrel cage, in axes at rest: d along its phase a, q a quarter turn ahead.

dψ_s/dt = u − R_s i_s,   dψ_r/dt = j p ω ψ_r − R_r i_r,   ψ_s = L_s i_s + L_m i_r,   ψ_r = L_m i_s + L_r i_r,
τ = 3/2 p (ψ_sd i_sq − ψ_sq i_sd)

Source: Park 1929, *Two-reaction theory of synchronous machines*, AIEE Trans. 48:716; Leonhard 2001, *Control of
Electrical Drives*, §10.1 (amplitudes of phase quantities, rotor referred to the stator)
"""

from functools import partial
from typing import Literal, Self

from pydantic import model_validator

from cardan.errors import Issue, ModelError
from cardan.model.drives.sources.axes import Amplitudes, Voltages, limited_voltages, show_phases
from cardan.model.drives.sources.source import DriveSource
from cardan.model.drives.train import Train
from cardan.model.quantities.fields import Inductance, Resistance, TorsionalDamping, Weight
from cardan.model.quantities.scalar import ZERO
from cardan.model.short_forms.text import plus, text_of, times


class InductionSource(DriveSource):
    """Its flux linkages are states `a.flux_sd`, `a.flux_sq`, `a.flux_rd`, `a.flux_rq`."""

    type: Literal["induction"] = "induction"
    stator_resistance: Resistance  # of a phase [Ω]
    rotor_resistance: Resistance  # of a phase, referred to the stator as all of the rotor [Ω]
    stator_leakage: Inductance  # [H]
    rotor_leakage: Inductance  # [H]
    magnetising_inductance: Inductance  # of the three phases together, 3/2 of that of a phase alone [H]
    pole_pairs: Weight  # p
    damping: TorsionalDamping = ZERO  # of its rotor [N m s/rad]
    voltages: Voltages  # of the windings
    limits: Amplitudes = Amplitudes()  # to which its vectors are shortened
    heat: str | None = None  # thermal node into which its losses flow

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.stator_leakage.value == 0 and self.rotor_leakage.value == 0:
            fault = "without any leakage the currents are not known"
            raise ModelError(Issue(fault, "give stator_leakage or rotor_leakage", ("stator_leakage",)))
        if self.limits.current is not None:
            fault = "its current follows from voltages and has no limit of its own"
            raise ModelError(Issue(fault, "limit the voltage", ("limits", "current")))
        return self

    def add(self, train: Train) -> None:
        self.carry(train)
        train.heats = self.heat
        name, p = train.name, text_of(self.pole_pairs)
        Rs, Rr, damping = (text_of(each) for each in (self.stator_resistance, self.rotor_resistance, self.damping))
        Lm = text_of(self.magnetising_inductance)
        Ls, Lr = (f"({plus(text_of(leak), Lm)})" for leak in (self.stator_leakage, self.rotor_leakage))
        square = f"({Ls}*{Lr} - {Lm}**2)"
        speed, w = f"{name}.speed", times(p, f"{name}.speed")
        train.show("speed", train.place.speed)
        limited_voltages(train, self.voltages, self.limits.voltage, "")
        for axis, turned in (("d", f" - {w}*{name}.flux_rq"), ("q", f" + {w}*{name}.flux_rd")):
            stator, rotor = f"{name}.flux_s{axis}", f"{name}.flux_r{axis}"
            train.show(f"i_{axis}", partial(str, f"({Lr}*{stator} - {Lm}*{rotor})/{square}"))
            train.show(f"i_r{axis}", partial(str, f"({Ls}*{rotor} - {Lm}*{stator})/{square}"))
            train.states[stator] = f"{name}.u_{axis} - {Rs}*{name}.i_{axis}"
            train.states[rotor] = f"-{Rr}*{name}.i_r{axis}{turned}"
        train.show("torque", lambda: f"1.5*{p}*({name}.flux_sd*{name}.i_q - {name}.flux_sq*{name}.i_d)")
        copper = f"1.5*({Rs}*({name}.i_d**2 + {name}.i_q**2) + {Rr}*({name}.i_rd**2 + {name}.i_rq**2))"
        train.show("losses", lambda: plus(copper, times(damping, f"{speed}**2")))
        train.show("power", lambda: f"1.5*({name}.u_d*{name}.i_d + {name}.u_q*{name}.i_q)")
        train.act(plus(f"{name}.torque", times("-1", damping, speed)))
        show_phases(train, f"{name}.i_d", f"{name}.i_q", "")
