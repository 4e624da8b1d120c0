"""The mechanism of a model without what runs change."""

from cardan.model.model import Model
from cardan.model.names import carrying
from cardan.model.records.section import PathSection, Section
from cardan.model.sections import SimulateOptions


def bare_mechanism(model: Model) -> Model:
    """The model without inputs, initial values and defaults of runs: its functions do not depend on these.

    A model with loops, or with motions by other joints, keeps its initial values: rounding is judged, and such motions
    are differentiated, near that position.
    """
    emptied = {"inputs": PathSection(), "events": Section(), "simulate": SimulateOptions()}
    by_other_joints = any(motion.by for motion in model.motions.values())
    if not by_other_joints and not model.constraints and len(carrying(model)) == len(model.joints):
        emptied["initial"] = PathSection()
    return model.unchecked(**emptied)
