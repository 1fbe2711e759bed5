"""What several test files share."""

import sys

import processes
import pytest
from wkendall import _memory

processes.with_default_signals()
processes.mark()


@pytest.fixture(scope="session", autouse=True)
def _no_process_is_left_behind():
    yield
    assert processes.survivors(seconds=10) == {}


@pytest.fixture(autouse=True)
def _no_figure_is_left_open():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def leave_memory(monkeypatch):
    """Make the package believe that so many bytes of memory are left."""

    def leave(size):
        monkeypatch.setattr(_memory, "ALWAYS_FITS", 0)
        monkeypatch.setattr(_memory, "available_bytes", lambda: size)

    return leave
