"""Numerical methods that know no machine: root finding, factorisation, ordering.

In: arrays and callables. Out: arrays and a verdict. It knows no mechanism.
"""
