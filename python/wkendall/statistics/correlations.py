"""Kendall's tau-b between all columns of a table, or between the columns of two tables."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, SupportsIndex, get_args, overload

import numpy as np
from numpy.typing import NDArray

from wkendall import _core
from wkendall._arguments import as_order, as_threads, check_choice, check_flag
from wkendall._errors import bad_argument
from wkendall._memory import check_fits
from wkendall._progress import progress_bar
from wkendall.reading.tables import Table, check_same_observations, read_table_columns

Alternative = Literal["two-sided", "less", "greater"]
_ADVICE = "take fewer columns at a time, with other= for blocks of the matrix"


class Correlations(NamedTuple):
    """What `corr` returns with `pvalues=True`: correlations of all pairs of columns, and their p-values.

    Attributes
    ----------
    statistic : array or data frame
        Kendall's tau-b.
    pvalue : array or data frame
        The p-value of each.

    Examples
    --------
    >>> import wkendall
    >>> found = wkendall.corr([[1, 3], [2, 1], [3, 2]], pvalues=True)
    >>> isinstance(found, wkendall.Correlations), found._fields
    (True, ('statistic', 'pvalue'))
    """

    statistic: Any
    pvalue: Any


@overload
def corr(
    data: Any,
    other: Any = None,
    *,
    pvalues: Literal[True],
    min_periods: SupportsIndex = 1,
    alternative: Alternative = "two-sided",
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> Correlations: ...


@overload
def corr(
    data: Any,
    other: Any = None,
    *,
    min_periods: SupportsIndex = 1,
    pvalues: bool = False,
    alternative: Alternative = "two-sided",
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> Any: ...


def corr(
    data: Any,
    other: Any = None,
    *,
    min_periods: SupportsIndex = 1,
    pvalues: bool = False,
    alternative: Alternative = "two-sided",
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> Any:
    """Kendall's tau-b between all pairs of columns of a table.

    Two columns are compared on the observations that both have: missing values are left out pair by pair. Without
    missing values the matrix is positive semi-definite. With missing values it can have negative eigenvalues.

    Parameters
    ----------
    data : data frame, series or array-like of shape (observations, columns)
        A row for each observation, a column for each variable. NaN, None, pd.NA, null and masked entries are missing.
        Infinite values are allowed. Only the order of the values in a column matters. Whole numbers of any length,
        decimals and fractions are ordered exactly, also if a column mixes them with floats. Ordered categories of pandas
        and `Enum` of polars have the order of the categories. A series or a 1-d array is one column. A
        `Rankings` is the array of its ranks, without names: pass the data frame to correlate its numbers.
    other : the same, optional
        A second table. Its columns are compared with the columns of `data`. It must have the same number of rows, and
        rows are matched by position. Two pandas objects must have the same index.
    min_periods : int
        The result is NaN if two columns have fewer common observations than this.
    pvalues : bool
        Also return p-values, for the hypothesis that two columns are independent. They are exact for up to 33
        observations without ties, and for more if at most one pair of observations is discordant, or at most one is
        concordant. Otherwise they use the normal approximation with correction for ties. `scipy.stats.kendalltau`
        uses the same rule.
    alternative : {"two-sided", "less", "greater"}
        The alternative hypothesis: any association, a negative one, or a positive one.
    n_jobs : int, optional
        Number of threads, as for `gram_matrix`. The result is bitwise identical for any number.
    progress : bool
        Show a progress bar; needs tqdm (`pip install "wkendall[progress]"`).

    Returns
    -------
    array or data frame, or Correlations
        A matrix with a row for each column of `data` and a column for each column of `other`. Without `other`, the
        columns of `data` are compared with each other. A pandas object gives a DataFrame whose index and columns are
        the labels of the columns. A polars object gives a DataFrame whose columns have the labels; its rows are in the
        order of the columns of `data`, because polars has no index. Other input gives an array. A value is NaN if two
        columns have fewer than two common observations, or if all common observations of a column are equal. This also
        holds on the diagonal, which is otherwise 1. With `pvalues=True` the result is a named tuple
        `Correlations(statistic, pvalue)` of two matrices of this form.

    Examples
    --------
    >>> import numpy as np, wkendall
    >>> data = np.array([[1, 10, 7.5], [2, 30, 7.5], [3, 20, np.nan], [4, 40, 1.0]])
    >>> wkendall.corr(data).round(3)
    array([[ 1.   ,  0.667, -0.816],
           [ 0.667,  1.   , -0.816],
           [-0.816, -0.816,  1.   ]])
    >>> wkendall.corr(data, pvalues=True).pvalue.round(3)
    array([[0.083, 0.333, 0.221],
           [0.333, 0.083, 0.221],
           [0.221, 0.221, 0.157]])
    """
    least = as_order(min_periods, "min_periods", 0)
    check_flag(pvalues, "pvalues")
    check_flag(progress, "progress")
    check_choice(alternative, "alternative", get_args(Alternative))
    threads = as_threads(n_jobs)
    x = read_table_columns(data, "data")
    y = None if other is None else read_table_columns(other, "other")
    if y is not None:
        check_same_observations(x, y, data, other)
    return _labelled(x, y, _matrices(x, y, least, alternative if pvalues else None, threads, bool(progress)))


def _matrices(
    x: Table, y: Table | None, least: int, alternative: Alternative | None, threads: int | None, progress: bool
) -> list[NDArray[np.float64]]:
    """Return the correlations, and the p-values if an alternative is given."""
    shape = (len(x.values), len(x.values if y is None else y.values))
    many = 1 if alternative is None else 2
    check_fits(many * shape[0], shape[1], np.dtype(np.float64), _ADVICE, shape=f"{shape[0]} x {shape[1]}")
    of_x = _core.Columns(x.values, threads)
    of_y = None if y is None else _core.Columns(y.values, threads)
    results = [np.empty(shape) for _ in range(many)]
    pvalue = results[1] if many == 2 else None
    with progress_bar(progress, "corr") as show:
        _core.correlations(
            of_x, of_y, least, results[0], pvalue, alternative or "two-sided", threads=threads, progress=show
        )
    return results


def _labelled(x: Table, y: Table | None, results: list[NDArray[np.float64]]) -> Any:
    """Return the matrices in the type of `data`, with the labels of the columns."""
    columns = x if y is None else y
    labels = range(len(columns.values)) if columns.labels is None else columns.labels
    found: list[Any] = list(results)
    if x.kind == "pandas":
        import pandas as pd

        found = [pd.DataFrame(result, index=x.labels, columns=labels) for result in results]
    elif x.kind == "polars":
        import polars as pl

        names = [str(label) for label in labels]
        if len(set(names)) < len(names):
            rule = " has columns of the same name, which a polars data frame cannot have"
            raise bad_argument("other", rule, kind="no name")
        found = [pl.DataFrame(result, schema=names) for result in results]
    return found[0] if len(found) == 1 else Correlations(*found)
