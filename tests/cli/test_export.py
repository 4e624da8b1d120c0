"""`cardan export`: files that were asked for, told by name; refusals that say what to do."""

import re
import zipfile

from tests.c_compiler import needs_c_compiler


def test_files_in_the_folder_one_stands_in(cardan_cli, tmp_path):
    result = cardan_cli("export", "compound_pendulum", "--to", "c")
    assert result.exit_code == 0
    assert result.stdout == "wrote compound_pendulum.h\nwrote compound_pendulum.c\n"
    assert {file.name for file in tmp_path.iterdir()} == {"compound_pendulum.h", "compound_pendulum.c"}


def test_language_functions_motors_and_parameters(cardan_cli, tmp_path):
    words = ("--function", "mass_matrix,energy", "--function", "jacobian:payload.com")
    result = cardan_cli("export", "overhead_crane", "-o", "crane.py", *words, "--motors", "none", "--set", "mp=1.2kg")
    assert result.stdout == "wrote crane.py\n"
    text = (tmp_path / "crane.py").read_text()
    assert re.findall(r"^def ([a-z]\w*)", text, re.MULTILINE) == ["mass_matrix", "energy", "jacobian_payload_com"]
    assert "motors: none" in text
    assert "mp  1.2 " in text


def test_files_are_replaced_only_with_force(cardan_cli, tmp_path):
    cardan_cli("export", "compound_pendulum", "-o", "p.py")
    (tmp_path / "p.py").write_text("mine")
    refused = cardan_cli("export", "compound_pendulum", "-o", "p.py")
    assert refused.exit_code == 2
    assert "p.py exists; add --force to replace it" in refused.stderr
    assert (tmp_path / "p.py").read_text() == "mine"
    assert cardan_cli("export", "compound_pendulum", "-o", "p.py", "--force").exit_code == 0
    assert (tmp_path / "p.py").read_text() != "mine"


def test_a_folder_that_is_not_there_is_wrong_input(cardan_cli):
    result = cardan_cli("export", "compound_pendulum", "-o", "nowhere/p.py")
    assert (result.exit_code, result.stderr) == (2, "error: nowhere: there is no folder\n")


def test_a_wrong_function_is_answered_with_the_nearest(cardan_cli):
    result = cardan_cli("export", "compound_pendulum", "--to", "c", "--function", "mass_matrx")
    assert result.exit_code == 2
    assert "did you mean 'mass_matrix'?" in result.stderr


def test_a_language_must_be_told(cardan_cli):
    result = cardan_cli("export", "compound_pendulum")
    assert result.exit_code == 2
    assert "say to which: c, python, casadi" in result.stderr


def test_help_teaches(cardan_cli):
    text = cardan_cli("export", "--help").stdout
    for word in (
        "C99",
        "NumPy",
        "casadi.Function.load",
        "--function",
        "--force",
        "jacobian:PLACE",
        "cardan export overhead_crane --to c",
    ):
        assert word in text


@needs_c_compiler
def test_an_fmu(cardan_cli, tmp_path):
    result = cardan_cli("export", "compound_pendulum", "--to", "fmu", "--fmi-version", "2.0", "--kind", "CoSimulation")
    assert result.stdout == "wrote compound_pendulum.fmu\n"
    with zipfile.ZipFile(tmp_path / "compound_pendulum.fmu") as archive:
        assert b'fmiVersion="2.0"' in archive.read("modelDescription.xml")
    again = cardan_cli("export", "compound_pendulum", "-o", "compound_pendulum.fmu")
    assert "compound_pendulum.fmu exists; add --force to replace it" in again.stderr


def test_a_step_prints_what_it_computes(cardan_cli):
    result = cardan_cli("export", "compound_pendulum", "--to", "c", "--stepper", "semi_implicit_euler")
    assert re.search(r"^a step takes at most \d+ floating-point operations \(\d+ add", result.stdout, re.MULTILINE)


def test_options_of_other_languages_are_refused(cardan_cli):
    wrong = cardan_cli("export", "compound_pendulum", "--to", "c", "--kind", "both")
    assert "--kind belongs to an FMU alone" in wrong.stderr
    wrong = cardan_cli("export", "compound_pendulum", "--to", "fmu", "--stepper", "rk4")
    assert "--stepper does not belong to an FMU" in wrong.stderr
