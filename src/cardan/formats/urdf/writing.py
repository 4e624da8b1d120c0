"""`Model` → URDF."""

from __future__ import annotations

from pathlib import Path

from cardan.errors import ModelError
from cardan.model.model import Model

__all__ = ["save_urdf"]


def save_urdf(model: Model, path: Path) -> None:
    """Refuse to write a model as URDF.

    Parameters
    ----------
    model : Model
        What to write.
    path : Path
        Where.

    Raises
    ------
    ModelError
        Always.
    """
    raise ModelError("models are read from URDF, not written", "give the file the extension .yaml")
