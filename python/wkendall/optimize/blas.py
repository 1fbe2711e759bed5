"""One thread for the linear algebra."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[Any]:
    """Have BLAS use one thread: results are bitwise identical for any number of cores, and small matrices take less time.

    With 100 points, 15 items and two threads on two busy cores, threads that wait for each other took a hundred times longer.
    """
    limited: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limited


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    """Return the libraries that are loaded; to find them takes some milliseconds."""
    return ThreadpoolController()
