"""Loads of a run: what joints carry, forces within bodies, balances of bodies, reactions from measurements."""
