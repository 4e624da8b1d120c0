"""LLVM text to machine code, through the disk cache."""

__all__: list[str] = []
