"""Starts of joints and shapes that touch: which joints hold each other, loads that are unique, shapes that overlap."""
