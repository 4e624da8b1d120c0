"""A CasADi Function as a flat list of instructions: operations, tables, order, pieces."""
