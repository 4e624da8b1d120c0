"""Loads of a run: what joints carry, forces within bodies, balances of bodies, reactions from measurements."""

__all__: list[str] = []
