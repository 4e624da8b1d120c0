"""Results of analyses as text."""

__all__: list[str] = []
