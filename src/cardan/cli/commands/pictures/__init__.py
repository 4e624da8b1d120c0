"""Commands whose result is looked at."""
