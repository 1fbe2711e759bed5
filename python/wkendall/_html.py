"""HTML pages that need no other files: style, tables, and pictures as SVG."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.2; } h2 { font-size: 1.15rem; margin-top: 2rem; break-after: avoid; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; white-space: nowrap; border-bottom: 1px solid #ddd; }
th { border-bottom: 2px solid #888; } tr.base { background: #f3f3f3; }
figure { margin: 1rem 0; break-inside: avoid; } figure svg { width: 100%; max-width: 44rem; height: auto; display: block; }
figure svg { overflow: visible; }
figcaption, .note { color: #555; font-size: .9rem; }
@media print, (max-width: 45rem) { table { font-size: .75rem; } th, td { white-space: normal; padding-right: .5rem; } }
"""


def document(title: str, body: str) -> str:
    """Return a page; the body is HTML."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
{body}
</body>
</html>
"""


def html_table(headings: Sequence[str], lines: Sequence[Sequence[str]], base: int | None = None) -> str:
    """Return a table of texts; a wide table has a scroll bar. The line with the number `base` is marked."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = ""
    for number, line in enumerate(lines):
        marked = ' class="base"' if number == base else ""
        cells = "".join(f"<td>{escape(cell).replace('± ', '±&nbsp;')}</td>" for cell in line)
        body += f"<tr{marked}>{cells}</tr>\n"
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>'


def html_figure(figure: Figure, caption: str) -> str:
    """Return a picture with a caption."""
    text = drawn(figure, "svg").decode()
    return f"<figure>{text[text.index('<svg') :]}<figcaption>{escape(caption)}</figcaption></figure>"


def drawn(figure: Figure, kind: str) -> bytes:
    """Draw a figure in the file format `kind`, such as "svg"; the same figure always gives the same bytes."""
    import matplotlib as mpl

    file = io.BytesIO()
    # Browsers have fonts for every script: texts of SVG stay texts, and letters that matplotlib cannot draw are no problem.
    texts: Any = {"svg.hashsalt": "wkendall", "svg.fonttype": "none"}
    with mpl.rc_context(texts), warnings.catch_warnings():
        if kind == "svg":
            warnings.filterwarnings("ignore", "Glyph .* missing")
        # The labels of an axis may be wider than the axis.
        how: dict[str, Any] = {"bbox_inches": "tight", "metadata": {"Date": None} if kind == "svg" else None}
        figure.savefig(file, format=kind, dpi=150, **how)
    return file.getvalue()
