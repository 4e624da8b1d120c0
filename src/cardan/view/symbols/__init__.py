"""What the kinds of joints, forces and constraints look like, solids in scenes and strokes in kinematic diagrams.

In: a part of a mechanism with its place, and a size or a pen. Out: solids, or lines on a sheet. One entry for a kind.
"""
