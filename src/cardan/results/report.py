"""Errors of a run: violations of balances that hold exactly in mechanics."""

from cardan.frozen import dataclass


@dataclass(frozen=True, slots=True)
class Report:
    """Largest violations of energy balance and constraints along a run.

    Energy balance: E(t) − E(0) = W(t), with E the mechanical and electrical energy stored and W the works that were
    integrated along the run. A figure that was not computed is NaN.

    Parameters
    ----------
    energy_error : float
        Largest abs(E(t) − E(0) − W(t)) over the returned instants [J].
    energy_scale : float
        Scale of the energy error: the largest kinetic energy, change of potential energy or work of the run, and at
        least what changes of every state by `atol` make of energy and works [J].
    constraint_violation : float
        Largest abs(Φ) over the returned instants and ends of steps; 0 for a tree [m, rad].
    constraint_rate : float
        Largest abs(Φ̇) over them; 0 for a tree [m/s, rad/s].
    """

    energy_error: float = float("nan")
    energy_scale: float = float("nan")
    constraint_violation: float = float("nan")
    constraint_rate: float = float("nan")

    @property
    def relative_energy_error(self) -> float:
        """Energy error divided by the energy scale [-]; NaN where it is zero: no energy depends on the states."""
        return self.energy_error / self.energy_scale if self.energy_scale else float("nan")
