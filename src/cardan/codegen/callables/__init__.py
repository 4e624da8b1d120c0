"""Machine code as functions of arrays, and at an address."""

__all__: list[str] = []
