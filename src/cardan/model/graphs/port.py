"""Port of a hand-made bond graph: where it drives a mechanism.

In the eyes of the graph a source of flow, the speed of a joint or the rate of the distance between two markers; its
effort acts on the joint, or on the markers along their line. With the half-arrow into the port, power that is positive
flows into the mechanism.
"""

from collections.abc import Iterator
from typing import Literal

from cardan.bond_graphs import GraphElement
from cardan.errors import Issue, nearest
from cardan.model.graphs.part import DomainName, GraphNumber, GraphPart
from cardan.model.place import GROUND, End
from cardan.model.records.known_names import KnownNames
from cardan.model.topology import how_to_free


class GraphPort(GraphPart):
    """A joint, or the line between two markers, that a graph drives."""

    type: Literal["port"] = "port"
    joint: str | None = None  # joint with one velocity, or joint.component
    parent: End = GROUND  # marker from which the distance is counted; without a joint
    child: End | None = None  # marker to which it is counted
    domain: DomainName | None = None  # translation or rotation, where no junction says it

    is_port = True

    def core(self, name: str, number: GraphNumber, sizes: tuple[int, int] = (1, 1)) -> GraphElement:
        return GraphElement(name, "Sf", value=number(None), of=self.joint or "")

    def own_domain(self) -> str:
        return self.domain or ("" if self.joint is not None else "translation")

    def own_size(self) -> int | None:
        return 1

    def law_issues(self) -> Iterator[Issue]:
        if (self.joint is None) == (self.child is None):
            what = "neither a joint nor a child marker" if self.joint is None else "a joint and a child marker"
            yield Issue(f"the port has {what}", "give joint, or parent and child")

    @property
    def driven(self) -> tuple[str, str]:
        """Joint, and suffix of its motion: ("base", ".r") for `joint: base.r`."""
        joint, dot, component = (self.joint or "").partition(".")
        return joint, dot + component

    def name_issues(self, names: KnownNames, domain: str) -> Iterator[Issue]:
        if self.joint is None:
            assert self.child is not None, "law_issues asks for it"
            yield from names.place_issues(parent=self.parent, child=self.child)
            if self.parent == self.child:
                yield Issue(f"both ends are {str(self.child)!r}", "give parent or child another marker", ("child",))
            return
        joint = names.model.joints.get(self.driven[0])
        if joint is None:
            yield Issue(
                f"there is no joint {self.driven[0]!r}", nearest(self.driven[0], names.model.joints), ("joint",)
            )
            return
        yield from (issue for issue in joint.drive_issues(*self.driven))
        if self.driven[0] not in names.carrying:
            fault = f"the joint {self.driven[0]!r} closes a loop, so no graph can drive it"
            cure = how_to_free(self.driven[0], names.model.joints, names.model.bodies)
            yield Issue(fault, cure, ("joint",))
        unit = dict(joint.velocities).get(self.driven[1])
        wanted = {"m/s": "translation", "rad/s": "rotation"}.get(unit or "")
        if wanted and wanted != domain:
            yield Issue(
                f"the joint {self.joint!r} moves in {unit}, but the port's bond is {domain}",
                f"join it to a junction of {wanted}",
                ("joint",),
            )
