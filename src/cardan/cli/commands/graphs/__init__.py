"""Commands about graphs of power: one file each."""

__all__: list[str] = []
