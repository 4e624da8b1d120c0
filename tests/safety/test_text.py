"""Texts that act: shown in every output, obeyed in none."""

import ast
import html
import io
import subprocess
import xml.etree.ElementTree as ElementTree

import matplotlib
import pytest
from typer.testing import CliRunner

import cardan
from cardan.cli import program
from cardan.cli.terminal import err, out, styled
from cardan.errors import ModelError
from cardan.formats.yaml import loads
from cardan.safety.text import for_comment, for_markup, for_plot, visible
from tests.c_compiler import CC, STRICT
from tests.selection import each, few

HOSTILE = {
    "closing tag": "rig [/2]",
    "tag": "rig [bold]not bold[/bold] [link=file:///etc]x[/link]",
    "emoji": "rig :x: :smile:",
    "terminal": "rig \x1b[2J\x1b]0;title\x07 \x9b31m",
    "overwriting": "rig\rrun\b\b\b\x7f",
    "lines": "rig\nerror: forged\u2028\u2029\v\f",
    "direction": "rig \u202egnp.exe\u2066",
    "formula": r"rig $\frac{1}{0}$ $x_{$ \$ $$ 100 $",
    "comment": 'rig */ int x; /* ??/ """ \\ // "',
    "docstring": 'rig """\nimport os\n"""',
    "html": "rig <script>alert(1)</script> & ' \" ]]> <!--",
    "latex": r"rig \input{/etc/passwd} \end{document} % # & _ ^ ~ { }",
    "format": "rig {0} {name} %s %d",
    "path": "../../rig/../name",
    "long": "rig " * 2000,
}


WORST = ("terminal", "html")


@pytest.fixture(params=HOSTILE)
def hostile(request):
    return HOSTILE[request.param]


def model(text):
    return cardan.Model(
        name=text,
        source=text,
        parameters={"m": "2 kg"},
        bodies={"box": {"mass": "m"}},
        joints={"slide": {"type": "prismatic", "parent": "ground", "child": "box", "axis": "x"}},
        inputs={"slide": 1},
        simulate={"until": 0.1},
    )


def acts(text, keep="\n\t"):
    return visible(text, keep) != text


def test_visible_texts_are_left_alone():
    for text in ("overhead crane", "manège à trois 曲柄 Φ–q̇ 😀", "a\u00a0b", "", " "):
        assert visible(text) == text


@each(
    "text, shown",
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\0\x9b", "\\x00\\x9b"),
        ("\u202e\ud800\uffff", "\\u202e\\ud800\\uffff"),
    ],
)
def test_what_acts_is_written_out(text, shown):
    assert visible(text) == shown


def test_every_character_can_leave_through_every_output():
    everything = "".join(map(chr, range(0x11000)))
    for made in (visible, for_plot, for_markup, for_comment):
        assert not acts(made(everything), keep="")
        made(everything).encode()
    ElementTree.fromstring(f"<a b='{for_markup(everything)}'>{for_markup(everything)}</a>")
    ast.parse(f'"""{for_comment(everything)}"""')


def test_half_a_character_and_the_zero_byte_are_refused_in_models():
    for text in ("a\ud800b", "a\0b"):
        with pytest.raises(ModelError, match="is not a character of a text"):
            model(text)
    with pytest.raises(ModelError, match=r"line 2: name: .*U\+0000"):
        loads('cardan: 1\nname: "a\\0b"\nbodies: {b: {mass: 1}}\njoints: {j: {type: free, parent: ground, child: b}}\n')


def test_consoles_obey_no_text(hostile, capsys, monkeypatch):
    from rich.table import Table

    monkeypatch.setenv("COLUMNS", "20000")
    monkeypatch.setenv("FORCE_COLOR", "1")
    table = Table("head")
    table.add_row(hostile)
    for console in (out(), err()):
        console.print(hostile, soft_wrap=True)
        console.print(table)
        console.print(styled(hostile, "none"), soft_wrap=True)
    for text in capsys.readouterr():
        plain = text.replace("\x1b[1m", "").replace("\x1b[0m", "")
        assert not acts(plain)
        first = visible(hostile, keep="\n").split("\n")[0].rstrip()
        assert text.count(first) == 3


@pytest.mark.parametrize("kind", few(sorted(HOSTILE, key=lambda kind: kind not in WORST), 2))
def test_commands_show_names_and_obey_none(kind, tmp_path, monkeypatch):
    """Every command that reads a model, in every format it writes."""
    hostile = HOSTILE[kind]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    cardan.save(model(hostile), "rig.yaml")
    assert cardan.load("rig.yaml").name == hostile
    sweep = ["sweep", "rig.yaml", "--motors", "none", "--vary", "m=1kg,2kg"]
    calls = [
        ["show", "rig.yaml"],
        ["show", "rig.yaml", "--yaml"],
        ["verify", "rig.yaml", "--states", "1"],
        *(["equations", "rig.yaml", "--format", one] for one in ("text", "latex", "html", "json", "sympy")),
        *(["simulate", "rig.yaml", "--motors", "none", "-o", f"run.{one}"] for one in ("nc", "csv", "parquet")),
        *([*sweep, "-o", f"sweep.{one}"] for one in ("nc", "csv", "parquet")),
        *(["export", "rig.yaml", "--to", one, "-o", "."] for one in ("c", "python", "casadi")),
    ]
    if hostile in (HOSTILE["terminal"], HOSTILE["formula"], HOSTILE["html"]):  # of the others see below
        calls += [
            ["simulate", "rig.yaml", "--motors", "none", "--plot", "run.svg"],
            ["plot", "run.nc", "run.csv", "run.parquet", "-o", "runs.svg"],
            ["plot", "run.nc", "-o", "one.svg"],
            [*sweep, "--plot", "sweep.svg"],
        ]
    for call in calls:
        run = CliRunner().invoke(program(), call)
        assert run.exit_code == 0, (call, run.output, run.exception)
        assert not acts(run.output)
        if call[0] != "export" and "wrote" not in run.output and "--yaml" not in call and "latex" not in call:
            word = visible(hostile)[:3]
            assert word in run.output or html.escape(word) in run.output or call[0] == "verify"
    for path in tmp_path.iterdir():
        if path.suffix in (".svg", ".h", ".c", ".py", ".json", ".csv"):
            assert not acts(path.read_text(encoding="utf-8")), path
    for path in tmp_path.glob("*.svg"):
        ElementTree.parse(path)
    assert {cardan.load_run(f"run.{one}").provenance.model for one in ("nc", "csv", "parquet")} == {hostile}


def test_documents_hold_names_as_text(hostile):
    equations = cardan.equations(model(hostile))
    page = equations.render("html")
    assert f"<h1>{html.escape(visible(hostile))}</h1>" in page
    ElementTree.fromstring(page.partition("\n")[2])
    ast.parse(equations.render("sympy"))
    assert "\\input" not in equations.render("latex")
    assert equations.render("latex").count("\\end{document}") == 1


def test_source_code_holds_names_as_comments(hostile, tmp_path):
    files = {to: cardan.export(model(hostile), tmp_path, to=to) for to in ("c", "python")}
    (script,) = files["python"]
    assert {type(node) for node in ast.parse(script.read_text()).body if not isinstance(node, ast.FunctionDef)} <= {
        ast.Expr,
        ast.Import,
        ast.ImportFrom,
        ast.Assign,
    }
    if CC:
        code = next(path for path in files["c"] if path.suffix == ".c")
        subprocess.run([CC, *STRICT, "-c", code, "-o", tmp_path / "code.o"], check=True)


def test_plots_draw_names_as_they_are(hostile):
    run = cardan.simulate(model(hostile), motors="none")
    figure = cardan.plot([run, run])
    (heading,) = [text for text in figure.findobj(matplotlib.text.Text) if text.get_text() == for_plot(hostile)][:1]
    drawn, is_formula = heading._preprocess_math(heading.get_text())
    assert not is_formula
    assert drawn == visible(hostile)
    if len(hostile) < 1000:
        figure.savefig(io.BytesIO(), format="svg")
