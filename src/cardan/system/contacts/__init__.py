"""Bodies that touch: a system and a position → which shapes overlap, and a position at which none does."""

from __future__ import annotations

from cardan.system.contacts.overlaps import apart, overlap_words

__all__ = ["apart", "overlap_words"]
