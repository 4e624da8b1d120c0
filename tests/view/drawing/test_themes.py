"""Drawings have the colours that the reader of a page has chosen, else those of the system."""

from concurrent.futures import ThreadPoolExecutor

from tests.browsers import need_browser

import cardan
from cardan.view.animation import browser
from cardan.view.drawing.svg import DARK, LIGHT

PAGES = [
    ("light", "", LIGHT),
    ("dark", "", DARK),
    ("light", 'data-theme="auto"', LIGHT),
    ("light", 'data-theme="dark"', DARK),
    ("dark", 'data-theme="light"', LIGHT),
    ("dark", 'data-theme="auto"', DARK),
    ("light", 'data-jp-theme-light="false"', DARK),
    ("dark", 'data-jp-theme-light="true"', LIGHT),
    ("light", 'class="vscode-dark"', DARK),
    ("dark", 'class="vscode-light"', LIGHT),
]
"""Scheme of the system, what the page says, and the colours that follow."""


def _rgb(colour):
    return f"rgb({', '.join(str(int(colour[k : k + 2], 16)) for k in (1, 3, 5))})"


def _shown():
    """Paper of schematic and bond graph, and ink of the schematic, for each of the pages, as Chromium computes them."""
    need_browser()
    graph = cardan.bond_graph(cardan.load("compound_pendulum")).to_svg()
    drawing = cardan.draw(cardan.load("compound_pendulum")).svg
    script = """() => [[".schematic > rect", "fill"], [".bond-graph .paper", "fill"], [".schematic .s-ink", "stroke"]]
        .map(([one, what]) => getComputedStyle(document.querySelector(one))[what])"""

    def look():
        out = []
        with browser.opened("", (400, 300)) as tab:
            for scheme, said, _ in PAGES:
                tab.emulate_media(color_scheme=scheme)
                tab.set_content(f"<body {said}>{drawing}{graph}</body>")
                out.append(tab.evaluate(script))
        return out

    with ThreadPoolExecutor(1) as pool:  # Playwright does not work where an event loop runs
        return pool.submit(look).result()


def test_drawings_follow_the_page_before_the_system():
    wanted = [[_rgb(colours[one]) for one in ("paper", "paper", "ink")] for *_, colours in PAGES]
    assert _shown() == wanted
