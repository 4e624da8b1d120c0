"""Starts that meet conditions: values of results, equilibria, machines at rest."""
