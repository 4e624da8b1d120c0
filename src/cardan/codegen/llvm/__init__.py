"""A program as LLVM text, for one state or for several side by side in SIMD lanes."""
