"""Instants of samples in a run."""

__all__: list[str] = []
