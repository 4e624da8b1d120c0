"""LLVM text to machine code, through the disk cache."""
