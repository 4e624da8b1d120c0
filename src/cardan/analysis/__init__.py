"""Questions about a model other than its motion over time.

In: a Model or a System. Out: a report. It draws and prints nothing.
"""

__all__: list[str] = []
