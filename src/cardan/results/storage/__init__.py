"""Files of runs and sweeps: one file for each format, and the table that finds the format by its extension."""
