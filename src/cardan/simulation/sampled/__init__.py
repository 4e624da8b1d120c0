"""Instants of samples in a run."""
