"""A mechanism on one page to file or to hand out: its picture, equations, mobility, motion, loads, balances."""

from cardan.view.reports.report import report

__all__ = ["report"]
