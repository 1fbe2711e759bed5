"""A progress bar for long calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

Show = Callable[[int, int], None]
#: No progress bar; a generator would take a tenth of the time of a small Gram matrix.
_NONE: AbstractContextManager[Show | None] = nullcontext()


def progress_bar(
    progress: bool, what: str, already: int = 0, total: int | None = None
) -> AbstractContextManager[Show | None]:
    """Show a progress bar, if wanted; give a function that is called with the work done and the total work.

    Work done `already`, before this run, counts as done but not in the estimate of the remaining time.
    """
    return _bar(what, already, total) if progress else _NONE


@contextmanager
def _bar(what: str, already: int, total: int | None) -> Iterator[Show]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError('a progress bar needs tqdm: pip install "wkendall[progress]"') from None
    with tqdm(desc=what, unit="part", initial=already, total=total) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield show
