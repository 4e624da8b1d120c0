"""Kinematic diagrams: a mechanism in one position with the symbols of textbooks.

In: a model. Out: a `Drawing`, which notebooks show and files hold as SVG, PNG or PDF. What is drawn comes from the
scene that animations show; words stand where they cover nothing.
"""
