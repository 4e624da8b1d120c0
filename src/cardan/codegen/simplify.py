"""Cheaper instructions with the same meaning up to rounding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import casadi as ca

__all__ = ["share_reciprocals"]
