"""Questions about a model, and about what a run means for its parts.

In: a Model, a System or a run. Out: a report. It draws and prints nothing.
"""

from cardan.analysis.assembly import Assembly, assemble
from cardan.analysis.bond_graph import MechanismBondGraph, bond_graph
from cardan.analysis.identifiability import BaseParameter, BaseParameters, base_parameters
from cardan.analysis.inverse import InverseKinematics, inverse_kinematics
from cardan.analysis.loads.bearing_loads import BearingLoads, LoadStatistics, bearing_loads
from cardan.analysis.loads.measurement import FrictionFit, MeasuredReaction, measured_reaction
from cardan.analysis.loads.residuals import RecordResidual
from cardan.analysis.loads.section_forces import section_forces
from cardan.analysis.mobility import Mobility, Redundancy, mobility
from cardan.analysis.motor_times import MotorTimes, motor_times
from cardan.analysis.power_flow import PowerFlow, power_flow
from cardan.analysis.reach import Reach, singular_positions
from cardan.analysis.unified_formulae import FormulaLoads, MechanismFormula
from cardan.analysis.verification import Check, Verification, verify
from cardan.analysis.workspaces import workspace
from cardan.singular.singularity import Singularity, SingularSet

__all__ = [
    "Assembly",
    "BaseParameter",
    "BaseParameters",
    "BearingLoads",
    "Check",
    "FormulaLoads",
    "FrictionFit",
    "InverseKinematics",
    "LoadStatistics",
    "MeasuredReaction",
    "MechanismBondGraph",
    "MechanismFormula",
    "Mobility",
    "MotorTimes",
    "PowerFlow",
    "Reach",
    "RecordResidual",
    "Redundancy",
    "SingularSet",
    "Singularity",
    "Verification",
    "assemble",
    "base_parameters",
    "bearing_loads",
    "bond_graph",
    "inverse_kinematics",
    "measured_reaction",
    "mobility",
    "motor_times",
    "power_flow",
    "section_forces",
    "singular_positions",
    "verify",
    "workspace",
]
