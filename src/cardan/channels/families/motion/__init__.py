"""Families of results that describe motion: positions, velocities, accelerations, orientations, coordinates."""
