"""What several test files share."""

import pytest
from wkendall import _memory


@pytest.fixture
def leave_memory(monkeypatch):
    """Make the package believe that so many bytes of memory are left."""

    def leave(size):
        monkeypatch.setattr(_memory, "ALWAYS_FITS", 0)
        monkeypatch.setattr(_memory, "available_bytes", lambda: size)

    return leave
