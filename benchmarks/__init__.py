"""Benchmarks: what Cardan costs, side by side with the engines a user would pick instead.

    python -m benchmarks                   one table on the terminal (`make bench`)
    python -m benchmarks --markdown        the same as docs/benchmarks.md, with its figure
    python -m benchmarks --only batch      one section
    python -m benchmarks --quick           every check and a fraction of the timing

Each section first asserts that both sides compute the same, then times them in turns on one core (`timing`).
"""
