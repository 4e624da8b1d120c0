"""Springs and dampers of joints that a joint of a model has not: they become forces between its places.

Source: MuJoCo's documentation, Computation, "Polynomial forces": a x + b x² + c x³ and a v + b v |v| + c v³
"""

import math
from collections.abc import Mapping
from typing import Any

from cardan.formats.xml.tree import XmlElement, all_numbers


def coefficients(joint: XmlElement, key: str) -> tuple[float, float, float]:
    """a, b and c of a stiffness or damping, of which a file gives the first ones."""
    a, b, c = (*all_numbers(joint, key), 0.0, 0.0, 0.0)[:3]
    return a, b, c


def force_data(joint: XmlElement, name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """The data of the force of a joint, whose own data are `entry`; empty where it needs none.

    The spring of a ball turns its body back by the shortest way, as a bushing with equal springs does.
    """
    ends = {end: entry[end] for end in ("parent", "child")}
    if entry["type"] in ("spherical", "free"):
        k = coefficients(joint, "stiffness")[0]
        along = k if entry["type"] == "free" else 0
        return {"type": "bushing", **ends, "stiffness": [*[along] * 3, *[k] * 3]} if k else {}
    (_, b, c), (_, d, e) = (coefficients(joint, key) for key in ("stiffness", "damping"))
    x = f"({name} - {entry['rest']!r})" if "rest" in entry else name
    terms = [f"{factor!r}*{power}" for factor, power in ((b, f"{x}**2"), (c, f"{x}**3")) if factor]
    terms += [f"{d!r}*{name}.v*abs({name}.v)"] * bool(d) + [f"{e!r}*{name}.v**3"] * bool(e)
    if not terms:
        return {}
    size = math.hypot(*entry["axis"])
    value = [f"{-one / size!r}*({' + '.join(terms)})" if one else 0 for one in entry["axis"]]
    kind = "torque" if entry["type"] == "revolute" else "force"
    return {"type": kind, **ends, "frame": "parent", "value": value}
