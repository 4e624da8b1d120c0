"""Prescribed motions whose drives act on their higher derivatives: the relations of the state that they imply.

In: a system. Out: the same with these relations in its tree. It knows no runs.
"""

__all__: list[str] = []
