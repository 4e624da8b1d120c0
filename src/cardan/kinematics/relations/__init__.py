"""Relations beyond joints: prescribed motions, goals of a position, paths of constraints, and what they may read."""
