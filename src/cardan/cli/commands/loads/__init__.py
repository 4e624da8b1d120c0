"""Commands about loads: one file each."""

__all__: list[str] = []
