"""Functional mock-up units: models as FMUs for other simulators.

In: a model. Out: a zip file with a description, sources in C and a binary. It knows the standard FMI, not mechanics.
"""
