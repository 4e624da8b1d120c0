"""Values of a program as short expressions, and as SymPy."""
