"""Results of analyses as text."""
