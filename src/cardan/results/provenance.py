"""Where a run comes from: enough to do it again."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import cardan
from cardan.frozen import dataclass
from cardan.numerics.round_off import absolute_tolerance


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
    """

    model: str = ""
    source: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    version: str = cardan.__version__

    @property
    def atol(self) -> float:
        """Absolute tolerance of states of size 1, given or from `rtol`; zero without either, as in kineto-statics."""
        given, rtol = self.settings.get("atol"), self.settings.get("rtol")
        return float(given or (absolute_tolerance(rtol) if rtol else 0.0))
