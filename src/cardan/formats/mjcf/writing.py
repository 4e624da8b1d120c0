"""`Model` → MJCF: refused, since MuJoCo reads what Cardan writes as URDF."""

from pathlib import Path

from cardan.errors import ModelError
from cardan.model.model import Model


def save_mjcf(model: Model, path: Path) -> None:
    """Refuse to write a model as MJCF."""
    raise ModelError("models are not written as MJCF", "write URDF, which MuJoCo reads: give the extension .urdf")
