"""Rank correlations between all columns of a table, between the columns of two tables, or between chosen columns."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal, NamedTuple, SupportsIndex, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wkendall import _core
from wkendall._arguments import (
    Array,
    as_amount,
    as_order,
    as_threads,
    check_choice,
    check_flag,
    check_same_rows,
    real_array,
)
from wkendall._errors import RankingError, bad_argument, bad_entry, names_beside, shown
from wkendall._memory import check_fits
from wkendall._run import progress_bar
from wkendall.reading.tables import Kind, Table, check_same_observations, read_table_columns

Alternative = Literal["two-sided", "less", "greater"]
Method = Literal["tau-b", "tau-a", "tau-c", "gamma", "somers", "spearman"]
_ALTERNATIVES, _METHODS = get_args(Alternative), get_args(Method)
#: Names of other packages, and what to do.
_OTHER_METHODS = {
    "kendall": '; the Kendall correlation of pandas and R is method="tau-b"',
    "pearson": "; correlations here are those of ranks: corr of a pandas data frame computes Pearson's",
}
_ADVICE = (
    "take fewer columns at a time, with other= for blocks of the matrix, or large correlations only, with at_least="
)


class Correlations(NamedTuple):
    """What `corr` returns with `pvalues=True` or `confidence`.

    Fields that were not requested are None. All other fields have the same shape and type.

    Attributes
    ----------
    statistic : array or data frame
        The correlations.
    pvalue : array, data frame or None
        The p-values of the correlations.
    low, high : array, data frame or None
        The lower and the upper ends of the confidence intervals of the correlations.
    n : array or data frame
        For each pair of columns, the number of observations for which both columns have a value.

    Examples
    --------
    >>> import wkendall
    >>> found = wkendall.corr([[1, 3], [2, 1], [3, 2]], pvalues=True)
    >>> isinstance(found, wkendall.Correlations), found._fields
    (True, ('statistic', 'pvalue', 'low', 'high', 'n'))
    """

    statistic: Any
    pvalue: Any = None
    low: Any = None
    high: Any = None
    n: Any = None


class CorrelationTable(NamedTuple):
    """What `corr` returns if `at_least` is passed and `data` is not a data frame: one entry for each chosen pair.

    Attributes
    ----------
    i, j : array of int
        The numbers of the two columns of each pair, from 0. A pair is in the table if its correlation is large enough
        (see `at_least` of `corr`). `i` is the number of a column of `data`, and `j` is the number of a column of
        `other`. If `other` was not passed, `j` is the number of a column of `data`.
    statistic : array
        The correlation of each pair.
    pvalue, low, high, n : array or None
        As for `Correlations`; None if p-values and intervals were not requested.

    Examples
    --------
    >>> import numpy as np, wkendall
    >>> found = wkendall.corr(np.array([[1, 3, 1], [2, 1, 2], [3, 2, 3]]), at_least=0.5)
    >>> found.i, found.j, found.statistic
    (array([0]), array([2]), array([1.]))
    """

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    statistic: Array
    pvalue: Array | None = None
    low: Array | None = None
    high: Array | None = None
    n: NDArray[np.int64] | None = None


class CorrelationDifference(NamedTuple):
    """What `corr_difference` returns.

    Attributes
    ----------
    difference : float
        The correlation of x and y minus the correlation of x and z.
    pvalue : float
        The p-value of the hypothesis that the two correlations are equal.
    low, high : float
        The ends of the confidence interval of the difference.
    first, second : float
        The correlation of x and y, and the correlation of x and z.
    n : int
        The number of observations for which x, y and z all have a value.

    Examples
    --------
    >>> import wkendall
    >>> round(wkendall.corr_difference([1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 4, 3]).second, 3)
    0.667
    """

    difference: float
    pvalue: float
    low: float
    high: float
    first: float
    second: float
    n: int


def corr(
    data: Any,
    other: Any = None,
    *,
    method: Method = "tau-b",
    pairs: tuple[ArrayLike, ArrayLike] | None = None,
    weights: ArrayLike | None = None,
    at_least: float | None = None,
    confidence: float | None = None,
    pvalues: bool = False,
    alternative: Alternative = "two-sided",
    min_periods: SupportsIndex = 1,
    n_jobs: SupportsIndex | None = None,
    progress: bool = False,
) -> Any:
    """Rank correlations between all pairs of columns of a table.

    For each pair of columns, only their common observations are used: the observations for which both columns have a
    value. Without missing values the matrix of tau-a, tau-b or Spearman's rho is positive semi-definite. With missing
    values the matrix can have negative eigenvalues.

    Parameters
    ----------
    data : data frame, series, array-like or sparse array of shape (observations, columns)
        A row for each observation, a column for each variable. NaN, None, pd.NA, null, NaT and masked entries are
        missing values. Infinite values are allowed. Only the order of the values in a column matters. Whole numbers of
        any length, `Decimal` and `Fraction` values are ordered exactly, also if a column mixes them with floats.
        Ordered categories of pandas or pyarrow, and `Enum` of polars, have the order of their categories. False is
        before True. Dates have their usual order. A series or a 1-d array is one column. Values that a sparse array
        does not store are 0. For a sparse array, the time depends only on the number of stored values. A `Rankings` is
        read as the array of its ranks, without names. To correlate the numbers of a data frame, pass the data frame
        itself, not a `Rankings` made from it.
    other : the same, optional
        A second table. Its columns are compared with the columns of `data`. Both tables must have the same number of
        rows: row p of `data` and row p of `other` are the same observation. If both tables are pandas objects, they
        must have the same index.
    method : {"tau-b", "tau-a", "tau-c", "gamma", "somers", "spearman"}
        The coefficient. C is the number of concordant pairs of observations: both columns put the two observations in
        the same order. D is the number of discordant pairs: the two columns put them in opposite orders.

        - "tau-b": Kendall's tau-b. C - D is divided by the geometric mean of two numbers: the number of pairs that are
          not tied in the first column, and the number of pairs that are not tied in the second column. pandas and R
          call this method "kendall".
        - "tau-a": Kendall's tau-a. C - D is divided by the number of all pairs.
        - "tau-c": Stuart's tau-c, `2 m (C - D) / (n^2 (m - 1))`. Here n is the number of observations, and m is the
          number of distinct values in the column that has fewer distinct values.
        - "gamma": Goodman and Kruskal's gamma, `(C - D) / (C + D)`.
        - "somers": Somers' D. C - D is divided by the number of pairs that are not tied in the first column. The first
          column is the independent variable. In the returned matrix, the rows are the independent variables, and the
          columns are the dependent variables. This matrix is therefore not symmetric.
        - "spearman": Spearman's rho, the correlation of the ranks; tied values have their mean rank.
    pairs : two sequences of column numbers or labels, optional
        Compute only the correlations of these pairs of columns. The first sequence has columns of `data`. The second
        sequence has columns of `other`; if `other` is absent, it has columns of `data`. The results are arrays with one
        entry for each pair.
    weights : array-like of one number for each observation, optional
        The weight of each observation, at least 0. The weight of a pair of observations is the product of the weights
        of the two observations. A weight of 3, for example, has the same effect on the correlation as three copies of
        the observation, except for tau-a. P-values and intervals are not the same as with copies.
    at_least : float, optional
        Return only the pairs of columns whose correlation has an absolute value of at least `at_least`. The result is a
        table with one row for each returned pair: a data frame if `data` is a data frame, otherwise a
        `CorrelationTable`. The whole matrix is never in memory.
    confidence : float, optional
        Also return confidence intervals with this confidence, for example 0.95. The standard error of a correlation is
        computed by the jackknife: each observation is left out in turn. The standard error and the interval are
        computed on the scale of Fisher's transformation (atanh). The computation takes time O(n log n) for a pair of
        columns with n observations. Intervals of Spearman's rho use Student's distribution, with fewer degrees of
        freedom if a few observations have far more influence than the others. If leaving out one of the observations
        makes the correlation undefined, the ends of the interval are NaN.
    pvalues : bool
        Also return p-values for the hypothesis that two columns are independent. The p-values of the three taus and of
        gamma follow the rule of `scipy.stats.kendalltau`. Without ties, p-values are exact for up to 33 observations.
        For more observations without ties, p-values are exact in two cases: if at most one pair of observations is
        discordant, or if at most one pair is concordant. All other p-values of these methods use the normal
        approximation with correction for ties. Somers' D and Spearman's rho follow the rules of `scipy.stats.somersd`
        and `spearmanr`. With `weights`, p-values use the correlation divided by its standard error.
    alternative : {"two-sided", "less", "greater"}
        The alternative hypothesis: any association ("two-sided"), a negative association ("less"), or a positive
        association ("greater").
    min_periods : int
        If two columns have fewer than `min_periods` common observations, their correlation is NaN.
    n_jobs : int, optional
        The number of threads, as for `gram_matrix`. The result is bitwise identical for any number of threads.
    progress : bool
        Show a progress bar; needs tqdm (`pip install "wkendall[progress]"`).

    Returns
    -------
    array or data frame, Correlations, or table
        A matrix with a row for each column of `data` and a column for each column of `other`. Without `other`, the
        columns of `data` are compared with each other. The type of the matrix depends on `data`:

        - pandas or modin: a DataFrame of the same library. Its index and its columns are the column labels of the data.
        - polars or pyarrow: a table of the same library, whose columns have the labels. The rows are in the order of
          the columns of `data`. They have no labels, because these libraries have no index.
        - other data frames: a table of pandas or pyarrow, because the data are first converted to pandas (with
          `to_pandas`) or to pyarrow (with the Arrow interface).
        - other input: an array.

        If two columns have fewer than two common observations, their correlation is NaN. If one of the two columns has
        the same value in all common observations, the correlation is also NaN. Both rules also hold on the diagonal.
        For columns without ties, all other values on the diagonal are 1.

        With `pvalues=True` or `confidence`, the result is a named tuple
        `Correlations(statistic, pvalue, low, high, n)`. Each field has the type described above.

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
    >>> wkendall.corr(data, method="spearman", pairs=([0, 0], [1, 2])).round(3)
    array([ 0.8  , -0.866])
    """
    settings = _settings(method, min_periods, weights, confidence, alternative if pvalues else None, data)
    check_flag(pvalues, "pvalues")
    check_flag(progress, "progress")
    check_choice(alternative, "alternative", _ALTERNATIVES)
    if pairs is not None and at_least is not None:
        raise RankingError("both pairs and at_least are given: pass one of them", argument="at_least")
    threads = as_threads(n_jobs)
    x = read_table_columns(data, "data", sparse=True)
    y = None if other is None else read_table_columns(other, "other", sparse=True)
    if y is not None:
        x, y = _alike(x, y)
        check_same_observations(x, y, data, other)
    _check_weights(settings, x)
    run = _Run(x, y, settings, threads, bool(progress))
    if at_least is not None:
        return run.table(as_amount(at_least, "at_least"))
    if pairs is not None:
        found = run.of_pairs(*_numbers_of(pairs, x, x if y is None else y))
        return found if pvalues or confidence is not None else found.statistic
    matrices = run.matrices()
    labelled = Correlations(*(None if matrix is None else _labelled(x, y, matrix) for matrix in matrices))
    return labelled if pvalues or confidence is not None else labelled.statistic


def corr_difference(
    x: Any,
    y: Any,
    z: Any,
    *,
    method: Method = "tau-b",
    weights: ArrayLike | None = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> CorrelationDifference:
    """Compare the correlation of x and y with the correlation of x and z, on the same observations.

    The two correlations are not independent, because both use x and the same observations. The standard error of their
    difference is computed by the jackknife: each observation is left out in turn, and both correlations are computed
    from the other observations. The computation takes time O(n log n) for n observations.

    Parameters
    ----------
    x, y, z : array-like or series
        One value for each observation, read like a column of the table that `corr` takes. Observations that are missing
        in x, y or z are left out.
    method, weights, alternative
        As for `corr`.
    confidence : float
        The confidence of the interval, between 0 and 1.

    Returns
    -------
    CorrelationDifference
        A named tuple `(difference, pvalue, low, high, first, second, n)`.

    Examples
    --------
    >>> import numpy as np, wkendall
    >>> x = np.arange(12)
    >>> found = wkendall.corr_difference(x, x % 7, x % 3)
    >>> round(found.first, 3), round(found.second, 3), round(found.pvalue, 3)
    (0.331, 0.213, 0.662)
    """
    from scipy.special import ndtr, ndtri

    check_choice(alternative, "alternative", _ALTERNATIVES)
    settings = _settings(method, 1, weights, confidence, None, x)
    tables = [read_table_columns(values, name) for name, values in (("x", x), ("y", y), ("z", z))]
    for name, values, table in zip("yz", (y, z), tables[1:], strict=True):
        if table.values.shape[1] != tables[0].values.shape[1]:
            counts = f"{table.values.shape[1]} values, but x has {tables[0].values.shape[1]}"
            raise bad_argument(name, f" has {counts}: pass one value for each observation", kind="rows differ")
        check_same_rows(x, values, ("x", name))
    for name, table in zip("xyz", tables, strict=True):
        if len(table.values) != 1:
            raise bad_argument(name, f" has {len(table.values)} columns: pass one column")
    _check_weights(settings, tables[0])
    columns = np.array([table.values[0] for table in tables], dtype=np.float64)
    columns[:, np.isnan(columns).any(axis=0)] = np.nan
    one, two, three = (_core.Columns(column[np.newaxis]) for column in columns)
    first, without_first = _core.leave_one_out(one, two, settings)
    second, without_second = _core.leave_one_out(one, three, settings)
    changes = (without_first - without_second)[~np.isnan(columns[0])]
    changes = changes[~np.isnan(changes)]
    n = int((~np.isnan(columns[0])).sum())
    difference, count = first - second, len(changes)
    error = float(np.sqrt((count - 1) / count * ((changes - changes.mean()) ** 2).sum())) if count > 1 else np.nan
    deviation = 0.0 if difference == 0 else difference / error if error > 0 else np.copysign(np.inf, difference)
    deviation = np.nan if np.isnan(difference) or np.isnan(error) else deviation
    tails = {"two-sided": 2 * ndtr(-abs(deviation)), "less": ndtr(deviation), "greater": ndtr(-deviation)}
    half = float(ndtri(0.5 + confidence / 2)) * error
    low, high = max(difference - half, -2.0), min(difference + half, 2.0)
    return CorrelationDifference(difference, float(tails[alternative]), low, high, first, second, n)


class _Run(NamedTuple):
    """What a call of `corr` computes, and how."""

    x: Table
    y: Table | None
    settings: dict[str, Any]
    threads: int | None
    progress: bool

    @property
    def _student(self) -> bool:
        """Whether the p-values are those of Student's distribution."""
        return self.settings["method"] == "spearman" and self.settings["weights"] is None

    def _inner(self) -> dict[str, Any]:
        return self.settings | ({"alternative": None} if self._student else {})

    def _columns(self) -> tuple[_core.Columns, _core.Columns | None]:
        return _columns(self.x, self.threads), None if self.y is None else _columns(self.y, self.threads)

    def matrices(self) -> Correlations:
        """Return the matrices of all pairs of columns."""
        shape = (self.x.columns, (self.x if self.y is None else self.y).columns)
        many = 1 + (self.settings["alternative"] is not None) + 2 * (self.settings["confidence"] is not None)
        check_fits(many * shape[0], shape[1], np.dtype(np.float64), _ADVICE, shape=f"{shape[0]} x {shape[1]}")
        with progress_bar(self.progress, "corr") as show:
            found = _core.correlations(*self._columns(), self._inner(), threads=self.threads, progress=show)
        arrays = [None if array is None else array.reshape(shape) for array in found]
        return self._with_counts(arrays, None, None) if many > 1 else Correlations(*arrays)

    def of_pairs(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> Correlations:
        """Return the correlations of some pairs of columns."""
        with progress_bar(self.progress, "corr") as show:
            found = _core.correlations_of(
                *self._columns(), first, second, self._inner(), threads=self.threads, progress=show
            )
        return self._with_counts(list(found), first, second)

    def table(self, limit: float) -> Any:
        """Return the pairs of columns whose correlation has an absolute value of at least `limit`."""
        with progress_bar(self.progress, "corr") as show:
            first, second, statistic = _core.correlations_at_least(
                *self._columns(), limit, self._inner(), threads=self.threads, progress=show
            )
        more = self.settings["alternative"] is not None or self.settings["confidence"] is not None
        found = self.of_pairs(first, second) if more else Correlations(statistic)
        table = CorrelationTable(first, second, *found)
        if self.x.kind is None:
            return table
        known = {name: column for name, column in table._asdict().items() if column is not None}
        of_x, of_y = self.x, self.x if self.y is None else self.y
        known |= {"i": _taken(of_x, first), "j": _taken(of_y, second)}
        return _frame(self.x.kind, known)

    def _with_counts(
        self, arrays: list[Array | None], first: NDArray[np.int64] | None, second: NDArray[np.int64] | None
    ) -> Correlations:
        """Add the numbers of observations, and the p-values of Student's distribution."""
        n = _counts(self.x, self.y, first, second)
        statistic, pvalue, low, high = arrays
        assert statistic is not None
        if self._student and self.settings["alternative"] is not None:
            pvalue = _student(statistic, n, self.settings["alternative"])
        return Correlations(statistic, pvalue, low, high, n)


def _student(statistic: Array, n: NDArray[np.int64], alternative: Alternative) -> Array:
    """Return the p-values of Spearman's rho, from its t statistic with n - 2 degrees of freedom."""
    from scipy.special import stdtr

    freedom = n - 2.0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = statistic * np.sqrt(freedom / ((1.0 + statistic) * (1.0 - statistic)))
        tail = {"two-sided": -np.abs(t), "less": t, "greater": -t}[alternative]
        found: Array = (2.0 if alternative == "two-sided" else 1.0) * stdtr(freedom, tail)
    return np.where(freedom > 0, found, np.nan)


def _counts(
    x: Table, y: Table | None, first: NDArray[np.int64] | None, second: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """Return the number of common observations of all columns, or of some pairs."""
    other = x if y is None else y
    shape = (x.columns, other.columns) if first is None else (len(first),)
    known = [None if table.sparse is not None or table.values.dtype.kind != "f" else ~np.isnan(table.values)
             for table in (x, other)]  # fmt: skip
    if all(present is None or bool(present.all()) for present in known):
        return np.full(shape, x.observations, dtype=np.int64)
    full = np.ones((1, x.observations), dtype=bool)
    one, two = (np.repeat(full, table.columns, axis=0) if present is None else present
                for table, present in zip((x, other), known, strict=True))  # fmt: skip
    if first is None:
        # Not a product of matrices: BLAS ends the process if there is no memory.
        words, others = _words(one), _words(two)
        counts = np.empty(shape, dtype=np.int64)
        at_once = max(1, 2**20 // max(1, others.size))
        for start in range(0, shape[0], at_once):
            common = np.bitwise_count(words[:, start : start + at_once, np.newaxis] & others[:, np.newaxis])
            common.sum(axis=0, dtype=np.int64, out=counts[start : start + at_once])
        return counts
    assert second is not None
    at_once = max(1, 2**24 // max(1, x.observations))
    parts = [np.empty(0, dtype=np.int64)]
    for start in range(0, len(first), at_once):
        chosen = slice(start, start + at_once)
        parts.append((one[first[chosen]] & two[second[chosen]]).sum(axis=1))
    return np.concatenate(parts)


def _words(present: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Pack each row of flags into 64-bit words; a column of the result has the words of one row of flags."""
    bits = np.packbits(present, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)


def _settings(
    method: object,
    min_periods: SupportsIndex,
    weights: ArrayLike | None,
    confidence: float | None,
    alternative: Alternative | None,
    data: Any,
) -> dict[str, Any]:
    """Check the options that do not depend on the table."""
    if isinstance(method, str) and method in _OTHER_METHODS:
        rule = f"must be one of {', '.join(map(repr, _METHODS))}{_OTHER_METHODS[method]}"
        raise bad_argument("method", f" is {method!r}, but {rule}", value=method)
    check_choice(method, "method", _METHODS)
    if confidence is not None and not (isinstance(confidence, float) and 0.0 < confidence < 1.0):
        raise bad_argument("confidence", f" is {shown(confidence)}, but must be between 0 and 1, for instance 0.95")
    if weights is not None:
        check_same_rows(data, weights, ("data", "weights"))
        weights = np.ascontiguousarray(
            real_array(weights, "weights", (1,), "one number for each observation"), dtype=np.float64
        )
    return {
        "method": method, "least": as_order(min_periods, "min_periods", 0), "alternative": alternative,
        "confidence": confidence, "weights": weights,
    }  # fmt: skip


def _check_weights(settings: dict[str, Any], x: Table) -> None:
    weights = settings["weights"]
    if weights is None:
        return
    if weights.shape != (x.observations,):
        rule = f" has shape {weights.shape}: pass one number for each of {x.observations} observations"
        raise bad_argument("weights", rule)
    wrong = ~((weights >= 0.0) & (weights <= 1e100))
    if wrong.any():
        place = int(wrong.argmax())
        rule = f" is {weights[place]}, but must be a number from 0 to 1e100"
        raise bad_entry("weights", (place,), rule, value=float(weights[place]))


def _alike(x: Table, y: Table) -> tuple[Table, Table]:
    """Return two tables that are both sparse, or both not."""
    if (x.sparse is None) == (y.sparse is None):
        return x, y
    dense = x if x.sparse is None else y
    with_gaps = dense.values.dtype.kind == "f" and bool(np.isnan(dense.values).any())
    if with_gaps:
        return x.to_dense(), y.to_dense()
    return x.to_sparse(), y.to_sparse()


def _columns(table: Table, threads: int | None) -> _core.Columns:
    if table.sparse is None:
        return _core.Columns(table.values, threads)
    starts, rows, values = table.sparse
    return _core.Columns.from_sparse(table.observations, starts, rows, values)


def _numbers_of(pairs: Any, x: Table, y: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of the columns of pairs."""
    if not isinstance(pairs, tuple | list | np.ndarray) or len(pairs) != 2:
        raise bad_argument("pairs", " must be two sequences of the same length: the first columns, and the second ones")
    first, second = (_places(wanted, table) for wanted, table in zip(pairs, (x, y), strict=True))
    if len(first) != len(second):
        raise bad_argument("pairs", f" has {len(first)} first columns, but {len(second)} second ones")
    return first, second


def _places(wanted: Any, table: Table) -> NDArray[np.int64]:
    given = wanted.tolist() if isinstance(wanted, np.ndarray) else list(wanted)
    labels = list(range(table.columns) if table.labels is None else table.labels)
    numbers = {label: place for place, label in enumerate(labels)}
    by_number = table.labels is not None and not all(_known(label, numbers) for label in given)
    if by_number and all(isinstance(label, int) for label in given):
        numbers = {place: place for place in range(table.columns)}
    for place, label in enumerate(given):
        if not _known(label, numbers):
            hint = names_beside(label, labels, "columns")
            rule = f" names column {shown(label)} at place {place}, but there is no such column{hint}"
            raise bad_argument("pairs", rule, value=label, kind="no such column")
        if len(numbers) < len(labels) and labels.count(label) > 1:
            rule = (
                f" names column {shown(label)} at place {place}, but several columns have this name: use column numbers"
            )
            raise bad_argument("pairs", rule, value=label, kind="duplicate")
    return np.array([numbers[label] for label in given], dtype=np.int64)


def _known(label: Any, numbers: dict[Any, int]) -> bool:
    try:
        return label in numbers
    except TypeError:
        return False


def _taken(table: Table, places: NDArray[np.int64]) -> Any:
    """Return the labels of some columns."""
    if table.labels is None:
        return places
    if hasattr(table.labels, "take"):
        return table.labels.take(places)
    return [table.labels[place] for place in places.tolist()]


def _labelled(x: Table, y: Table | None, matrix: NDArray[Any]) -> Any:
    """Return a matrix in the type of `data`, with the labels of the columns."""
    columns = x if y is None else y
    labels = range(columns.columns) if columns.labels is None else columns.labels
    if x.kind is None:
        return matrix
    if x.kind in ("pandas", "modin"):
        return _frame(x.kind, matrix, index=x.labels, columns=labels, copy=False)
    names = [str(label) for label in labels]
    if len(set(names)) < len(names):
        rule = f" has columns of the same name, which a {x.kind} data frame cannot have"
        raise bad_argument("other", rule, kind="no name")
    return _frame(x.kind, dict(zip(names, np.ascontiguousarray(matrix.T), strict=True)))


def _frame(kind: Kind, *values: Any, **labels: Any) -> Any:
    """Return a data frame of a library."""
    package = import_module("modin.pandas" if kind == "modin" else kind)
    return (package.table if kind == "pyarrow" else package.DataFrame)(*values, **labels)
