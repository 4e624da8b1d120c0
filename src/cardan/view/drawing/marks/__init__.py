"""What stands beside the parts of a mechanism: coordinates, dimensions, frames, loads, motors."""
