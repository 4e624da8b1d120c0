"""`draw`: a mechanism as a kinematic diagram, in the position in which it starts or in another one."""

import errno
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from cardan.errors import ModelError
from cardan.frozen import dataclass
from cardan.model.model import Model, check_bodies, check_model
from cardan.safety.writing import replacing
from cardan.view.drawing.bodies import draw_bodies, draw_masses, extent, skeletons
from cardan.view.drawing.camera import Camera, camera_of
from cardan.view.drawing.connections import curve_lines, draw_connections, draw_curves, draw_gears
from cardan.view.drawing.ground import draw_floors
from cardan.view.drawing.joints import draw_guides, draw_joints, joint_views
from cardan.view.drawing.labels import place_labels
from cardan.view.drawing.marks.coordinates import draw_coordinates
from cardan.view.drawing.marks.dimensions import draw_dimensions
from cardan.view.drawing.marks.frames import draw_frames
from cardan.view.drawing.marks.friction import draw_friction, draw_path_friction
from cardan.view.drawing.marks.loads import draw_compass, draw_loads
from cardan.view.drawing.marks.names import body_names, draw_motor, joint_names, motor_names, motor_requests, names_at
from cardan.view.drawing.marks.relations import draw_notes, draw_relations
from cardan.view.drawing.marks.stops import draw_stops
from cardan.view.drawing.pen import Pen
from cardan.view.drawing.records import Sheet
from cardan.view.drawing.stops import stop_places, stop_points
from cardan.view.drawing.svg import as_svg
from cardan.view.drawing.tree import tree_sheet
from cardan.view.scene.scene import up_of
from cardan.view.scene.still import StillPosition

FORMATS = (".svg", ".png", ".pdf")
"""What a drawing can be written as."""

Labels = Literal["none", "joints", "all"]


@dataclass(frozen=True, eq=False)
class Drawing:
    """A kinematic diagram; in a notebook it shows itself.

    Parameters
    ----------
    sheet : Sheet
        Its lines and words.
    """

    sheet: Sheet

    @property
    def svg(self) -> str:
        """The drawing as SVG; its colours follow those of the page, light or dark."""
        return as_svg(self.sheet)

    def __repr__(self) -> str:
        """What it shows."""
        return f"<Drawing of {self.sheet.title or 'a model without a name'}>"

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return self.svg

    def save(self, path: str | Path) -> Path:
        """Write the drawing and return its path; a file is written whole or not at all.

        Parameters
        ----------
        path : str or Path
            Where to: .svg, .png or .pdf.

        Raises
        ------
        ModelError
            The extension is another one.
        FileNotFoundError
            There is no such folder.
        OSError
            The file cannot be written.
        """
        path = Path(path)
        check_drawing(path)
        kind = path.suffix.lower().removeprefix(".")
        if kind == "svg":
            content = self.svg.encode()
        else:
            from cardan.view.drawing.paper import as_image

            content = as_image(self.sheet, kind)
        with replacing(path) as stream:
            stream.write(content)
        return path


@dataclass(frozen=True)
class _Marks:
    """What is shown beside the mechanism."""

    coordinates: bool
    dimensions: bool
    frames: bool


def check_drawing(path: Path) -> None:
    """Refuse a file that a drawing cannot be written to."""
    if path.suffix.lower() not in FORMATS:
        raise ModelError(f'{path}: no drawing has the extension "{path.suffix}"', f"use one of {', '.join(FORMATS)}")
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no folder", str(path.parent))


def draw(
    model: Model,
    path: str | Path | None = None,
    *,
    initial: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    view: str | tuple[float, float] | None = None,
    labels: Labels = "all",
    coordinates: bool = False,
    dimensions: bool = False,
    frames: bool = False,
    tree: bool = False,
) -> Drawing:
    """Return a kinematic diagram of a model, and write it to a file if a path is given.

    Parameters
    ----------
    model : Model
        The mechanism.
    path : str or Path, optional
        Where to: .svg, .png or .pdf.
    initial : mapping, optional
        Coordinates of another position, by name, as `assemble` takes them.
    parameters : mapping, optional
        Other values of parameters: SI, or text with a unit.
    view : "xy", "xz", "yz", "iso", "azimuth,elevation" or pair of numbers, optional
        From which side, angles in degrees; by default the plane of a planar model, else "iso".
    labels : "none", "joints" or "all"
        What is named: all are joints, bodies, motors, springs, forces, friction and equations.
    coordinates : bool
        Whether the coordinates are shown, as arrows from where they are zero.
    dimensions : bool
        Whether the lengths of links and rods are shown.
    frames : bool
        Whether the frame of every body is shown, numbered in the order of the file: x1, y1, z1 of the first one.
    tree : bool
        Whether the tree of bodies and joints is drawn in place of the mechanism; joints that close loops are dashed.

    Raises
    ------
    ModelError
        It is not a model, it has no bodies, there is no such view or choice of labels, a tree shall have marks of a
        position, or the file cannot be a drawing.
    AssemblyError
        Its loops do not close.
    OSError
        The file cannot be written.

    Example
    -------
    >>> import cardan
    >>> cardan.draw(cardan.load("compound_pendulum")).svg.startswith("<svg")
    True
    """
    check_model(model)
    check_bodies(model)
    if path is not None:
        check_drawing(Path(path))
    if labels not in Labels.__args__:  # type: ignore[attr-defined]
        raise ModelError(f"labels={labels!r:.60} is not possible", f"write one of {', '.join(Labels.__args__)}")  # type: ignore[attr-defined]
    if tree:
        if view is not None or coordinates or dimensions or frames:
            fault = "a tree shows no position, so it has no view, coordinates, dimensions or frames"
            raise ModelError(fault, "leave them out, or draw the mechanism")
        drawing = Drawing(tree_sheet(model))
        if path is not None:
            drawing.save(path)
        return drawing
    position = StillPosition(model, initial, parameters)
    camera = camera_of(view, model.planar, up_of(position))
    drawing = Drawing(_sheet(position, camera, labels, _Marks(coordinates, dimensions, frames)))
    if path is not None:
        drawing.save(path)
    return drawing


def _sheet(position: StillPosition, camera: Camera, labels: Labels, marks: _Marks) -> Sheet:
    """Draw from the hindmost to the foremost, then find places for words."""
    bodies = skeletons(position)
    every, joints = extent(position, bodies)
    curves = curve_lines(position, float(np.linalg.norm(np.ptp(every, axis=0))) or 1.0)
    every = np.concatenate([every, *(points for lines in curves.values() for points in lines)])
    stops = stop_places(position, float(np.linalg.norm(np.ptp(every, axis=0))))
    scale = camera.scale(np.concatenate([every, stop_points(position, stops)]), joints)
    pen = Pen(camera, scale, Sheet(position.model.name or "mechanism"))
    views = joint_views(pen, position, bodies, stops)
    named = {view.name: view for view in views}
    draw_floors(pen, position, every)
    draw_guides(pen, position, views)
    relations = draw_relations(pen, position, named)
    draw_gears(pen, position, {name: body.colour for name, body in bodies.items()})
    draw_bodies(pen, bodies, position)
    sliding = draw_curves(pen, position, curves)
    springs = draw_connections(pen, position)
    draw_joints(pen, views)
    for view in views:
        draw_stops(pen, view)
    rubbing = draw_friction(pen, views) + draw_path_friction(pen, position, curves)
    drawn = {stroke.owner for stroke in pen.sheet.strokes}
    draw_masses(pen, bodies, np.array([pen.at(view.c) for view in views if f"joint {view.name}" in drawn]))
    arrows = draw_loads(pen, position)
    wanted = draw_frames(pen, position) if marks.frames else []
    wanted += draw_dimensions(pen, position, bodies) if marks.dimensions else []
    wanted += draw_coordinates(pen, views, position.coordinates) if marks.coordinates else []
    motors = motor_requests(pen, named, {name: m.driven[0] for name, m in position.model.motors.items()})
    draw_compass(pen, position, pen.sheet)
    for request, middle, joint in place_labels(pen.sheet, motors):
        draw_motor(pen, request, middle, joint)
    draw_notes(pen, position, named, labels == "all")
    if labels != "none":
        wanted += joint_names(pen, views)
    if labels == "all":
        others = {name: at for name, at in {**sliding, **springs}.items() if name not in named}
        wanted += names_at(others, "spring", "ink", 12.0) + names_at(arrows, "force", "force", 8.0)
        wanted += rubbing + relations + body_names(pen, bodies, named)
        wanted += motor_names(pen)
    place_labels(pen.sheet, wanted)
    return pen.sheet
