"""`cardan simulate`: words become arguments, a run becomes a summary, files and an exit code."""

from dataclasses import replace

import numpy as np
import pytest

import cardan
from cardan.results import Channel, Passage, Provenance, Report, Trajectory, load_run
from cardan.results.extent import Extent

CRANE = "overhead_crane"


def _run(**changes):
    t = np.linspace(0.0, 1.0, 3)
    run = Trajectory(
        t,
        np.stack([t, t**2], axis=-1),
        ("travel.q", "travel.v"),
        ("m", "m/s"),
        channels={"drive.current": Channel("drive.current", "A", kind="motor")},
        evaluate=lambda names: dict.fromkeys(names, 7.5 - t),
        statistics={"method": "tsit5", "steps": 12, "rejected": 0, "evaluations": 73, "wall": 0.01234, "stiff": False},
        find_report=lambda: Report(2e-9, 0.5, 0.0),
        provenance=Provenance("overhead crane"),
    )
    return replace(run, **changes)


@pytest.fixture
def simulated(monkeypatch):
    """Stand-in for the simulation: returns `answer` and remembers the models and options it was given."""

    class Stand:
        def __init__(self):
            self.calls, self.answer = [], _run()

        def __call__(self, model, **options):
            self.calls.append((model, options))
            options.pop("progress")(1.0)
            return self.answer

    stand = Stand()
    monkeypatch.setattr(cardan, "simulate", stand, raising=False)
    return stand


def test_without_options_the_model_decides(cardan_cli, simulated):
    assert cardan_cli("simulate", CRANE).exit_code == 0
    ((model, options),) = simulated.calls
    assert model == cardan.load(CRANE)
    assert options["until"] is options["times"] is options["step"] is None
    assert (options["motors"], options["method"], options["rtol"], options["atol"]) == (None, "auto", 1e-8, None)


def test_what_keeps_loops_closed_is_chosen(cardan_cli, simulated):
    words = "--stabilization baumgarte --alpha 50 --beta 40 --max-step 10ms"
    assert cardan_cli("simulate", "four_bar", *words.split()).exit_code == 0
    assert cardan_cli("simulate", "four_bar").exit_code == 0
    chosen, usual = (options for _, options in simulated.calls)
    names = ("stabilization", "alpha", "beta", "max_step")
    assert [chosen[name] for name in names] == ["baumgarte", 50, 40, 0.01]
    assert [usual[name] for name in names] == ["projection", None, None, None]


def test_guesses_are_where_loops_are_put_together_from(cardan_cli, simulated):
    words = ["--initial", "A=30deg", "--guess", "B=-30deg", "--guess", "D=2"]
    assert cardan_cli("simulate", "four_bar", *words).exit_code == 0
    ((model, _),) = simulated.calls
    given = {"A": "30deg", "B": {"guess": "-30deg"}, "D": {"guess": 2}}
    assert model == cardan.load("four_bar").replace(initial={**cardan.load("four_bar").initial, **given})


def test_a_coordinate_is_held_or_guessed(cardan_cli, simulated):
    done = cardan_cli("simulate", "four_bar", "--initial", "A=1", "--guess", "A=1")
    assert done.exit_code == 2
    assert '"A" is also given to --initial, which holds it' in " ".join(done.stderr.split()).replace(" │ │ ", " ")
    assert not simulated.calls


def test_options_become_arguments(cardan_cli, simulated):
    words = "--until 200ms --motors simplified --method rk4 --step 1ms --rtol 1e-5 --atol 1e-6 --times 0:0.2:0.1"
    assert cardan_cli("simulate", CRANE, *words.split()).exit_code == 0
    ((_, options),) = simulated.calls
    np.testing.assert_array_equal(options.pop("times"), [0.0, 0.1, 0.2])
    assert options == {
        "until": 0.2,
        "motors": "simplified",
        "motions": None,
        "method": "rk4",
        "step": 1e-3,
        "rtol": 1e-5,
        "atol": 1e-6,
        "max_step": None,
        "stabilization": "projection",
        "alpha": None,
        "beta": None,
        "embed": True,
        "trust": False,
    }


def test_the_model_is_changed_by_name(cardan_cli, simulated):
    words = ["--set", "mp=1.2kg", "--set", "L=0.5", "--input", "drive=12V", "--initial", "swing=0.3"]
    assert cardan_cli("simulate", CRANE, *words).exit_code == 0
    ((model, _),) = simulated.calls
    assert (model.parameters["mp"].value, model.parameters["L"].value) == (1.2, 0.5)
    assert model.parameters["mt"] == cardan.load(CRANE).parameters["mt"]
    assert model.inputs["drive"].value == 12.0
    assert model.initial["swing"].value == 0.3


def test_an_input_may_be_a_table_in_a_file(cardan_cli, simulated, tmp_path):
    (tmp_path / "u.csv").write_text("t,u\n0,0\n1,10\n")
    assert cardan_cli("simulate", CRANE, "--input", "drive=u.csv").exit_code == 0
    assert simulated.calls[0][0].inputs["drive"].samples() == ((0.0, 0.0), (1.0, 10.0))


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--set", "mpp=1"], "mp"),
        (["--set", "mp=1 s"], "mass"),
        (["--input", "driv=1"], "drive"),
        (["--input", "travel=5N"], "add --motors none"),
        (["--input", "drive=5V", "--motors", "none"], "leave --motors none out"),
        (["--initial", "swign=1"], "swing"),
        (["--input", "drive=none.csv"], "none.csv"),
        (["--until", "5 kg"], "time"),
        (["--method", "euler"], "rodas5p"),
        (["-o", "run.xyz"], ".parquet"),
        (["-o", "nowhere/run.nc"], "nowhere: there is no folder"),
        (["--plot", "run.xyz"], ".svg"),
        (["--plot", "nowhere/run.png"], "nowhere: there is no folder"),
        (["--names", "swing.q"], "--plot"),
    ],
)
def test_wrong_words_are_wrong_input_and_nothing_runs(cardan_cli, simulated, words, text):
    result = cardan_cli("simulate", CRANE, *words)
    assert result.exit_code == 2, result.output
    assert text in result.stderr
    assert "Traceback" not in result.output
    assert simulated.calls == []


def test_summary_has_status_extremes_balances_and_effort(cardan_cli, simulated):
    text = cardan_cli("simulate", CRANE).stdout
    assert "overhead crane: completed" in text
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line.strip()}
    assert rows["drive.current"] == ["A", "6.5", "6.5", "1", "7.5", "0"]
    assert rows["travel.v"] == ["m/s", "1", "0", "0", "1", "1"]
    assert "2e-09 J, 4e-09 of 0.5 J" in text
    assert "tsit5: 12 steps, 73 evaluations, 12.3 ms" in text


def test_summary_tells_the_constraints_and_the_singular_positions(cardan_cli, simulated):
    passages = tuple(Passage(0.37 + k, 1e-9, 0.9, 1, ("pin",)) for k in range(9))
    simulated.answer = _run(find_report=lambda: Report(2e-9, 0.5, 3e-12, 4e-10), find_passages=lambda: passages)
    text = cardan_cli("simulate", CRANE).stdout
    assert "constraints       3e-12, their rate 4e-10" in text
    assert "passed 9 singular positions: t = 0.37, 1.37, 2.37, 3.37, 4.37, 5.37, 6.37, 7.37, … s" in text
    simulated.answer = _run(find_passages=lambda: passages[:1])
    assert "passed 1 singular position: t = 0.37 s" in cardan_cli("simulate", CRANE).stdout


@pytest.mark.parametrize(
    ("own", "words"),
    [
        (["travel"], "integrated        travel; all others are linear in it"),
        ([f"q{k}" for k in range(9)], "q7, …; all others are linear in them"),
    ],
)
def test_summary_tells_which_coordinates_were_integrated(cardan_cli, simulated, own, words):
    simulated.answer = _run(statistics={"method": "dop853", "independent": own})
    assert words in cardan_cli("simulate", CRANE).stdout


def test_quiet_prints_nothing(cardan_cli, simulated):
    assert cardan_cli("simulate", CRANE, "--quiet").stdout == ""


def test_files_are_written_and_named(cardan_cli, simulated, tmp_path):
    words = ["-q", "-o", "run.csv", "--plot", "run.png", "--names", "drive.current"]
    assert cardan_cli("simulate", CRANE, *words).stdout == "wrote run.csv\nwrote run.png\n"
    assert len(load_run(tmp_path / "run.csv")) == 3
    assert (tmp_path / "run.png").stat().st_size > 1000


def test_an_unknown_name_to_draw_is_wrong_input(cardan_cli, simulated):
    result = cardan_cli("simulate", CRANE, "--plot", "run.png", "--names", "drive.curent")
    assert result.exit_code == 2
    assert "drive.current" in result.stderr


@pytest.mark.parametrize(("status", "code"), [("step_too_small", 1), ("interrupted", 130)])
def test_a_run_that_ended_early_is_saved_and_has_its_exit_code(cardan_cli, simulated, tmp_path, status, code):
    simulated.answer = _run(status=status, message="ended at t = 1 s: look for a stop")
    result = cardan_cli("simulate", CRANE, "-o", "run.csv")
    assert result.exit_code == code
    assert "ended at t = 1 s: look for a stop" in result.stdout
    assert load_run(tmp_path / "run.csv").status == status


def test_summary_speaks_of_returned_instants_only_where_they_were_chosen(cardan_cli, simulated):
    simulated.answer = _run(find_extremes=lambda names: dict.fromkeys(names, Extent(-1.25, 9.75, 0.5, 0.75)))
    text = cardan_cli("simulate", CRANE).stdout
    assert "returned" not in text
    assert text.count("-1.25") == text.count("9.75") == 3
    simulated.answer = _run(provenance=Provenance("crane", settings={"times": [0.0, 1.0]}))
    assert "of the returned instants" in cardan_cli("simulate", CRANE).stdout


def test_the_command_line_asks_for_a_start_at_rest(cardan_cli):
    done = cardan_cli(
        "simulate", "compound_pendulum", "--guess", "pendulum=0.2", "--initial", "equilibrium=true", "-o", "r.nc"
    )
    assert done.exit_code == 0, done.output
    assert abs(cardan.load_run("r.nc")["pendulum.q"]).max() < 1e-9  # it hangs


def test_a_mechanism_that_cannot_move_has_a_summary_too(cardan_cli, tmp_path):
    """A drone whose base is held has fixed joints only: no state, but a weight."""
    (tmp_path / "stand.yaml").write_text(
        "cardan: 1\nbodies: {post: {mass: 3}}\njoints: {foot: {type: fixed, parent: ground, child: post}}\n"
    )
    done = cardan_cli("simulate", "stand.yaml", "--until", "1", "-o", "stand.nc")
    assert (done.exit_code, "completed at t = 1 s" in done.stdout) == (0, True), done.output
    run = cardan.load_run(tmp_path / "stand.nc")
    assert run.reaction("foot")["force"][-1].values == pytest.approx([0, 0, 3 * 9.81], rel=1e-15)
