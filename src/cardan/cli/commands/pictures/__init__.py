"""Commands whose result is looked at."""

__all__: list[str] = []
