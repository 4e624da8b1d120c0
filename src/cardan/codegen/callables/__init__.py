"""Machine code as functions of arrays, and at an address."""
