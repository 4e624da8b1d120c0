"""A figure of matplotlib that shows itself in a notebook; imported by what makes one, as matplotlib takes long."""

import io
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


class ShownFigure(Figure):
    """A figure without a window, which notebooks show also where nothing has set matplotlib up."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        FigureCanvasAgg(self)

    def _repr_png_(self) -> bytes:
        """What a notebook shows."""
        stream = io.BytesIO()
        self.savefig(stream, format="png")
        return stream.getvalue()
