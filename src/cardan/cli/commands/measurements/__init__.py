"""Commands about measurements: one file each."""

__all__: list[str] = []
