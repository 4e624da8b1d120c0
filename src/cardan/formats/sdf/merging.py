"""`<include merge="true">`: the parts of the included model become those of the model that includes it.

Source: SDFormat specification, "Merging models"; the frame of the model stays, as `_merged__NAME__model__`
"""

from collections.abc import Collection

from cardan.formats.sdf.document import MODEL, is_true
from cardan.formats.xml.meshes import MeshFiles
from cardan.formats.xml.tree import XmlElement

_PARTS = ("link", "frame", "model", "joint")
_FRAMES = ("relative_to", "frame", "attached_to", "expressed_in", "parent", "child")


def merge(top: XmlElement, merged: Collection[int], meshes: dict[int, MeshFiles]) -> None:
    """Put the parts of the models with the ids `merged` in their places, those of inner ones first."""
    for parent in reversed([*top.walk()]) if merged else ():
        for model in [one for one in parent.children if id(one) in merged]:
            at, parts = parent.children.index(model), [one for one in model.children if one.tag in _PARTS]
            for part in parts:
                meshes.setdefault(id(part), meshes[id(model)])
            parent.children[at : at + 1] = [_frame(model), *(_told(part, _name(model)) for part in parts)]


def _name(model: XmlElement) -> str:
    return f"_merged__{model.name}__model__"


def _frame(model: XmlElement) -> XmlElement:
    """The frame of a model that is merged, which its first link holds."""
    held = model.attributes.get("canonical_link") or next((one.name for one in model.all("link")), MODEL)
    attributes = {key: one for key, one in model.attributes.items() if key == "placement_frame"}
    frame = XmlElement("frame", {"name": _name(model), "attached_to": held, **attributes}, model.line, [], model.origin)
    frame.children.extend(model.all("pose") or [XmlElement("pose", {}, model.line, origin=model.origin)])
    for pose in frame.children:
        pose.attributes["relative_to"] = pose.attributes.get("relative_to") or pose.attributes.get("frame") or MODEL
    return frame


def _told(part: XmlElement, frame: str) -> XmlElement:
    """A part of a model that is merged, with the name of the frame of the model where it has none, or `__model__`."""
    if part.tag == "frame":
        part.attributes["attached_to"] = part.attributes.get("attached_to") or frame
    elif part.tag != "joint":
        if not part.all("pose"):
            part.children.append(XmlElement("pose", {}, part.line, origin=part.origin))
        for pose in part.all("pose"):
            pose.attributes["relative_to"] = pose.attributes.get("relative_to") or pose.attributes.get("frame") or frame
    for one in part.all("pose") if part.tag == "model" else part.walk():
        for xyz in one.all("xyz") if is_true(one, "use_parent_model_frame") else ():
            xyz.attributes.setdefault("expressed_in", frame)
        one.attributes.update({key: frame for key in _FRAMES if one.attributes.get(key) == MODEL})
    return part
