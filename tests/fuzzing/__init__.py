"""Random inputs, made to break things; one file for each kind of input."""
