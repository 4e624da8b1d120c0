"""Identifiers from any text."""

import keyword

from cardan.codegen.targets.identifiers import argument_names, identifier, module_name
from tests.selection import each


@each(
    "text, word",
    [
        ("overhead crane", "overhead_crane"),
        ("  two -- hyphens  ", "two_hyphens"),
        ("3-RRR", "model_3_RRR"),
        ("__init__", "init"),
        ("Größe", "Groe"),
        ("été", "ete"),
        ("", "model"),
        ("***", "model"),
        ("double", "double_"),
        ("lambda", "lambda_"),
        ("namespace", "namespace_"),
    ],
)
def test_identifiers(text, word):
    assert identifier(text) == word
    assert word.isidentifier()
    assert not keyword.iskeyword(word)


@each("text", ["math", "numpy", "Math", "json", "float", "casadi"])
def test_files_hide_no_header_and_no_module(text):
    assert module_name(text).casefold() not in (text.casefold(), "math", "numpy")


def test_arguments_are_different_and_hide_nothing_that_the_code_calls():
    names = argument_names(["T_a_b", "T_a.b", "T_a_b_2", "s12", "w", "sin", "np", "table0", "q"])
    assert names == ["T_a_b", "T_a_b_2", "T_a_b_2_2", "s12_", "w_", "sin_", "np_", "table0_", "q"]
