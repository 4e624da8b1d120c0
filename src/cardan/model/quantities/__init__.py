"""Numbers of a model: scalars that may be expressions, what each has to be, parameters.

In: texts and numbers as a user writes them. Out: scalars with a dimension, and their values in SI.
"""

from __future__ import annotations
