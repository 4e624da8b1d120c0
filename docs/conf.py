"""The documentation as a site: `make docs` builds it into out/site, with warnings as errors and nothing from a network."""

import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "site"))

import cardan  # noqa: E402
from cardan.rendering.documents.html import FONT  # noqa: E402

warnings.simplefilter("ignore", cardan.ModelWarning)  # printed motor constants, docs/errata.md

project = "Cardan"
copyright = "The Cardan developers"
release = version = cardan.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "mechanism_pages", "plain_sources"]
myst_heading_anchors = 4
exclude_patterns = ["site"]
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300  # of a cell, on a busy machine
nb_execution_in_temp = True
nb_merge_streams = True

autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"Cardan {release}"
html_static_path = ["site/static", str(FONT)]
html_css_files = ["cardan.css"]
html_js_files = ["theme.js"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"light_css_variables": {"color-brand-primary": "#1f6fc2", "color-brand-content": "#1f6fc2"}}
pygments_style = "friendly"
pygments_dark_style = "monokai"
