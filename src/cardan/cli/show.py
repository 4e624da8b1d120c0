"""`cardan show`: what a model file says, as tables."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

import cardan
from cardan.cli.failure import Debug, guarded
from cardan.cli.options import ModelName
from cardan.cli.terminal import out

if TYPE_CHECKING:
    from rich.table import Table

    from cardan.model import Model

__all__ = ["show"]

_SECTIONS = ("parameters", "bodies", "joints", "motors", "forces", "inputs", "initial", "outputs")


@guarded
def show(
    model: ModelName,
    yaml: Annotated[bool, typer.Option("--yaml", help="Print the model file itself.")] = False,
    debug: Debug = False,
) -> None:
    """Show the bodies, joints, motors, forces and parameters of a MODEL.

    [dim]cardan show overhead_crane[/]

    [dim]cardan show overhead_crane --yaml > my_crane.yaml[/]   a start for a model of your own
    """
    loaded = cardan.load(model)
    console = out()
    if yaml:
        from cardan.formats import dumps

        console.print(dumps(loaded), markup=False, soft_wrap=True, end="")
        return
    console.print(f"[bold]{loaded.name or model}[/]   {_counts(loaded)}")
    if loaded.source:
        console.print(loaded.source, style="dim", markup=False)
    for section in _SECTIONS:
        entries = getattr(loaded, section)
        if entries:
            console.print(_table(section, _plain(entries)))


def _counts(model: "Model") -> str:
    """How much there is of what, in words."""
    parts = [(len(getattr(model, section)), section) for section in ("bodies", "joints", "motors", "forces")]
    singular = {"bodies": "body"}
    return ", ".join(
        f"{count} {section if count > 1 else singular.get(section, section[:-1])}" for count, section in parts if count
    )


def _table(section: str, entries: Mapping[str, Any]) -> "Table":
    """One row per entry: records show their keys as columns, numbers are the value."""
    from rich import box
    from rich.table import Table

    records = {name: entry if isinstance(entry, Mapping) else {"value": entry} for name, entry in entries.items()}
    keys = list(dict.fromkeys(key for record in records.values() for key in record))
    table = Table(section, *keys, box=box.SIMPLE_HEAD, title_justify="left")
    for name, record in records.items():
        table.add_row(f"[bold]{name}[/]", *(_text(record.get(key)) for key in keys))
    return table


def _plain(value: Any) -> Any:
    """Records as mappings of the keys that the user wrote, numbers as they were written."""
    if hasattr(value, "model_dump"):
        return {key: _plain(getattr(value, key)) for key in type(value).model_fields if key in value.model_fields_set}
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value


def _text(value: Any) -> str:
    """A cell: short, and safe from being read as markup."""
    from rich.markup import escape

    if value is None:
        return ""
    if isinstance(value, Mapping):
        return escape(", ".join(value) if all(isinstance(v, Mapping) for v in value.values()) else str(dict(value)))
    if isinstance(value, list):
        return escape(f"[{', '.join(str(entry) for entry in value)}]")
    return escape(str(value))
