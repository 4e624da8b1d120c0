"""Values of a program as short expressions, and as SymPy."""

__all__: list[str] = []
