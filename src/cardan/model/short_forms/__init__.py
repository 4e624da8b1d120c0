"""Sections of a model that are written out as others when it is made: what they share, and paths."""
