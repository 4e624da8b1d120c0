"""Results by name: from instants and states, however they came about, to positions, efforts, reactions and outputs.

In: a system's functions, instants, states and inputs. Out: descriptions of results, and their numbers. It integrates
nothing.
"""

from __future__ import annotations

__all__: list[str] = []
