"""Frozen records: what everything in a model is made of, and what its elements answer about themselves.

In: data of a model file or Python values. Out: records, or all faults at once with their paths.
"""

from __future__ import annotations
