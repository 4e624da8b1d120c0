"""Plots in the browser: one page with everything inside, in which time can be enlarged and values read.

The page's program is built from the folder `viewer` of the project.
"""

from cardan.view.charts.chart_page import chart_page

__all__ = ["chart_page"]
