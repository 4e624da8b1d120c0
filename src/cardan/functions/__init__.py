"""One catalogue of a model's functions: laws with arguments, shapes and descriptions, and the callables made of them.

In: a System. Out: machine code for single states and batches, source code, CasADi Functions. It integrates nothing.
A run needs few of its files: the everyday names are imported from where they stand.
"""
