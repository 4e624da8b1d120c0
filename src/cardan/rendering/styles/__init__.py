"""Ways to write an expression: LaTeX, MathML, Unicode, the grammar of model files."""
