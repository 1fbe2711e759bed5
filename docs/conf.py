"""Configuration of the site, which `make docs` builds. Building and reading it needs no network."""

import re
from importlib.metadata import version as installed_version
from importlib.util import find_spec

from docutils import nodes
from latex2mathml.converter import convert

project = "wkendall"
author = "The wkendall developers"
version = release = installed_version("wkendall")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery/*.py", "gallery/*.ipynb"]
templates_path = ["_templates"]

# Markdown: links to headings and formulas between dollar signs, as on GitHub.
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "dollarmath"]
html_math_renderer = "mathml"

# Docstrings: types are in the text, and known `names` are links.
default_role = "py:obj"
autosummary_generate = True
autodoc_typehints = "none"
# The reference has their doors even where they are not installed.
autodoc_mock_imports = [name for name in ("gpytorch", "optuna", "torch") if find_spec(name) is None]
autodoc_member_order = "bysource"
maximum_signature_line_length = 90
toc_object_entries_show_parents = "hide"  # the names of methods fit into the list at the right
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# Examples run whenever they or the package have changed; the other scripts are only linked.
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "doc_module": ("wkendall",),
    "reference_url": {"wkendall": None},
    "backreferences_dir": "generated/backreferences",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e6,
    "write_computation_times": False,
    "run_stale_examples": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "wkendall"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "wkendall"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "back_to_top_button": False,
    "pygments_light_style": "a11y-high-contrast-light",
}
html_sidebars = {"index": []}


def adapt(app, docname, source):
    """Replace links to the gallery scripts, which work in the repository, by links to their pages."""
    source[0] = re.sub(r"\(\.\./examples/gallery/(\w+)\.py\)", r"(gallery/\1.rst)", source[0])


def skip_foreign(app, what, name, obj, skip, options):
    """Skip members that classes inherit from scikit-learn."""
    return skip or str(getattr(obj, "__module__", "")).startswith("sklearn.")


def short_types(app, what, name, obj, options, signature, returns):
    """Write a default value that is a type as its name."""
    return signature and signature.replace("<class 'numpy.float64'>", "float64"), returns


def mathml(formula, display):
    """Return a formula in MathML, with a space around the names of functions."""
    functions = r'<mo lspace="0.17em" rspace="0.17em">\1</mo>'
    return re.sub(r"<mi>(log|cos|sin)</mi>", functions, convert(formula, display=display))


def inline_formula(writer, node):
    """Write a formula as MathML, which browsers show without a script."""
    writer.body.append(mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def displayed_formula(writer, node):
    """Write a formula as a paragraph of its own, which scrolls if it is wide."""
    writer.body.append(f'<div class="formula">{mathml(node.astext(), "block")}</div>')
    raise nodes.SkipNode


def setup(app):
    """Register the hooks."""
    app.add_html_math_renderer("mathml", (inline_formula, None), (displayed_formula, None))
    app.connect("autodoc-process-signature", short_types)
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("source-read", adapt)
