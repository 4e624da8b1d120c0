"""The pages of the gallery's mechanisms are up to date: `python docs/pages.py` writes them."""

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.rendering.evaluation import check_entries
from tests.selection import each

from cardan.formats import gallery
from cardan.rendering.documents.html import FONT

DOCS = Path(__file__).parents[2] / "docs"
PAGES = runpy.run_path(str(DOCS / "pages.py"))
LONG = ("manipulator_6dof", "manutec_r3", "parallel_3rrrt", "parallel_3rrrt_base_universal")  # seconds each


def _without_drawing(page):
    """A drawing has rounded floats, which another processor may round the other way."""
    return re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL)


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=pytest.mark.exhaustive) if one in LONG else one for one in gallery()]
)
def test_a_page_is_up_to_date_and_its_entries_have_the_values_of_machine_code(name):
    written = (DOCS / "mechanisms" / f"{name}.html").read_text(encoding="utf-8")
    assert _without_drawing(written) == _without_drawing(PAGES["page"](name)), "run python docs/pages.py"
    root = ElementTree.fromstring(written.partition("\n")[2])
    assert root.find(".//{http://www.w3.org/2000/svg}svg") is not None
    if name not in PAGES["SYMBOLS"]:
        check_entries(PAGES["equations"](name))  # which the page has just shown


def test_all_pages_are_listed_and_there_are_no_others():
    written = (DOCS / "mechanisms" / "README.md").read_text(encoding="utf-8")
    assert written == PAGES["index"]([*gallery()])
    assert {path.stem for path in (DOCS / "mechanisms").glob("*.html")} == {*gallery()}


def test_the_figures_that_pages_show_are_beside_them():
    for name in gallery():
        page = (DOCS / "mechanisms" / f"{name}.html").read_text(encoding="utf-8")
        shown = re.findall(r'<img src="([^"]*)"', page)
        assert shown == [f"{name}.png"] * (name in PAGES["FIGURES"] | PAGES["RUNS"])
        assert all((DOCS / "mechanisms" / file).read_bytes().startswith(b"\x89PNG") for file in shown)


@pytest.mark.exhaustive
def test_figures_of_motions_can_be_drawn(tmp_path):
    runpy.run_path(str(DOCS / "figures.py"))["main"](tmp_path)
    assert {path.stem for path in tmp_path.iterdir()} == {*PAGES["FIGURES"], *PAGES["RUNS"]}


def test_pages_have_the_font_of_their_equations_beside_them():
    assert (DOCS / "mechanisms" / FONT.name).read_bytes() == FONT.read_bytes()
    assert f'url("{FONT.name}")' in (DOCS / "mechanisms" / "scara.html").read_text(encoding="utf-8")
    licence = FONT.with_name("OFL.txt").read_bytes()
    assert (DOCS / "mechanisms" / "OFL.txt").read_bytes() == licence


@each("name, erratum", [("slider_crank", "M₁₁ + J_w"), ("scara", "sin"), ("manipulator_6dof", "ξ")])
def test_a_page_lists_the_errata_of_its_source(name, erratum):
    page = (DOCS / "mechanisms" / f"{name}.html").read_text(encoding="utf-8")
    assert erratum in page.partition("Errata found in the source")[2]


@each("name, erratum", [("overhead_crane", "3RRR"), ("manipulator_3dof", "ξ"), ("trolley_pendulum", "SCARA")])
def test_a_page_lists_no_errata_of_other_mechanisms(name, erratum):
    page = (DOCS / "mechanisms" / f"{name}.html").read_text(encoding="utf-8")
    assert erratum not in page.partition("Errata found in the source")[2]
    assert "Errata found" not in (DOCS / "mechanisms" / "compound_pendulum.html").read_text(encoding="utf-8")
