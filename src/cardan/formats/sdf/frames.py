"""The frames of a document: where its models, links, joints and frames are, by paths such as `robot::arm`.

Source: SDFormat specification, "Pose frame semantics"; the world's path is empty
"""

from collections.abc import Callable, Container, Mapping
from typing import Any

import casadi as ca
import numpy as np

from cardan.errors import nearest
from cardan.formats.sdf.document import MODEL, is_true
from cardan.formats.xml.meshes import MeshFiles
from cardan.formats.xml.placing import placement_data, pose
from cardan.formats.xml.tree import XmlElement, named, numbers, only, text
from cardan.frozen import dataclass, field
from cardan.spatial.rotations import from_quaternion, from_rpy, snap

_EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True)
class SdfFrame:
    """A model, link, joint or frame."""

    element: XmlElement  # the model, link, joint or frame itself
    scope: str  # path of the model in which it stands
    T: np.ndarray  # its pose in the frame `base` (4×4)
    base: str  # name of that frame in the scope
    holder: str = ""  # name of what it is fixed to: in the scope, that of a model in itself; empty of a link


@dataclass
class SdfFrames:
    """All frames of a document."""

    at: dict[str, SdfFrame] = field(default_factory=dict)  # by path
    links: dict[str, XmlElement] = field(default_factory=dict)  # by path, in the order of the file
    joints: dict[str, XmlElement] = field(default_factory=dict)  # but those between static links, likewise
    gears: dict[str, XmlElement] = field(default_factory=dict)  # joints that couple two others, likewise
    static: dict[str, XmlElement] = field(default_factory=dict)  # links that do not move, likewise
    meshes: dict[str, MeshFiles] = field(default_factory=dict)  # where the meshes of links are, by path
    poses: dict[str, np.ndarray] = field(default_factory=lambda: {"": np.eye(4)})  # in the world (4×4), found so far
    held: dict[str, str] = field(default_factory=lambda: {"": ""})  # paths of links to which frames are fixed, likewise

    def path(self, name: str, scope: str, element: XmlElement) -> str:
        """The path of the frame that an element in the model `scope` calls by its name."""
        if name in ("world", MODEL):
            return "" if name == "world" else scope
        path = within(scope, name)
        if path not in self.at:
            known = [one.removeprefix(f"{scope}::") for one, frame in self.at.items() if frame.scope == scope]
            raise element.fault(f"there is no link or frame {f'{name!r:.60}'}", nearest(name, known))
        return path

    def pose(self, path: str) -> np.ndarray:
        """The pose of a frame in the world (4×4)."""
        chain = self._chain(path, self.poses, self._base, "its pose is relative to one that is relative to it")
        for one, base in zip(chain[-2::-1], chain[:0:-1], strict=True):
            self.poses[one] = self.poses[base] @ self.at[one].T
        return self.poses[path]

    def link(self, path: str) -> str:
        """The path of the link to which a frame is fixed; empty for the world."""
        chain = self._chain(path, self.held, self._holder, "it is attached to what is attached to it")
        self.held |= dict.fromkeys(chain, self.held[chain[-1]])
        return self.held[path]

    def _chain(self, path: str, known: Container[str], step: Callable[[str], str], fault: str) -> list[str]:
        """The frames from one to the first that is known."""
        chain = [path]
        while chain[-1] not in known:
            if len(chain) > len(self.at):
                raise self.at[path].element.fault(fault, "take one of them out")
            chain.append(step(chain[-1]))
        return chain

    def _base(self, path: str) -> str:
        frame = self.at[path]
        return self.path(frame.base, frame.scope, frame.element)

    def _holder(self, path: str) -> str:
        frame = self.at[path]
        if not frame.holder:
            raise frame.element.fault(f"the model {path!r} has no link", "join another one")
        return self.path(frame.holder, path if frame.element.tag == "model" else frame.scope, frame.element)

    def between(self, first: str, second: str) -> np.ndarray:
        """The pose of the second frame in the first one (4×4), cleaned of round-off."""
        if second and self._base(second) == first:
            return self.at[second].T
        A, B = self.pose(first), self.pose(second)
        p = A[:3, :3].T @ (B[:3, 3] - A[:3, 3])
        p[abs(p) <= 3 * _EPSILON * (abs(A[:3, 3]).max() + abs(B[:3, 3]).max())] = 0  # of sums of three products
        return pose(snap(ca.DM(A[:3, :3].T @ B[:3, :3])).full(), p)

    def placement(self, path: str, element: XmlElement) -> dict[str, Any]:
        """Position and rotation of a part of a link in it."""
        T, frame = _pose_of(element)
        T = self.between(path, self.path(frame, self.at[path].scope, element)) @ T if frame else T
        return placement_data(T)

    def end(self, path: str, key: str) -> str:
        """The path of the link at one end of a joint, such as its `parent`; empty for the world."""
        joint, scope = self.at[path].element, self.at[path].scope
        return self.link(self.path(_end(joint, key), scope, joint))


def within(scope: str, name: str) -> str:
    """The path of what is called `name` in the model `scope`."""
    return f"{scope}::{name}" if scope else name


def _end(joint: XmlElement, key: str) -> str:
    if key not in joint.attributes:
        raise joint.fault(f"the joint has no <{key}>", f"write <{key}>…</{key}>, the name of a link")
    return joint.attributes[key]


def _pose_of(element: XmlElement) -> tuple[np.ndarray, str]:
    """The pose in an element (4×4), and the name of the frame in which it is; empty for the usual one."""
    found = only(element, "pose")
    if found is None:
        return np.eye(4), ""
    if found.attributes.get("rotation_format") == "quat_xyzw":
        x, y, z, *e = numbers(found, "value", (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
        if not any(e):
            raise found.fault("the quaternion is 0", "write 0 0 0 1, for no rotation")
        R = from_quaternion(ca.DM([e[3], *e[:3]]))
    else:
        x, y, z, *rpy = numbers(found, "value", (0.0,) * 6)
        R = from_rpy(ca.DM(np.radians(rpy) if is_true(found, "degrees") else rpy))
    frame = found.attributes.get("relative_to") or found.attributes.get("frame", "")  # of versions before 1.7
    return pose(snap(R).full(), (x, y, z)), frame


def frames_of(top: XmlElement, meshes: Mapping[int, MeshFiles]) -> SdfFrames:
    """The frames of a document; `meshes` are those of `read_whole`."""
    found = SdfFrames()
    waiting = [("", one, False, meshes[id(top)]) for one in (top, only(top, "world")) if one is not None]
    for scope, model, is_static, files in waiting:  # which grows
        tags = ("link", "frame", "model") if scope else ("frame", "model")  # links stand in models
        for name, element in [one for tag in tags for one in named(model, tag).items()]:
            path = within(scope, name)
            if path in found.at or name in ("world", MODEL):
                fault = f"there is another link, frame or model {name!r}, or SDF itself has it"
                raise element.fault(fault, "rename it")
            T, base = _pose_of(element)
            holder = element.attributes.get("attached_to") or MODEL
            if "placement_frame" in element.attributes:
                raise element.fault("placement_frame is not read", "give the pose of the model itself")
            if element.tag == "link":
                own = meshes.get(id(element), files)
                found.links[path], found.meshes[path], found.held[path] = element, own, path
                found.static |= {path: element} if is_static else {}
            elif element.tag == "model":
                bodies = [one.name for tag in ("link", "model") for one in element.all(tag)]
                holder = element.attributes.get("canonical_link") or next(iter(bodies), "")
                static = is_static or is_true(element, "static")
                waiting.append((path, element, static, meshes.get(id(element), files)))
            usual = holder if element.tag == "frame" else MODEL
            found.at[path] = SdfFrame(element, scope, T, base or usual, holder)
        for name, joint in named(model, "joint").items():
            path = within(scope, name)
            while path in found.at:  # files before version 1.7 have joints with the name of a link
                path += "_joint"
            T, base = _pose_of(joint)
            child = _end(joint, "child")
            found.at[path] = SdfFrame(joint, scope, T, base or child, child)
            (found.gears if text(joint, "type") == "gearbox" else found.joints)[path] = joint
    of_static = [path for path in found.joints if found.link(path) in found.static]
    for path in of_static:
        if found.end(path, "parent") in ("", *found.static):
            del found.joints[path]
    return found
