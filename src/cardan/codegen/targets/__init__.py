"""Source code to hand out: C, NumPy, CasADi."""

__all__: list[str] = []
