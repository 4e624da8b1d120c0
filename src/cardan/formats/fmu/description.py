"""The description of an FMU for importers, modelDescription.xml, in the forms of FMI 2.0 and 3.0."""

import math
from collections.abc import Callable, Sequence
from xml.etree import ElementTree as ET

import cardan
from cardan.formats.fmu.machine import Machine
from cardan.formats.fmu.variables import FmuVariable, base_unit
from cardan.frozen import dataclass
from cardan.model.model import Model
from cardan.safety.text import visible

_KINDS = {
    "time": ("independent", "continuous", None),
    "input": ("input", "continuous", None),
    "parameter": ("parameter", "fixed", "exact"),
    "calculated": ("calculatedParameter", "fixed", "calculated"),
    "constant": ("local", "constant", "exact"),
    "state": ("local", "continuous", "exact"),
    "rate": ("local", "continuous", "calculated"),
    "output": ("output", "continuous", "calculated"),
    "event": ("local", "continuous", "calculated"),
}
"""Causality, variability and initial of each kind of variable."""


@dataclass(frozen=True)
class MockUp:
    """What the description of an FMU says of the whole."""

    machine: Machine  # what it is made of; the name of its source is that of the binary
    model: Model
    token: str  # which the importer passes to the sources
    kinds: Sequence[str]  # "CoSimulation", "ModelExchange"
    sources: Sequence[str]  # files in C that are to be compiled


def build_description(unit: MockUp) -> bytes:
    """The file buildDescription.xml of FMI 3.0: how to compile the sources."""
    root = ET.Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = ET.SubElement(root, "BuildConfiguration", modelIdentifier=unit.machine.source.name)
    files = ET.SubElement(configuration, "SourceFileSet", language="C99")
    for name in unit.sources:
        ET.SubElement(files, "SourceFile", name=name)
    return _written(root)


def _written(root: ET.Element) -> bytes:
    ET.indent(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="utf-8") + b"\n"


def description(unit: MockUp, version: str) -> bytes:
    """The file modelDescription.xml."""
    is_3, variables, name = version == "3.0", unit.machine.variables, unit.machine.source.name
    texts = {"modelName": unit.model.name or name, "description": unit.model.source}
    texts = {key: visible(text) for key, text in texts.items() if text}
    texts |= {"fmiVersion": version, "generationTool": f"Cardan {cardan.__version__}"}
    texts |= {"instantiationToken" if is_3 else "guid": unit.token}
    texts |= {} if is_3 else {"numberOfEventIndicators": str(sum(one.kind == "event" for one in variables))}
    root = ET.Element("fmiModelDescription", texts)
    state = "FMUState" if is_3 else "FMUstate"
    for kind in sorted(unit.kinds, reverse=True):
        can = {"modelIdentifier": name, f"canGetAndSet{state}": "true", f"canSerialize{state}": "true"}
        can |= {} if is_3 else {"canNotUseMemoryManagementFunctions": "true"}
        can |= {"canHandleVariableCommunicationStepSize": "true"} if kind == "CoSimulation" else {}
        can |= {_EVENTS_3[kind]: "true"} if is_3 else {}
        element = ET.SubElement(root, kind, can)
        files = element if is_3 else ET.SubElement(element, "SourceFiles")
        for file in () if is_3 else unit.sources:
            ET.SubElement(files, "File", name=file)
    _units(root, variables)
    ET.SubElement(root, "DefaultExperiment", startTime="0", stopTime=repr(unit.machine.until), tolerance="1e-8")
    section = ET.SubElement(root, "ModelVariables")
    place = {one.reference: str(one.reference if is_3 else k) for k, one in enumerate(variables, start=1)}
    for one in variables:
        words = {"name": one.name, "valueReference": str(one.reference), **_words(one, unit)}
        words |= {} if one.of is None else {"derivative": place[one.of]}
        if is_3:
            ET.SubElement(section, "Float64", words)
        else:
            real = {key: words.pop(key) for key in list(words) if key in _REAL_2}
            ET.SubElement(ET.SubElement(section, "ScalarVariable", words), "Real", real)
    structure = ET.SubElement(root, "ModelStructure")
    for tag, tag_2, where in _LISTS:
        found = [one for one in variables if where(one) and (is_3 or tag_2)]
        section = structure if is_3 or not found else ET.SubElement(structure, tag_2)
        for one in found:
            entry = {"valueReference" if is_3 else "index": place[one.reference]}
            if tag == "Output" and one.follows is not None:  # others may depend on all
                entry["dependencies"] = " ".join(place[k] for k in one.follows)
            ET.SubElement(section, tag if is_3 else "Unknown", entry)
    return _written(root)


_REAL_2 = ("unit", "start", "reinit", "derivative")  # in FMI 2.0 these belong to the type
_EVENTS_3 = {"ModelExchange": "needsCompletedIntegratorStep", "CoSimulation": "hasEventMode"}
"""What FMI 3.0 asks of each kind on events."""


def _is_unknown(one: FmuVariable) -> bool:
    """Whether the value at the start follows from others."""
    is_late = one.kind == "state" and one.start is None
    return one.kind in ("calculated", "rate", "output") or is_late


_LISTS: tuple[tuple[str, str, Callable[[FmuVariable], bool]], ...] = (
    ("Output", "Outputs", lambda one: one.is_output),
    ("ContinuousStateDerivative", "Derivatives", lambda one: one.kind == "rate"),
    ("InitialUnknown", "InitialUnknowns", _is_unknown),
    ("EventIndicator", "", lambda one: one.kind == "event"),
)
"""Entries of the structure of a model in FMI 3.0, the list of 2.0 that has them, and the variables."""


def _words(one: FmuVariable, unit: MockUp) -> dict[str, str]:
    """What both versions say of a variable."""
    causality, variability, initial = _KINDS[one.kind]
    if one.kind == "state" and one.is_output:
        causality = "output"
    if one.kind == "state" and one.start is None:
        initial = "calculated"
    found = {"causality": causality, "variability": variability}
    found |= {} if initial is None else {"initial": initial}
    found |= {"reinit": "true"} if one.kind == "state" and unit.machine.jumps and "ModelExchange" in unit.kinds else {}
    found |= {} if one.start is None else {"start": repr(float(one.start))}
    found |= {} if base_unit(one.unit) is None else {"unit": one.unit}
    return found | ({"description": visible(one.meaning)} if one.meaning else {})


def _units(root: ET.Element, variables: Sequence[FmuVariable]) -> None:
    """The units of all variables, made of base units."""
    known = {one.unit: powers for one in variables if (powers := base_unit(one.unit)) is not None}
    section = ET.SubElement(root, "UnitDefinitions") if known else root
    for name, powers in sorted(known.items()):
        element = ET.SubElement(section, "Unit", name=name)
        ET.SubElement(element, "BaseUnit", {key: str(power) for key, power in powers.items()})
        if name in _SHOWN:
            ET.SubElement(element, "DisplayUnit", name=_SHOWN[name][0], factor=repr(_SHOWN[name][1]))


_SHOWN = {"rad": ("deg", 180 / math.pi), "rad/s": ("rpm", 30 / math.pi)}
"""Units that importers may show in place of others, and the number of them."""
