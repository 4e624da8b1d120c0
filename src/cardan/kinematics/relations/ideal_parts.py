"""Ideal parts of reactions along the normal and binormal of their path, on which given parts may depend.

Source: docs/non_ideal_constraints.md
"""

from collections.abc import Mapping
from dataclasses import replace

from cardan.kinematics.constraints import constraint_rows
from cardan.kinematics.motion import Motion
from cardan.kinematics.relations.moving_axes import moving_axes
from cardan.kinematics.scope import value
from cardan.kinematics.tree import LoadPlacement, Number, Tree
from cardan.model.quantities.number_kind import IDEAL_PARTS
from cardan.model.records.walk import scalars


def following(tree: Tree) -> tuple[LoadPlacement, ...]:
    """Given parts of reactions that depend on the ideal part of the same reaction."""
    return tuple(load for load in tree.loads if load.given and _ideal_names(load))


def _ideal_names(load: LoadPlacement) -> list[str]:
    used = {name for _, scalar in scalars(load.record) for name in scalar.names}
    return [name for part in IDEAL_PARTS if (name := f"{load.name}.{part}") in used]


def ideal_parts(tree: Tree, state: Motion, lam: Number) -> dict[str, Number]:
    """The ideal parts [N] that given parts of reactions name, by their full names: `wire.normal`."""
    out: dict[str, Number] = {}
    loads = following(tree)
    owners = [row.owner for row in constraint_rows(tree, state)] if loads else []
    for load in loads:
        axes = moving_axes(tree, state, load.name, value)
        assert axes is not None, "paths are checked when the system is built"
        force = axes.gradients @ lam[[k for k, owner in enumerate(owners) if owner == load.name], :]
        parts = dict(zip(IDEAL_PARTS, (axes.R[:, 1].T @ force, axes.R[:, 2].T @ force), strict=True))
        out |= {name: parts[name.rpartition(".")[2]] for name in _ideal_names(load)}
    return out


def with_ideal_parts(tree: Tree, state: Motion, parts: Mapping[str, Number]) -> Motion:
    """The state of motion in which expressions find the ideal parts of reactions."""
    return replace(state, reactions=dict(parts)) if parts else state
