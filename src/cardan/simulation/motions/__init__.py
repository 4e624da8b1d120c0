"""Prescribed motions in a call: those it gives, and kineto-statics, the loads of a mechanism that follows them."""
