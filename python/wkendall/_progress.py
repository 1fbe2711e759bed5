"""A bar that shows how far a long call has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from wkendall._errors import Advice, Option, Sentence


@contextmanager
def progress_bar(
    progress: bool, what: str, already: int = 0, total: int | None = None
) -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar, if wanted, that is moved on by calling it with what is done and what there is to do.

    What was done `already`, before this run, counts as done but not for the time that the rest will take.
    """
    if not progress:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError(needs_tqdm()) from None
    with tqdm(desc=what, unit="part", initial=already, total=total) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show


def needs_tqdm() -> Sentence:
    """Say what is not installed."""
    return Sentence(Option("progress", True), ' needs tqdm: pip install "wkendall', Advice("extra", "[progress]"), '"')
