"""Fonts for names in any script: letters that the usual font lacks are taken from another installed font."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.text import Text

#: Fonts that draw a box for every letter, or that matplotlib cannot draw.
NO_FONTS = ("last resort", "lastresort", "color emoji", "adobe blank")
#: Letters that a warning has named.
_TOLD: set[str] = set()


def use_fonts(texts: Iterable[Text]) -> None:
    """Give texts fonts that have their letters; warn once about each letter that no installed font has."""
    unknown: dict[str, str] = {}
    for text in texts:
        content = text.get_text()
        if content.isascii():
            continue
        families = list(text.get_fontfamily())
        lacking = tuple(sorted(_lacking(content, families)))
        if lacking:
            others, left = _fonts_with(lacking)
            text.set_fontfamily([*families, *others])
            unknown |= {letter: content for letter in left if letter not in _TOLD and letter not in unknown}
    if unknown:
        _TOLD.update(unknown)
        letter, content = next(iter(unknown.items()))
        more = f", and {len(unknown) - 1} other letters" if len(unknown) > 1 else ""
        warnings.warn(
            f"no installed font has the letter {letter!r} of {content!r}{more}: boxes are drawn. Install a font that has it, "
            "such as Noto Sans CJK",
            UserWarning,
            stacklevel=4,
        )


def _lacking(content: str, families: list[str]) -> set[str]:
    """Return the letters of a text that none of the font families has."""
    from matplotlib import font_manager

    letters = {
        letter for letter in content if not letter.isascii() and unicodedata.category(letter) not in ("Cf", "Mn", "Zs")
    }
    for family in families:
        path = font_manager.findfont(font_manager.FontProperties(family=[family]))
        letters = {letter for letter in letters if not _has(path, letter)}
    return letters


@cache
def _fonts_with(letters: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return a few installed fonts that together have these letters, and the letters that no installed font has."""
    from matplotlib import font_manager

    def plain(entry: Any) -> tuple[bool, bool, bool, str]:
        return (
            "sans" not in entry.name.lower(),
            entry.style != "normal",
            entry.weight not in (400, "normal"),
            entry.name,
        )

    families, left = [], list(letters)
    for entry in sorted(font_manager.fontManager.ttflist, key=plain):
        if not left:
            break
        if any(name in entry.name.lower() for name in NO_FONTS) or entry.name in families:
            continue
        found = [letter for letter in left if _has(entry.fname, letter)]
        if found:
            families.append(entry.name)
            left = [letter for letter in left if letter not in found]
    return families, left


@cache
def _has(path: str, letter: str) -> bool:
    try:
        return bool(_font(path).get_char_index(ord(letter)))
    except (RuntimeError, OSError):  # a font that matplotlib cannot read
        return False


@cache
def _font(path: str) -> Any:
    from matplotlib import ft2font

    return ft2font.FT2Font(path)
