"""Pictures of a scene that VTK draws without a window and without a browser."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection
from functools import cache
from typing import Any

import numpy as np
from matplotlib.colors import to_rgb

from cardan.errors import ModelError
from cardan.view.animation.offscreen.camera import Grid, grid, standpoint
from cardan.view.animation.offscreen.library import vtk
from cardan.view.animation.offscreen.pieces import MovingSurface, arrow_scales, pieces
from cardan.view.animation.offscreen.snapshot import Snapshot, snapshot
from cardan.view.animation.offscreen.solids import Surface
from cardan.view.scene.look import LOOK
from cardan.view.scene.records import Scene, Trace

__all__ = ["Stage"]

_MARGIN, _LINE = 14, 8  # of the texts, as in the page's style [pixels]


class Stage:
    """A scene ready to be drawn at any time.

    Parameters
    ----------
    scene : Scene
        The mechanism and its motion.
    size : tuple of int
        Width and height of its pictures in pixels.
    theme : "light" or "dark"
        Its colours.
    look : str
        Where the camera stands.
    shown : collection of str
        Layers that are shown.
    follow : str
        Body that the camera goes along with; "" for none.

    Raises
    ------
    ModelError
        This machine has no OpenGL, not even in software.
    """

    def __init__(
        self,
        scene: Scene,
        size: tuple[int, int],
        *,
        theme: str,
        look: str,
        shown: Collection[str],
        follow: str = "",
    ) -> None:
        self._scene, self._size, self._follow = scene, size, follow
        self._standpoint = standpoint(scene, look, size[0] / size[1])
        self._colours = LOOK["themes"][theme]
        self._near, self._over = vtk().vtkRenderer(), vtk().vtkRenderer()  # what shines through is drawn over all else
        self._window = _window(size)
        self._sun = _lit(self._window, self._near, self._over, self._colours["background"])
        self._camera = self._near.GetActiveCamera()
        self._camera.SetViewAngle(LOOK["camera"]["angle"])
        self._over.SetActiveCamera(self._camera)
        self._moving = [(piece, self._actors(piece)) for piece in pieces(scene, theme, shown)]
        if "grid" in shown:
            self._near.AddActor(_grid_lines(grid(scene), self._colours["grid"]))
        pixel = 2 * np.tan(np.radians(LOOK["camera"]["angle"]) / 2) * self._standpoint.distance / size[1]
        shown_paths = scene.traces if "traces" in shown else ()
        self._paths = [_Path(scene, one, self._near, float(pixel)) for one in shown_paths]
        self._text(scene.title, 16, "text", "left", "top", bold=True)
        self._text(_scales(scene, shown), 12, "quiet", "left", "bottom")
        self._clock = self._text("", 14, "text", "right", "bottom")

    def picture(self, t: float) -> np.ndarray:
        """The picture (height, width, 3) at a time, red, green and blue from 0 to 255.

        Parameters
        ----------
        t : float
            The time [s].
        """
        now = snapshot(self._scene, t)
        for piece, actors in self._moving:
            T = piece.where(now)
            for actor in actors:
                actor.SetVisibility(T is not None)
                if T is not None:
                    matrix = vtk().vtkMatrix4x4()
                    matrix.DeepCopy(T.ravel())
                    actor.SetUserMatrix(matrix)
        for path in self._paths:
            path.divide(now.before)
        self._stand(now)
        self._clock.SetInput(_clock(t, float(np.ptp(self._scene.instants))))
        self._window.Render()
        width, height = self._size
        raw = vtk().vtkUnsignedCharArray()
        self._window.GetPixelData(0, 0, width - 1, height - 1, 0, raw, 0)
        return vtk().vtk_to_numpy(raw).reshape(height, width, 3)[::-1].copy()

    def _stand(self, now: Snapshot) -> None:
        """Puts the camera at its place, or along with a body, and the light above it."""
        k = self._scene.bodies.index(self._follow) if self._follow else None
        shift = np.zeros(3) if k is None else now.between(self._scene.positions)[k] - self._scene.positions[0, k]
        eye, target, distance = self._standpoint.eye + shift, self._standpoint.target + shift, self._standpoint.distance
        self._camera.SetPosition(*eye)
        self._camera.SetFocalPoint(*target)
        self._camera.SetViewUp(*self._scene.up)
        self._camera.SetClippingRange(distance / 200, distance * 50)
        self._sun.SetPosition(*(eye + LOOK["light"]["sun_above"] * distance * self._scene.up))
        self._sun.SetFocalPoint(*target)

    def _actors(self, piece: MovingSurface) -> list[Any]:
        """The actors of a solid: its surface, its edges, and itself once more where it shines through."""
        data = _surface(piece.solid)
        surface = _actor(data, piece.colour)
        if piece.style == "flat":
            surface.GetProperty().LightingOff()
        else:
            _shade(surface)
        self._near.AddActor(surface)
        actors = [surface]
        if piece.solid.has_edges and piece.style != "flat":
            actors.append(_actor(_edges(data), "#000000", LOOK["opacity"]["edge"]))
            actors[-1].GetProperty().LightingOff()
            self._near.AddActor(actors[-1])
        if piece.shines_through:
            actors.append(_actor(data, piece.colour, LOOK["opacity"]["ghost"]))
            _shade(actors[-1])
            self._over.AddActor(actors[-1])
        return actors

    def _text(self, text: str, size: int, role: str, side: str, end: str, *, bold: bool = False) -> Any:
        actor = vtk().vtkTextActor()
        actor.SetInput(text)
        style = actor.GetTextProperty()
        style.SetFontSize(size)
        style.SetBold(bold)
        style.SetColor(*to_rgb(self._colours[role]))
        width, height = self._size
        getattr(style, f"SetJustificationTo{side.capitalize()}")()
        getattr(style, f"SetVerticalJustificationTo{end.capitalize()}")()
        actor.SetPosition(_MARGIN if side == "left" else width - _MARGIN, _LINE if end == "bottom" else height - _LINE)
        self._near.AddViewProp(actor)
        return actor


class _Path:
    """The path of a point: strong behind it, faint ahead of it.

    Of its corners those a pixel apart are drawn: the ends of shorter lines would fray it.
    """

    def __init__(self, scene: Scene, trace: Trace, renderer: Any, pixel: float) -> None:
        self._pixel = pixel
        count = scene.instants.size
        self._points = np.array([Snapshot(scene, k, 0.0).point(trace.place) for k in range(count)])
        colour = scene.colours.get(trace.place.body, LOOK["still"])
        self._parts = [vtk().vtkPolyData(), vtk().vtkPolyData()]
        for part, side, opacity in zip(self._parts, ("behind", "ahead"), (1.0, LOOK["opacity"]["ahead"]), strict=True):
            actor = _actor(part, colour, opacity)
            actor.GetProperty().SetLineWidth(LOOK["path"][side])
            actor.GetProperty().LightingOff()
            actor.GetProperty().SetRenderLinesAsTubes(side == "behind")  # else the joints of wide lines have gaps
            actor.GetMapper().SetResolveCoincidentTopologyToOff()
            renderer.AddActor(actor)

    def divide(self, k: int) -> None:
        """Divides the path at an instant.

        Parameters
        ----------
        k : int
            Number of the instant.
        """
        for part, points in zip(self._parts, (self._points[: k + 1], self._points[k:]), strict=True):
            way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
            _, apart = np.unique(np.floor(way / self._pixel), return_index=True)
            corners = points[np.union1d(apart, len(points) - 1)]
            _fill(part, corners, [np.arange(len(corners))] if len(corners) > 1 else [])


def _window(size: tuple[int, int]) -> Any:
    """A window that nobody sees. Where no display is named VTK would warn of it, and then do without."""
    if not _can_draw():
        raise ModelError(
            "VTK finds no OpenGL to draw with, not even in software",
            "install it (Debian: apt install libegl1 libgl1-mesa-dri), or a browser, or write an .html file",
        )
    warns = vtk().vtkObject.GetGlobalWarningDisplay()
    vtk().vtkObject.GlobalWarningDisplayOff()
    try:
        window = vtk().vtkRenderWindow()
    finally:
        vtk().vtkObject.SetGlobalWarningDisplay(warns)
    window.SetOffScreenRendering(True)
    window.SetSize(*size)
    window.SetMultiSamples(4)  # what the page has
    return window


@cache
def _can_draw() -> bool:
    """Whether VTK draws on this machine, tried in another process: without OpenGL it takes its process down."""
    return subprocess.run([sys.executable, "-c", _TRIAL], capture_output=True, check=False).returncode == 0


_TRIAL = """
import vtkmodules.vtkRenderingOpenGL2
from vtkmodules.vtkRenderingCore import vtkRenderWindow
window = vtkRenderWindow()
window.SetOffScreenRendering(True)
window.Render()
"""


def _lit(window: Any, near: Any, over: Any, background: str) -> Any:
    """Puts the renderers into the window, one over the other, and returns their light."""
    vtk().vtkTextRenderer.GetInstance().SetDefaultBackend(vtk().vtkTextRenderer.FreeType)  # names are no formulas
    window.SetNumberOfLayers(2)
    sun = vtk().vtkLight()
    sun.SetLightTypeToSceneLight()
    near.SetBackground(*to_rgb(background))
    for layer, renderer in enumerate((near, over)):
        renderer.SetLayer(layer)
        renderer.AutomaticLightCreationOff()
        renderer.AddLight(sun)
        window.AddRenderer(renderer)
    return sun


def _shade(actor: Any) -> None:
    """What light from everywhere gives a surface that faces the ground, as sRGB has it; the sun gives the rest.

    On the page a surface shows its colour times (sky + sun)/π, linear in light (three.js, Lambert's law).
    """
    from_below = np.mean(to_rgb(LOOK["light"]["from_below"])) ** 2.2
    ambient = float((LOOK["light"]["sky"] * from_below / np.pi) ** (1 / 2.2))
    actor.GetProperty().SetAmbient(ambient)
    actor.GetProperty().SetDiffuse(1 - ambient)


def _actor(data: Any, colour: str, opacity: float = 1.0) -> Any:
    mapper = vtk().vtkPolyDataMapper()
    mapper.SetInputData(data)
    mapper.SetResolveCoincidentTopologyToPolygonOffset()  # edges lie on their surfaces
    actor = vtk().vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(*to_rgb(colour))
    actor.GetProperty().SetOpacity(opacity)
    return actor


def _surface(solid: Surface) -> Any:
    """The triangles, smooth but at sharp edges."""
    points, cells = vtk().vtkPoints(), vtk().vtkCellArray()
    points.SetData(vtk().numpy_to_vtk(np.ascontiguousarray(solid.corners, dtype=np.float32), deep=True))
    count = len(solid.triangles)
    rows = np.column_stack([np.full(count, 3), solid.triangles]).astype(np.int64)
    cells.ImportLegacyFormat(vtk().numpy_to_vtkIdTypeArray(rows.ravel(), deep=True))
    data = vtk().vtkPolyData()
    data.SetPoints(points)
    data.SetPolys(cells)
    merged, smooth = vtk().vtkCleanPolyData(), vtk().vtkPolyDataNormals()
    merged.SetInputData(data)
    smooth.SetInputConnection(merged.GetOutputPort())
    smooth.SetFeatureAngle(LOOK["edge_angle"])
    smooth.Update()
    return smooth.GetOutput()


def _edges(surface: Any) -> Any:
    """Lines along sharp edges and borders."""
    merged, found = vtk().vtkCleanPolyData(), vtk().vtkFeatureEdges()
    merged.SetInputData(surface)
    found.SetInputConnection(merged.GetOutputPort())
    found.SetFeatureAngle(LOOK["edge_angle"])
    found.ColoringOff()
    found.Update()
    return found.GetOutput()


def _fill(data: Any, points: np.ndarray, lines: list[np.ndarray]) -> None:
    """Gives lines through some points."""
    corners, cells = vtk().vtkPoints(), vtk().vtkCellArray()
    corners.SetData(vtk().numpy_to_vtk(np.ascontiguousarray(points, dtype=np.float32), deep=True))
    rows = np.concatenate([[], *([line.size, *line] for line in lines)]).astype(np.int64)
    cells.ImportLegacyFormat(vtk().numpy_to_vtkIdTypeArray(rows, deep=True))
    data.SetPoints(corners)
    data.SetLines(cells)


def _grid_lines(grid: Grid, colour: str) -> Any:
    reach = grid.cells / 2 * grid.cell
    ends = []
    for a, b in (grid.axes, grid.axes[::-1]):
        for x in np.linspace(-reach, reach, grid.cells + 1):
            ends += [grid.centre + x * a - reach * b, grid.centre + x * a + reach * b]
    data = vtk().vtkPolyData()
    _fill(data, np.array(ends), [np.array([k, k + 1]) for k in range(0, len(ends), 2)])
    actor = _actor(data, colour, LOOK["opacity"]["grid"])
    actor.GetProperty().LightingOff()
    return actor


def _scales(scene: Scene, shown: Collection[str]) -> str:
    """How long an edge of the grid is, and what load an arrow of its length stands for."""
    cell = grid(scene).cell
    texts = [f"grid {cell:g} m"]
    scales = arrow_scales(scene, shown)
    if scales["force"]:
        texts.append(f"force: length of a cell is {_two_digits(cell / scales['force'])} N")
    if scales["moment"]:
        texts.append(f"moment: radius of a cell is {_two_digits(cell / (LOOK['arrow']['arc'] * scales['moment']))} N*m")
    return " · ".join(texts)


def _two_digits(x: float) -> str:
    return f"{float(f'{x:.2g}'):g}"


def _clock(t: float, span: float) -> str:
    """The time with three digits of the span."""
    factor, unit = (1e3, "ms") if span < 0.2 else (1.0, "s")
    digits = max(0, 3 - int(np.ceil(np.log10(span * factor or 1.0))))
    return f"{t * factor:.{digits}f} {unit}"
