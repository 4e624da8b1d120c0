"""C source: the contract of all targets, and what only C has: headers, lengths, names."""

import casadi as ca
import numpy as np
import pytest

from cardan.codegen.targets.c_source import c_files
from cardan.codegen.targets.source import Listing
from tests.c_compiler import CC, STRICT, call, library, needs_c_compiler, run
from tests.contracts.target_contract import TargetContract

from .programs import random_function
from .sources import source_of

P = Listing("p", "parameters", ("m", "L"), ("kg", "m"), (2.0, 0.1), ("2 kg", "10 cm"))


def written(folder, source):
    """Path of the C file of a source that is written to a folder."""
    for ending, text in c_files(source).items():
        (folder / f"{source.name}{ending}").write_text(text, encoding="utf-8")
    return folder / f"{source.name}.c"


def caller(function, made):
    """Outputs (n_out, n) for columns of inputs, through a C function."""

    def outputs(columns):
        ends = np.cumsum([function.numel_in(i) for i in range(function.n_in())])[:-1]
        results = []
        for column in np.asarray(columns, dtype=float).T:
            inputs = [np.ascontiguousarray(part) for part in np.split(column, ends)]
            outs = [np.full(function.numel_out(i), 7.0) for i in range(function.n_out())]
            call(made, *inputs, *outs)
            results.append(np.concatenate(outs))
        return np.array(results).T

    return outputs


@needs_c_compiler
class TestC(TargetContract):
    @classmethod
    def build(cls, functions, folder):
        loaded = library(written(folder, source_of(functions)))
        return {name: caller(function, getattr(loaded, f"made_{name}")) for name, function in functions.items()}


def test_a_long_program_is_cut_into_functions_that_compilers_can_cope_with():
    text = c_files(source_of({"f": random_function(0, 2000)}))[".c"]
    longest = max(len(body.splitlines()) for body in text.split("\n}\n"))
    assert text.count("static void f_part") >= 3
    assert longest < 2000  # 800 values, each with at most one line that keeps it, and what earlier ones left


@needs_c_compiler
def test_header_can_be_included_twice_and_from_cpp(tmp_path):
    x = ca.SX.sym("x")
    written(tmp_path, source_of({"f": ca.Function("f", [x], [2 * x])}, (P,)))
    user = tmp_path / "user.cpp"
    user.write_text('#include "made.h"\n#include "made.h"\nint main() { return MADE_NP - 2; }\n')
    run(CC, "-x", "c++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic", user, folder=tmp_path)


@needs_c_compiler
def test_arrays_of_names_units_and_values(tmp_path):
    x = ca.SX.sym("x")
    empty = Listing("u", "inputs", (), ())
    names_only = Listing("Phi", "constraints", ("rod: force along the rod",), ())
    written(tmp_path, source_of({"f": ca.Function("f", [x], [2 * x])}, (P, empty, names_only)))
    main = tmp_path / "main.c"
    main.write_text(
        '#include <stdio.h>\n#include "made.h"\nint main(void)\n{\n'
        '    printf("%s %s %g %d %s", made_p_names[1], made_p_units[0], made_p_default[1], MADE_NU,\n'
        "        made_Phi_names[0]);\n"
        "    return 0;\n}\n"
    )
    run(CC, *STRICT, main, "made.c", "-o", "main", "-lm", folder=tmp_path)
    assert run(tmp_path / "main", folder=tmp_path) == "L kg 0.1 0 rod: force along the rod"


@needs_c_compiler
@pytest.mark.parametrize(
    "title", ['crane */ int x; /* "', "back\\", "why ??/", "line\nbreak", "\u202e turned", "größer"]
)
def test_a_title_is_never_code(tmp_path, title):
    x = ca.SX.sym("x")
    library(written(tmp_path, source_of({"f": ca.Function("f", [x], [2 * x])}, about=title)))


@needs_c_compiler
def test_inputs_that_are_not_used_and_no_inputs_at_all(tmp_path):
    x, y = ca.SX.sym("x", 2), ca.SX.sym("y", 0)
    functions = {"one": ca.Function("f", [x, y], [x[1]]), "none": ca.Function("f", [], [ca.SX([1, 2])])}
    loaded = library(written(tmp_path, source_of(functions)))
    out = np.empty(2)
    call(loaded.made_none, out)
    np.testing.assert_array_equal(out, [1, 2])


def test_words_tell_shapes_operations_and_stack():
    x = ca.SX.sym("x", 2)
    header = c_files(source_of({"f": ca.Function("f", [x], [ca.sin(x) @ x.T], ["x"], ["out"])}))[".h"]
    assert "out  out[2][2]" in header
    assert "6 operations: 4 multiply, 2 sine or cosine" in header
    assert "bytes of work on the stack" in c_files(source_of({"f": random_function(0, 2000)}))[".h"]
