"""Source code to hand out: C, NumPy, CasADi."""
