"""Prescribed motions in a call: those it gives, and kineto-statics, the loads of a mechanism that follows them."""

__all__: list[str] = []
