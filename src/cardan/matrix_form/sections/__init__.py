"""Sections of a document that say how its terms come about, or what acts beside them, one file each."""
