"""What all commands share: help, version, exit codes, errors in one block."""

import subprocess
import sys
import warnings
from importlib import import_module

import pytest
import typer
from tests.selection import each
from typer.testing import CliRunner

import cardan
from cardan.cli.failure import ExitCode, guarded
from cardan.cli.program import COMMANDS
from cardan.errors import AssemblyError, Issue, ModelError, ModelWarning, SolveError
from cardan.results import RunFileError


def test_help_names_every_command_and_shows_examples(cardan_cli):
    text = cardan_cli("--help").stdout
    assert all(command in text for command in COMMANDS)
    assert "cardan simulate overhead_crane -o run.nc" in text
    assert "Exit codes" in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_debug(cardan_cli, command):
    result = cardan_cli(command, "--help")
    assert result.exit_code == 0
    assert "--debug" in result.stdout


@pytest.mark.parametrize("command", ["show", "equations", "simulate", "plot"])
def test_help_of_a_command_with_operands_has_an_example(cardan_cli, command):
    assert f"cardan {command} " in cardan_cli(command, "--help").stdout.split("Arguments")[0].split("Usage", 1)[1]


def test_version(cardan_cli):
    assert cardan_cli("--version").stdout == f"cardan {cardan.__version__}\n"


def test_words_that_are_no_command_are_wrong_input(cardan_cli):
    result = cardan_cli("simulat", "overhead_crane")
    assert result.exit_code == ExitCode.WRONG_INPUT
    assert "simulat" in result.stderr


def _failing(error):
    app = typer.Typer()

    def fail() -> None:
        raise error

    app.command()(guarded(fail))
    return app


@each(
    "error, code",
    [
        (ModelError("no mass"), 2),
        (AssemblyError("gap of 3 mm"), 2),
        (RunFileError("x.nc: damaged"), 2),
        (OSError("disk full"), 2),
        (SolveError("singular mass matrix"), 1),
        (ValueError("operands could not be broadcast"), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_exit_codes_and_no_traceback(error, code):
    result = CliRunner().invoke(_failing(error))
    assert result.exit_code == code
    assert str(error) in result.stderr
    assert "Traceback" not in result.output


def test_an_error_of_the_system_names_its_file_first():
    result = CliRunner().invoke(_failing(FileNotFoundError(2, "No such file", "x.nc")))
    assert result.stderr == "error: x.nc: No such file\n"
    assert CliRunner().invoke(_failing(OSError("disk full"))).stderr == "error: disk full\n"


def test_a_defect_says_that_it_is_one():
    assert "defect" in CliRunner().invoke(_failing(ValueError("operands could not be broadcast"))).stderr
    assert "defect" not in CliRunner().invoke(_failing(ModelError("no mass"))).stderr


def test_debug_adds_the_traceback_and_keeps_the_exit_code():
    result = CliRunner().invoke(_failing(ModelError("no mass")), ["--debug"])
    assert result.stderr.startswith("Traceback")
    assert result.stderr.endswith("error: no mass\n")
    assert result.exit_code == 2


def test_all_faults_of_a_model_stand_in_one_block_and_brackets_are_no_markup():
    faults = [Issue("wrong", "right", ("joints", "swing", "axis", 2)), Issue("[bold]too[/] heavy")]
    text = CliRunner().invoke(_failing(ModelError(faults))).stderr
    assert "joints.swing.axis[2]: wrong" in text
    assert "[bold]too[/] heavy" in text


def test_a_warning_is_one_line_without_source_code_and_comes_once():
    app = typer.Typer()

    def warn() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            for _ in range(2):
                warnings.warn("Km and Ke differ", ModelWarning, stacklevel=1)

    app.command()(guarded(warn))
    result = CliRunner().invoke(app)
    assert result.stderr == "warning: Km and Ke differ\n"
    assert result.exit_code == 0


def test_a_short_run_ends_before_python_looks_for_unused_objects():
    code = (
        "import gc, sys; gc.set_threshold(0)\n"  # those before `main` are not its own
        "from cardan.cli import main; sys.argv = ['cardan', 'simulate', 'slider_crank', '-q']\n"
        "searches = []; gc.callbacks.append(lambda phase, info: searches.append(phase))\n"
        "try: main()\n"
        "except SystemExit as end: print(end.code, searches, gc.get_freeze_count() > 1000, gc.get_threshold()[0] > 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["0 [] True True"]


def test_help_needs_no_mathematics():
    """Help must come at once: what takes long to import is imported by the command that needs it."""
    code = (
        "import sys; from cardan.cli import program; import contextlib, io;\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): program()(['--help'])\n"
        "heavy = {'numpy', 'casadi', 'numba', 'sympy', 'xarray', 'matplotlib', 'pydantic', 'pint'} & set(sys.modules)\n"
        "print(sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_a_command_imports_no_other_command():
    code = (
        "import sys; from cardan.cli import main; sys.argv = ['cardan', 'gallery']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "commands = [name for name in sys.modules if name.startswith('cardan.cli.commands.')]\n"
        "print(commands, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stderr == "['cardan.cli.commands.gallery']\n"


def test_every_command_is_the_public_function_of_its_file():
    for name, home in COMMANDS.items():
        assert callable(getattr(import_module(f"cardan.cli.commands.{home}"), name.replace("-", "_")))
