"""The frames of a document: where its models, links, joints and frames are, by paths such as `robot::arm`.

Source: SDFormat specification, "Pose frame semantics"; the world's path is empty
"""

import casadi as ca
import numpy as np

from cardan.errors import nearest
from cardan.formats.sdf.document import is_true
from cardan.formats.xml.tree import XmlElement, named, numbers, only, text
from cardan.frozen import dataclass, field
from cardan.spatial.rotations import from_quaternion, from_rpy, snap

_MODEL = "__model__"
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
    joints: dict[str, XmlElement] = field(default_factory=dict)  # likewise
    gears: dict[str, XmlElement] = field(default_factory=dict)  # joints that couple two others, likewise
    static: set[str] = field(default_factory=set)  # paths of the links that do not move
    poses: dict[str, np.ndarray] = field(default_factory=lambda: {"": np.eye(4)})  # poses in the world (4×4), found yet

    def path(self, name: str, scope: str, element: XmlElement) -> str:
        """The path of the frame that an element in the model `scope` calls by its name."""
        if name in ("world", _MODEL):
            return "" if name == "world" else scope
        path = within(scope, name)
        if path not in self.at:
            known = [one.removeprefix(f"{scope}::") for one, frame in self.at.items() if frame.scope == scope]
            raise element.fault(f"there is no link or frame {f'{name!r:.60}'}", nearest(name, known))
        return path

    def pose(self, path: str) -> np.ndarray:
        """The pose of a frame in the world (4×4)."""
        chain: list[tuple[str, np.ndarray]] = []
        while path not in self.poses:
            frame = self.at[path]
            if len(chain) > len(self.at):
                raise frame.element.fault("its pose is relative to one that is relative to it", "take one of them out")
            chain.append((path, frame.T))
            path = self.path(frame.base, frame.scope, frame.element)
        T = self.poses[path]
        for one, T_base in reversed(chain):
            self.poses[one] = T = T @ T_base
        return T

    def between(self, first: str, second: str) -> np.ndarray:
        """The pose of the second frame in the first one (4×4), cleaned of round-off."""
        frame = self.at.get(second)
        if frame is not None and self.path(frame.base, frame.scope, frame.element) == first:
            return frame.T
        A, B = self.pose(first), self.pose(second)
        p = A[:3, :3].T @ (B[:3, 3] - A[:3, 3])
        p[abs(p) <= 3 * _EPSILON * (abs(A[:3, 3]).max() + abs(B[:3, 3]).max())] = 0  # of sums of three products
        return pose(A[:3, :3].T @ B[:3, :3], p)

    def link(self, path: str) -> str:
        """The path of the link to which a frame is fixed; empty for the world."""
        first, count = path, 0
        while path and path not in self.links:
            frame = self.at[path]
            inside = path if frame.element.tag == "model" else frame.scope
            if not frame.holder:
                raise frame.element.fault(f"the model {path!r} has no link", "join another one")
            path, count = self.path(frame.holder, inside, frame.element), count + 1
            if count > len(self.at):
                raise self.at[first].element.fault("it is attached to what is attached to it", "take one of them out")
        return path

    def end(self, path: str, key: str) -> str:
        """The path of the link at one end of a joint, `parent` or `child`; empty for the world."""
        joint, scope = self.at[path].element, self.at[path].scope
        return self.link(self.path(_end(joint, key), scope, joint))


def _end(joint: XmlElement, key: str) -> str:
    name = joint.attributes.get(key, "")
    if not name:
        raise joint.fault(f"the joint has no <{key}>", f"write <{key}>…</{key}>, the name of a link")
    return name


def within(scope: str, name: str) -> str:
    """The path of what is called `name` in the model `scope`."""
    return f"{scope}::{name}" if scope else name


def pose(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Pose (4×4) with the rotation R (3×3), its zeros and ones exact, and the position p (3,)."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = snap(ca.DM(R)).full(), p
    return T


def pose_of(element: XmlElement) -> tuple[np.ndarray, str]:
    """The pose in an element (4×4), and the name of the frame in which it is; empty for the usual one."""
    found = only(element, "pose")
    if found is None:
        return np.eye(4), ""
    if found.attributes.get("rotation_format") == "quat_xyzw":
        x, y, z, *e = numbers(element, "pose", (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
        if not any(e):
            raise found.fault("the quaternion is 0", "write 0 0 0 1, for no rotation")
        R = from_quaternion(ca.DM([e[3], *e[:3]]) / np.linalg.norm(e))
    else:
        x, y, z, *rpy = numbers(element, "pose", (0.0,) * 6)
        R = from_rpy(ca.DM(np.radians(rpy) if is_true(found, "degrees") else rpy))
    return pose(R.full(), np.array([x, y, z])), found.attributes.get("relative_to") or found.attributes.get("frame", "")


def frames_of(top: XmlElement) -> SdfFrames:
    """The frames of a document."""
    found = SdfFrames()
    world = only(top, "world")
    waiting = [("", one, False) for one in (top, world) if one is not None]
    while waiting:
        scope, model, is_static = waiting.pop(0)
        inner, links = named(model, "model"), named(model, "link")
        for name, element in (*links.items(), *named(model, "frame").items(), *inner.items()):
            T, base = pose_of(element)
            holder = element.attributes.get("attached_to", "") if element.tag == "frame" else ""
            usual = holder or _MODEL
            if element.tag == "model":
                bodies = [one.name for tag in ("link", "model") for one in element.all(tag)]
                holder = element.attributes.get("canonical_link") or next(iter(bodies), "")
            elif element.tag == "frame":
                holder = usual
            path = within(scope, name)
            if path in found.at:
                raise element.fault(f"there are two links, frames or models {name!r}", "rename one of them")
            found.at[path] = SdfFrame(element, scope, T, base or usual, holder)
            if element.tag == "link":
                found.links[path] = element
                found.static |= {path} if is_static else set()
            elif element.tag == "model":
                if "placement_frame" in element.attributes:
                    raise element.fault("placement_frame is not read", "give the pose of the model itself")
                waiting.append((path, element, is_static or is_true(element, "static")))
        for name, joint in named(model, "joint").items():
            path = within(scope, name)
            while path in found.at:  # files before version 1.7 have joints with the name of a link
                path += "_joint"
            T, base = pose_of(joint)
            child = _end(joint, "child")
            found.at[path] = SdfFrame(joint, scope, T, base or child, child)
            (found.gears if text(joint, "type") == "gearbox" else found.joints)[path] = joint
    found.joints = {path: one for path, one in found.joints.items() if found.link(path) not in found.static}
    return found
