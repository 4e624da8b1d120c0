"""Sampled laws of a model: its delays and held values as states, which change at samples alone.

In: a model and the signals of its inputs. Out: the model with these states, and which laws are computed when.
"""
