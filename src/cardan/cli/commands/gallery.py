"""`cardan gallery`: the mechanisms that come with Cardan."""

from cardan.cli.failure import guarded
from cardan.cli.terminal import out, styled


@guarded
def gallery() -> None:
    """List the mechanisms that come with Cardan; each name is a MODEL for the other commands."""
    from rich import box
    from rich.table import Table

    from cardan.formats import gallery as entries

    table = Table("model", "what it is", box=box.SIMPLE_HEAD)
    for name, title in entries().items():
        table.add_row(styled(name), title)
    out().print(table)
