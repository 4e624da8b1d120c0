"""A command names what it refuses in its own language: `--step`, not `step=`; hostile settings are refused."""

import pytest
from tests.selection import each

from cardan.cli.failure import guarded
from cardan.cli.wording import in_options

CRANE = ("simulate", "overhead_crane", "--until", "0.1")


@each(
    "text, found",
    [
        ('choose motors="none" to give efforts', "choose --motors none to give efforts"),
        ("motors='full'", "--motors full"),
        ("step=-1.0 is not possible", "--step -1.0 is not possible"),
        ('load a robot with accept=["inertia"]', "load a robot with --accept inertia"),
        ("rtol=1e-300", "--rtol 1e-300"),
        ('loosen rtol and atol, or try method="rodas5p"', "loosen --rtol and --atol, or try --method rodas5p"),
        ("(max_step= or step=)", "(--max-step or --step)"),
        ('give step="1 ms" or another one', 'give --step "1 ms" or another one'),
        ('give motions={"crank": "2*pi*t"}', "give --motion 'crank=2*pi*t'"),
        ("run cardan.sweep over many values", "run cardan sweep over many values"),
        ("there is no body 'rtol'", "there is no body 'rtol'"),
        ("simulate.until: the end", "simulate.until: the end"),
        ("the method 'auto' chooses its steps itself", "the method 'auto' chooses its steps itself"),
    ],
)
def test_arguments_become_options(text, found):
    assert in_options(text) == found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--until", "-1"), "give --until, a time greater than 0"),
        (("--until", "nan"), "--until: nan is not a finite number"),
        (("--rtol", "0"), "--rtol 0.0 is not possible"),
        (("--rtol", "nan"), "--rtol nan is not possible"),
        (("--atol", "-1"), "--atol -1.0 is not possible"),
        (("--step", "1ms"), "leave --step out, bound the steps with --max-step, or choose --method rk4"),
        (("--method", "rk4"), 'give --step "1 ms"'),
        (("--method", "rk4", "--step", "0"), "--step 0.0 is not possible"),
        (("--method", "rk4", "--step", "-1"), "--step -1.0 is not possible"),
        (("--method", "rk4", "--step", "nan"), "--step: nan is not a finite number"),
        (("--method", "rk4", "--step", "1e-30"), "--step 1e-30 makes more than 2e+09 steps in a run of 0.1 s"),
        (("--method", "rk4", "--step", "1", "--max-step", "1"), "leave --max-step out"),
        (("--max-step", "0"), "--max-step 0.0 is not possible"),
        (("--alpha", "1"), "leave --alpha out, or choose --stabilization baumgarte"),
        (("--stabilization", "baumgarte", "--alpha", "1e300"), "--alpha 1e+300 is too large"),
        (("--stabilization", "baumgarte", "--beta", "1e200"), "--beta 1e+200 is too large"),
        (("--stabilization", "baumgarte", "--alpha", "nan"), "--alpha nan is not possible"),
        (("--times", "1,0"), "--times must be finite and in order"),
        (("--times", "-1,0.01"), "--times begin at -1 s"),
        (("--times", "0.01,5"), "give a later --until"),
        (("--times", ","), "--times must be finite and in order"),
        (("--times", "0:1:1e-12"), "values are more than"),
        (("--input", "travel=10"), "add --motors none"),
    ],
)
def test_hostile_settings_are_refused_by_the_name_of_their_option(cardan_cli, words, said):
    run = cardan_cli(*CRANE, *words)
    assert run.exit_code == 2
    assert said in " ".join(run.stderr.replace("│", "").split()), run.stderr
    assert "defect" not in run.stderr


def test_verify_refuses_a_seed_by_its_option(cardan_cli):
    assert "--seed -1 is not possible" in cardan_cli("verify", "overhead_crane", "--seed", "-1").stderr


def test_a_sweep_of_too_many_values_is_refused(cardan_cli):
    run = cardan_cli("sweep", "overhead_crane", "--vary", "L=0.5:1:99999999999")
    assert (run.exit_code, "values are more than" in run.stderr) == (2, True)


def test_too_little_memory_is_no_defect(capsys):
    import typer

    @guarded
    def command():
        raise MemoryError("7 TiB")

    with pytest.raises(typer.Exit) as stop:
        command()
    assert stop.value.exit_code == 2
    assert "there is not enough memory; ask for fewer instants or values" in capsys.readouterr().err
