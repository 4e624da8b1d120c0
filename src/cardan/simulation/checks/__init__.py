"""Checks of a run: its energy, limits of efforts, laws of force without a value, extremes between instants."""
