"""Colours of a picture on light and on dark pages, as CSS variables."""

from collections.abc import Mapping

_LIGHT = ('[data-theme="light"]', '[data-jp-theme-light="true"]', ".vscode-light")
_DARK = ('[data-theme="dark"]', '[data-jp-theme-light="false"]', ".vscode-dark")
"""How pages say which theme their reader has chosen: Furo and the pages of Cardan, Jupyter, Visual Studio Code."""


def themed(picture: str, light: Mapping[str, str], dark: Mapping[str, str]) -> str:
    """Rules that set `--name` for every colour: as the page says, or the system where the page says nothing."""
    bright, dim = (" ".join(f"--{name}: {colour};" for name, colour in colours.items()) for colours in (light, dark))
    return "\n".join(
        (
            f"{picture} {{ {bright} }}",
            f"@media (prefers-color-scheme: dark) {{ {picture} {{ {dim} }} }}",
            f"{', '.join(f'{page} {picture}' for page in _LIGHT)} {{ {bright} }}",
            f"{', '.join(f'{page} {picture}' for page in _DARK)} {{ {dim} }}",
        )
    )
