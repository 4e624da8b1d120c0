"""Validation of a whole model: names first, then expressions, then numbers; each stage reports all it finds."""

from cardan.errors import DoubtWarning, ModelError, ModelWarning, warn
from cardan.model.checks.references import reference_issues
from cardan.model.checks.scopes import expression_issues
from cardan.model.checks.values import doubts, value_issues
from cardan.model.quantities.parameters import resolve
from cardan.model.sections import ModelSections


def validate(model: ModelSections) -> None:
    """Refuse a model that cannot be, warn of one that probably is not meant."""
    issues = reference_issues(model)
    try:
        values = resolve(model.parameters)
    except ModelError as error:
        raise ModelError([*issues, *error.under("parameters").issues]) from None
    issues += [] if issues else expression_issues(model)
    issues += [] if issues else value_issues(model, values)
    if issues:
        raise ModelError(issues)
    for doubt in doubts(model, values):
        warn(doubt.one_line(), DoubtWarning if doubt.kind else ModelWarning)
