"""Commands about sections of bodies: one file each."""

__all__: list[str] = []
