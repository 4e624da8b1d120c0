"""What a run knows beside its numbers: model and settings, balances, events, singular positions that it has passed."""

from collections.abc import Mapping
from typing import Any

import cardan
from cardan.frozen import dataclass, field
from cardan.numerics.round_off import absolute_tolerance


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


@dataclass(frozen=True, slots=True)
class Passage:
    """A position at which the constraints lose rank for an instant, so that branches of motion meet; the run kept its
    branch.

    Parameters
    ----------
    t : float
        Instant [s]; 0 where the motion starts in a singular position.
    smallest : float
        Smallest singular value there of Φq with rows of length 1, without those that are zero by redundancy [-].
    usual : float
        The largest that it reaches elsewhere along the motion [-].
    lost : int
        Number of singular values that vanish there and not elsewhere.
    owners : tuple of str
        Joints that close loops, and constraints, whose equations depend on each other there.
    """

    t: float
    smallest: float
    usual: float
    lost: int
    owners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Provenance:
    """The model and the settings that a run was made with.

    Parameters
    ----------
    model : str
        Name of the model.
    source : str
        The model file as text (YAML), so that a saved run carries its mechanism with it.
    settings : mapping
        Arguments of the call in plain values (numbers, strings, lists, mappings; `times` as an `array.array`): motors,
        method, rtol, …
    version : str
        Version of Cardan that computed the run.
    meshes : mapping from str to str
        SHA-256 of meshes that pictures of the run may read wherever it is kept, by their paths: whoever knows this
        number of a file knows its content.
    """

    model: str = ""
    source: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    version: str = cardan.__version__
    meshes: Mapping[str, str] = field(default_factory=dict)

    @property
    def atol(self) -> float:
        """Absolute tolerance of states of size 1, given or from `rtol`; zero without either, as in kineto-statics."""
        given, rtol = self.settings.get("atol"), self.settings.get("rtol")
        return float(given or (absolute_tolerance(rtol) if rtol else 0.0))


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One event of the section `events`, when and what it did.

    Parameters
    ----------
    t : float
        Instant [s].
    name : str
        Name of the event.
    did : str
        What was done: ``"record"``, ``"stop"`` or ``"set drive: 0 V"``.
    """

    t: float
    name: str
    did: str
