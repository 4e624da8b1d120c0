"""Documents of equations: their blocks, and the formats that set them."""
