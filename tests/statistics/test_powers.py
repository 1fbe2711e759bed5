"""Level and power of `two_sample_test`, beside a test of mean ranks: a short run of the script behind the docs."""

import importlib.util

import pytest
from paths import ROOT

SPEC = importlib.util.spec_from_file_location("group_powers", ROOT / "examples/group_powers.py")
group_powers = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(group_powers)
NULL = [model for model in group_powers.MODELS if model.startswith("no difference")]
REVERSED = "a ranking or its reverse, half of them noise"


@pytest.mark.parametrize("n", [5, 8])
@pytest.mark.parametrize("model", NULL)
def test_level(model, n):
    """Of 400 data sets 20 are expected, with a standard deviation of 4.4."""
    for found in group_powers.rejected(model, n, 400, 99, seed=1):
        assert 0.015 < found < 0.09


@pytest.mark.parametrize("n", [5, 8])
def test_power_where_mean_ranks_are_equal(n):
    found, mean_ranks = group_powers.rejected(REVERSED, n, 150, 99, seed=2)
    assert found >= 0.8
    assert mean_ranks < 0.15


@pytest.mark.parametrize("model", [model for model in group_powers.MODELS if model not in NULL])
def test_power_of_the_others(model):
    """Little power is lost where mean ranks differ."""
    found, mean_ranks = group_powers.rejected(model, 8, 100, 99, seed=3)
    assert found > mean_ranks - 0.15
    assert found > 0.15
