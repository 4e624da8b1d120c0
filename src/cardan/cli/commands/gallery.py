"""`cardan gallery`: the mechanisms that come with Cardan."""

from cardan.cli.failure import guarded
from cardan.cli.terminal import out, table


@guarded
def gallery() -> None:
    """List the mechanisms that come with Cardan; each name is a MODEL for the other commands."""
    from cardan.formats import gallery as entries

    out().print(table(entries().items(), "model", "what it is"))
