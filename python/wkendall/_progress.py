"""A progress bar for long calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from wkendall._errors import Advice, Option, Sentence


@contextmanager
def progress_bar(
    progress: bool, what: str, already: int = 0, total: int | None = None
) -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar, if wanted; yield a function that is called with the work done and the total work.

    Work done `already`, before this run, counts as done but not in the estimate of the remaining time.
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
    """Return the message that tqdm is not installed."""
    return Sentence(Option("progress", True), ' needs tqdm: pip install "wkendall', Advice("extra", "[progress]"), '"')
