"""Results over time for the plots beside an animation."""

from collections.abc import Sequence
from typing import Any

from cardan.results.channel import check_units, shown_in
from cardan.results.trajectory import Trajectory
from cardan.view.names import check_known, find_channel, moving_states
from cardan.view.scene.document import packed
from cardan.view.scene.motion import ShownMotion

MOST = 4  # plots that are chosen without being named: what fits beside the mechanism


def panels(run: Trajectory, names: Sequence[str] | None, units: str = "rad") -> list[dict[str, Any]]:
    """Name, unit ("" of plain numbers) and values of each plot; a vector has one for each component."""
    check_units(units)
    motion = ShownMotion(run)
    out = []
    for name in _chosen(motion) if names is None else names:
        check_known(run, name)
        channel, component = find_channel(run, name)
        values = run.array(channel.name)[motion.shown].reshape(motion.shown.size, len(channel.columns))
        unit, factor = shown_in(channel.unit, units)
        for k in range(values.shape[1]) if component is None else [component]:
            out.append(
                {
                    "name": channel.columns[k],
                    "unit": "" if unit == "1" else unit,
                    "description": channel.description,
                    "values": packed(factor * values[:, k]),
                }
            )
    return out


def _chosen(motion: ShownMotion) -> list[str]:
    outputs = [name for name in motion.model.outputs if name in motion.run.channels]
    moving = moving_states([motion.run])
    positions = [name for name in moving if name.endswith(".q")]
    return (outputs or positions or list(moving))[:MOST]
