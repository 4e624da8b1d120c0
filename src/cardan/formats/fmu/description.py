"""The description of an FMU for importers, modelDescription.xml, in the forms of FMI 2.0 and 3.0."""

import math
from collections.abc import Callable, Mapping, Sequence
from xml.etree import ElementTree as ET

import cardan
from cardan.formats.fmu.variables import FmuVariable, base_unit
from cardan.frozen import dataclass
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

    name: str  # of the sources and of the binary
    title: str  # of the model
    about: str  # where it comes from
    token: str  # which the importer passes to the sources
    variables: Sequence[FmuVariable]  # in the order of the description
    events: int  # number of crossing functions
    jumps: bool  # whether events may change states
    until: float  # end of the run that the model describes [s]
    kinds: Sequence[str]  # "CoSimulation", "ModelExchange"
    sources: Sequence[str]  # files in C that are to be compiled


def description(unit: MockUp, version: str) -> bytes:
    """The file modelDescription.xml."""
    return _written(_version_2(unit) if version == "2.0" else _version_3(unit))


def build_description(unit: MockUp) -> bytes:
    """The file buildDescription.xml of FMI 3.0: how to compile the sources."""
    root = ET.Element("fmiBuildDescription", fmiVersion="3.0")
    configuration = ET.SubElement(root, "BuildConfiguration", modelIdentifier=unit.name)
    files = ET.SubElement(configuration, "SourceFileSet", language="C99")
    for name in unit.sources:
        ET.SubElement(files, "SourceFile", name=name)
    return _written(root)


def _written(root: ET.Element) -> bytes:
    ET.indent(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="utf-8") + b"\n"


def _about(unit: MockUp) -> dict[str, str]:
    texts = {"modelName": unit.title or unit.name, "description": unit.about}
    tool = {"generationTool": f"Cardan {cardan.__version__}"}
    return {key: visible(text) for key, text in texts.items() if text} | tool


def _version_3(unit: MockUp) -> ET.Element:
    root = ET.Element("fmiModelDescription", {"fmiVersion": "3.0", **_about(unit), "instantiationToken": unit.token})
    can = {"modelIdentifier": unit.name, "canGetAndSetFMUState": "true", "canSerializeFMUState": "true"}
    if "ModelExchange" in unit.kinds:
        ET.SubElement(root, "ModelExchange", can, needsCompletedIntegratorStep="true")
    if "CoSimulation" in unit.kinds:
        ET.SubElement(root, "CoSimulation", can, canHandleVariableCommunicationStepSize="true", hasEventMode="true")
    variables = _begun(root, unit)
    for one in unit.variables:
        entries = {"name": one.name, "valueReference": str(one.reference), **_words(one, unit)}
        entries |= {} if one.of is None else {"derivative": str(one.of)}
        ET.SubElement(variables, "Float64", entries)
    structure = ET.SubElement(root, "ModelStructure")
    for tag, _, where in _LISTS:
        for one in filter(where, unit.variables):
            ET.SubElement(structure, tag, {"valueReference": str(one.reference)} | _dependencies(one, tag))
    return root


def _version_2(unit: MockUp) -> ET.Element:
    own = {"guid": unit.token, "numberOfEventIndicators": str(unit.events)}
    root = ET.Element("fmiModelDescription", {"fmiVersion": "2.0", **_about(unit), **own})
    can = {"modelIdentifier": unit.name, "canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true"}
    for kind in sorted(unit.kinds, reverse=True):
        more = {} if kind == "ModelExchange" else {"canHandleVariableCommunicationStepSize": "true"}
        element = ET.SubElement(root, kind, can | more, canNotUseMemoryManagementFunctions="true")
        files = ET.SubElement(element, "SourceFiles")
        for name in unit.sources:
            ET.SubElement(files, "File", name=name)
    variables = _begun(root, unit)
    place = {one.reference: index for index, one in enumerate(unit.variables, start=1)}
    for one in unit.variables:
        words = _words(one, unit)
        real = {} if one.of is None else {"derivative": str(place[one.of])}
        real |= {key: words.pop(key) for key in ("unit", "start", "reinit") if key in words}
        named = {"name": one.name, "valueReference": str(one.reference), **words}
        element = ET.SubElement(variables, "ScalarVariable", named)
        ET.SubElement(element, "Real", real)
    structure = ET.SubElement(root, "ModelStructure")
    for tag, tag_2, where in _LISTS:
        found = [one for one in unit.variables if where(one)] if tag_2 else []
        section = ET.SubElement(structure, tag_2) if found else structure
        for one in found:
            ET.SubElement(section, "Unknown", {"index": str(place[one.reference])} | _dependencies(one, tag, place))
    return root


def _begun(root: ET.Element, unit: MockUp) -> ET.Element:
    """The list of variables, still empty, after what stands before it in both versions."""
    _units(root, unit)
    ET.SubElement(root, "DefaultExperiment", startTime="0", stopTime=repr(unit.until), tolerance="1e-8")
    return ET.SubElement(root, "ModelVariables")


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


def _dependencies(one: FmuVariable, tag: str, place: Mapping[int, int] | None = None) -> dict[str, str]:
    """What an output depends on; others may depend on all."""
    if tag != "Output" or one.follows is None:
        return {}
    return {"dependencies": " ".join(str(place[k] if place else k) for k in one.follows)}


def _words(one: FmuVariable, unit: MockUp) -> dict[str, str]:
    """What both versions say of a variable."""
    causality, variability, initial = _KINDS[one.kind]
    if one.kind == "state" and one.is_output:
        causality = "output"
    if one.kind == "state" and one.start is None:
        initial = "calculated"
    found = {"causality": causality, "variability": variability}
    found |= {} if initial is None else {"initial": initial}
    found |= {"reinit": "true"} if one.kind == "state" and unit.jumps and "ModelExchange" in unit.kinds else {}
    found |= {} if one.start is None else {"start": repr(float(one.start))}
    found |= {} if base_unit(one.unit) is None else {"unit": one.unit}
    return found | ({"description": visible(one.meaning)} if one.meaning else {})


def _units(root: ET.Element, unit: MockUp) -> None:
    """The units of all variables, made of base units."""
    names = sorted({one.unit for one in unit.variables if base_unit(one.unit) is not None})
    section = ET.SubElement(root, "UnitDefinitions") if names else root
    for name in names:
        powers = {key: str(power) for key, power in (base_unit(name) or {}).items()}
        element = ET.SubElement(section, "Unit", name=name)
        ET.SubElement(element, "BaseUnit", powers)
        if name in _SHOWN:
            ET.SubElement(element, "DisplayUnit", name=_SHOWN[name][0], factor=repr(_SHOWN[name][1]))


_SHOWN = {"rad": ("deg", 180 / math.pi), "rad/s": ("rpm", 30 / math.pi)}
"""Units that importers may show in place of others, and the number of them."""
