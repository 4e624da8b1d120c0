"""The mechanism of a model without what runs change, and the model as text that loads without other files."""

import json
from collections.abc import Iterable
from functools import lru_cache

from cardan.model.model import Model
from cardan.model.names import carrying
from cardan.model.records.plain import plain
from cardan.model.records.section import PathSection, Section
from cardan.model.sections import SimulateOptions
from cardan.model.signal import Sampled, Table, inline
from cardan.system.input_segments import Signal


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


def source_of(model: Model) -> str:
    """The model as text that loads without other files; tables are read from their files now."""
    return _text(model) if reads_files(model.inputs.values()) else _kept_text(model)


def _text(model: Model) -> str:
    """The model as JSON, which is YAML as well, with the samples of its tables."""
    inputs = {name: inline(signal) for name, signal in model.inputs.items()}
    return json.dumps(plain(model) | ({"inputs": inputs} if inputs else {}))


def reads_files(signals: Iterable[Signal | Sampled]) -> bool:
    """Whether one of the signals is a table in a file, which may change between calls."""
    return any(isinstance(signal, Table) and signal.file is not None for signal in signals)


_kept_text = lru_cache(maxsize=64)(_text)
