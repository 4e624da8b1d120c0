"""Cardan: from one description of a mechanism to its equations of motion, its motion and its loads.

The everyday names, imported when first used, so that `import cardan` costs next to nothing::

    import cardan

    model = cardan.load("overhead_crane")  # a name of the gallery or a path
    run = cardan.simulate(model, until=5.0)
    run["travel.q"]  # DataArray over time [m]
"""

from importlib import import_module
from typing import Any

from cardan.displays import show_by

__version__ = "0.1.0"

_HOMES = {
    "Assembly": "cardan.analysis",
    "AssemblyError": "cardan.errors",
    "Body": "cardan.model",
    "BondGraph": "cardan.model",
    "InverseKinematics": "cardan.analysis",
    "Linearization": "cardan.simulation.linear",
    "Mobility": "cardan.analysis",
    "Model": "cardan.model",
    "ModelError": "cardan.errors",
    "ModelWarning": "cardan.errors",
    "Sensitivities": "cardan.simulation.sensitivities",
    "Setup": "cardan.simulation",
    "SolveError": "cardan.errors",
    "Trajectory": "cardan.results",
    "animate": "cardan.view",
    "assemble": "cardan.analysis",
    "base_parameters": "cardan.analysis",
    "bearing_loads": "cardan.analysis",
    "bond_graph": "cardan.analysis",
    "casadi_function": "cardan.functions.casadi_export",
    "compile": "cardan.functions.dynamics:compile_model",
    "draw": "cardan.view",
    "energy_per_cycle": "cardan.analysis.sizing.energy_per_cycle",
    "equations": "cardan.matrix_form",
    "export": "cardan.simulation.exports.code_export",
    "export_fmu": "cardan.formats.fmu.export",
    "from_control": "cardan.simulation.linear",
    "from_dh": "cardan.formats",
    "inverse_kinematics": "cardan.analysis",
    "kinetostatics": "cardan.simulation.motions.kinetostatics",
    "linearize": "cardan.simulation.linear",
    "load": "cardan.formats",
    "load_run": "cardan.results",
    "lqr": "cardan.simulation.linear",
    "measured_reaction": "cardan.analysis",
    "mobility": "cardan.analysis",
    "plot": "cardan.view",
    "plot_bearing": "cardan.view",
    "plot_drive": "cardan.view",
    "plot_sizing": "cardan.view",
    "power_flow": "cardan.analysis",
    "prepare": "cardan.simulation",
    "regressor": "cardan.matrix_form",
    "report": "cardan.view",
    "save": "cardan.formats",
    "save_run": "cardan.results",
    "section_forces": "cardan.analysis",
    "sensitivities": "cardan.simulation.sensitivities",
    "simulate": "cardan.simulation",
    "singular_positions": "cardan.analysis",
    "size": "cardan.analysis.sizing",
    "studio": "cardan.view.studio",
    "sweep": "cardan.simulation.sweeps.sweep",
    "verify": "cardan.analysis",
    "workspace": "cardan.analysis",
}

__all__ = [*_HOMES]

show_by(lambda thing: import_module("cardan.view.notebook").html(thing))


def __getattr__(name: str) -> Any:
    """Import an everyday name from its room."""
    if name not in _HOMES:
        raise AttributeError(f"module 'cardan' has no attribute {name!r}")
    module, _, other_name = _HOMES[name].partition(":")
    value = getattr(import_module(module), other_name or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the everyday names before they are imported, too."""
    return sorted([*_HOMES, *(name for name in globals() if name.startswith("__"))])
