"""Serial arms from Denavit–Hartenberg tables: one row for each joint and the body behind it.

Source: Denavit & Hartenberg 1955, J. Applied Mechanics 22:215 (standard); Craig 1986, *Introduction to Robotics*, §3.4
(modified)
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from cardan.errors import Issue, ModelError, nearest
from cardan.model.body import Body
from cardan.model.joints import JOINTS
from cardan.model.model import Model
from cardan.model.place import GROUND
from cardan.model.quantities.scalar import Scalar, is_quantity

_TABLE = ("theta", "d", "a", "alpha")
_KINDS = ("revolute", "prismatic")
_OWN = ("type", "joint", "body", *_TABLE)


def from_dh(
    table: Sequence[Mapping[str, Any]],
    convention: Literal["standard", "modified"] = "standard",
    **sections: Any,
) -> Model:
    """The serial arm of a Denavit–Hartenberg table.

    Frame i of the table is that of the i-th body, in which its centre of mass and inertia are given. It stands in the
    frame before it at Rz(θ) Tz(d) Tx(a) Rx(α) in the standard convention, and at Rx(α) Tx(a) Rz(θ) Tz(d) in the
    modified one, whose a and α have the index i − 1 in Craig's table.

    Parameters
    ----------
    table : sequence of mappings
        A row for each joint, from the base on: `theta`, `d`, `a`, `alpha`, each 0 where it is left out; the `type`,
        "revolute" (default) or "prismatic"; names of `joint` and `body`, by default q1 and link1 onwards. The
        coordinate is added to `theta` of a revolute joint and to `d` of a prismatic one. All that a body has may
        follow (mass, com, inertia, shapes), and all that a joint has (limits, damping, friction, armature). Values are
        numbers in SI, quantities ("90 deg") or expressions of parameters.
    convention : "standard" or "modified"
        Where frames stand: at the far end of their link, or at its near end.
    **sections : any
        Further sections of the model: name, parameters, gravity, motors, inputs, initial, simulate.

    Raises
    ------
    ModelError
        The convention, a key or a type is unknown, a name is there twice, or the model is wrong.

    Example
    -------
    >>> import cardan
    >>> arm = cardan.from_dh([{"a": "0.4 m"}, {"a": "0.3 m", "mass": "2 kg"}], name="planar arm")
    >>> cardan.compile(arm).forward_kinematics([0, 0])["link2"][:3, 3].tolist()
    [0.7, 0.0, 0.0]
    """
    if convention not in ("standard", "modified"):
        cure = nearest(str(convention), ("standard", "modified"))
        raise ModelError(Issue(f"there is no convention {convention!r}", cure, ("convention",)))
    parts: dict[str, dict[str, Any]] = {"bodies": {}, "joints": {}}
    for given in parts:
        if given in sections:
            raise ModelError(Issue(f"the table gives the {given}", "add others with model.replace", (given,)))
    before = GROUND
    for k, row in enumerate(table):
        body, joint = _row(row, k)
        name, label = str(row.get("body", f"link{k + 1}")), str(row.get("joint", f"q{k + 1}"))
        for section, one in (("bodies", name), ("joints", label)):
            if one in parts[section]:
                raise ModelError(Issue(f"{one!r} is there twice", "give another name", ("table", k)))
        near, far = _PLACES[convention](*(row.get(key, 0) for key in _TABLE))
        parts["bodies"][name] = body
        parts["joints"][label] = {**joint, "parent": _place(before, near), "child": _place(name, far), "axis": "z"}
        before = name
    return Model(**parts, **sections)


def _row(row: Mapping[str, Any], k: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a row says of its body, and of its joint."""
    if not isinstance(row, Mapping):
        cure = 'write {"theta": 0, "d": 0, "a": 0.4, "alpha": 0}'
        raise ModelError(Issue(f"{f'{row!r:.60}'} is no row with names", cure, ("table", k)))
    kind = row.get("type", "revolute")
    if kind not in _KINDS:
        raise ModelError(Issue(f"a row has no type {kind!r}", f"known: {', '.join(_KINDS)}", ("table", k, "type")))
    of_joint = [key for key in JOINTS[kind].model_fields if key not in ("parent", "child", "axis")]
    known = [*_OWN, *Body.model_fields, *of_joint]
    for key in row:
        if key not in known:
            raise ModelError(Issue(f"a row has no {key!r}", nearest(str(key), known), ("table", k)))
    body = {key: entry for key, entry in row.items() if key in Body.model_fields}
    return body, {"type": kind, **{key: entry for key, entry in row.items() if key in of_joint}}


def _standard(theta: Any, d: Any, a: Any, alpha: Any) -> tuple[Any, Any]:
    """The marker Rz(θ) Tz(d) on the body before, and the inverse of Tx(a) Rx(α) on the body."""
    return ((0, 0, d), (0, 0, theta)), ((_negative(a), 0, 0), (_negative(alpha), 0, 0))


def _modified(theta: Any, d: Any, a: Any, alpha: Any) -> tuple[Any, Any]:
    """The marker Rx(α) Tx(a) on the body before, and the inverse of Rz(θ) Tz(d) on the body."""
    return ((a, 0, 0), (alpha, 0, 0)), ((0, 0, _negative(d)), (0, 0, _negative(theta)))


_PLACES = {"standard": _standard, "modified": _modified}


def _place(body: str, placement: tuple[Any, Any]) -> Any:
    """A frame on a body, of which what is zero is left out."""
    said = {
        key: list(entries)
        for key, entries in zip(("position", "rpy"), placement, strict=True)
        if any(map(_is_some, entries))
    }
    return {"body": body, **said} if said else body


def _is_some(value: Any) -> bool:
    return Scalar.read(value).value != 0


def _negative(value: Any) -> Any:
    """With the opposite sign, written as the value is."""
    if not isinstance(value, str):
        return -value if _is_some(value) else 0
    text = value.strip()
    if not is_quantity(text):
        return f"-({text})"
    return text.removeprefix("-") if text.startswith("-") else f"-{text.removeprefix('+')}"
