"""Kernels between rankings for GPyTorch and BoTorch, with hyperparameters that can be learned.

The Rust crate computes the matrices, as for `gram_matrix` and `distance_matrix`. PyTorch learns the hyperparameters
with derivatives. For the Mallows kernel, PyTorch itself computes the derivative with respect to `lam`. For the weighted
Kendall kernel, this module computes the derivatives with respect to the position weights. There are no derivatives with
respect to rankings. So gradients cannot find the ranking with the best prediction of a model. Instead, evaluate the
model on a list of candidate rankings.

This module needs torch and gpytorch: `pip install "wkendall[torch]"`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsIndex

import gpytorch
import numpy as np
import torch
from numpy.typing import ArrayLike

from wkendall import _core
from wkendall._arguments import Array, as_order, check_choice, check_flag, real_array
from wkendall._errors import bad_argument, shown
from wkendall._run import Run
from wkendall.arrays.options import Input, Missing, Reading, Ties, Top
from wkendall.gram import diagonal_of, gram_of
from wkendall.measures import POSITION_WEIGHTS, Kendall, KendallDistance
from wkendall.rankings import Rankings, read_rankings

__all__ = ["MallowsKernel", "WeightedKendallKernel"]

#: Tensors of rankings are made for at most so many numbers at a time.
_AT_ONCE = 2**23


class _RankingKernel(gpytorch.kernels.Kernel):  # type: ignore[misc]
    """The common base of the kernels: it reads rankings from tensors, and from batches of tensors."""

    has_lengthscale = False

    def __init__(
        self, input: Input, top: Top, ties: Ties, missing: Missing, n_jobs: SupportsIndex | None, **options: Any
    ) -> None:
        super().__init__(**options)
        self._reading = Reading(input, top, ties, missing)
        self._reading.check()
        self._run = Run(n_jobs=n_jobs)
        self._run.check()

    def _rankings(self, x: Any, name: str) -> Rankings:
        return read_rankings(x.detach().cpu().numpy(), name, self._reading, self._run.threads)

    def _each(self, x1: Any, x2: Any, diag: bool, value: Callable[[Any, Any, bool], Any]) -> Any:
        """Return the result of `value` for each pair of corresponding matrices of rankings in two batches."""
        if x1.dim() == x2.dim() == 2:
            return value(x1, x2, diag)
        shape = torch.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
        if not diag and _is_repeated(x2):
            # All of one batch against the same rankings: one matrix.
            rows = x1.expand(*shape, *x1.shape[-2:])
            found = value(rows.reshape(-1, x1.shape[-1]), x2.reshape(-1, *x2.shape[-2:])[0], False)
            return found.reshape(*shape, x1.shape[-2], x2.shape[-2])
        ones = x1.expand(*shape, *x1.shape[-2:]).reshape(-1, *x1.shape[-2:])
        others = x2.expand(*shape, *x2.shape[-2:]).reshape(-1, *x2.shape[-2:])
        found = torch.stack([value(one, other, diag) for one, other in zip(ones, others, strict=True)])
        return found.reshape(*shape, *found.shape[1:])


class MallowsKernel(_RankingKernel):
    """Mallows kernel for GPyTorch: exp(-lam d), where d is the number of discordant pairs of items.

    A pair is discordant if the two rankings put its items in opposite orders. With ties or missing items, d is the mean
    number of discordant pairs over all complete rankings that do not contradict the given rankings; see `Mallows`.

    Parameters
    ----------
    lam : float
        The initial value of `lam`: each discordant pair multiplies the kernel by exp(-lam). Two random rankings of n
        items have `n (n - 1) / 4` discordant pairs on average. So choose a `lam` for which `lam n (n - 1) / 4` is not
        much above 1.
    lam_prior : gpytorch.priors.Prior, optional
        A prior distribution for `lam`.
    lam_constraint : gpytorch.constraints.Interval, optional
        The range of `lam`. If absent, `lam` is positive.
    normalize : bool
        Whether to divide the kernel value K(s, t) of two rankings s and t by `sqrt(K(s, s) K(t, t))`. This changes the
        kernel only if there are ties or missing items.
    input, top, ties, missing
        How to read tensors, as for `Rankings`. Tensors of floats are accepted, because BoTorch stores orders and ranks
        as floats.
    n_jobs
        As for `gram_matrix`.
    **options
        Options of `gpytorch.kernels.Kernel`: `active_dims`, `batch_shape`.

    Examples
    --------
    >>> import torch
    >>> from wkendall.gaussian_process.torch import MallowsKernel
    >>> X = torch.tensor([[1, 2, 3], [2, 1, 3], [3, 2, 1]], dtype=torch.float64)
    >>> K = MallowsKernel(lam=0.5).double()(X).to_dense()
    >>> K.detach().numpy().round(2)
    array([[1.  , 0.61, 0.22],
           [0.61, 1.  , 0.37],
           [0.22, 0.37, 1.  ]])
    """

    def __init__(
        self,
        lam: float = 0.1,
        *,
        lam_prior: Any = None,
        lam_constraint: Any = None,
        normalize: bool = True,
        input: Input = "ranks",
        top: Top = "low",
        ties: Ties = "error",
        missing: Missing = "error",
        n_jobs: SupportsIndex | None = None,
        **options: Any,
    ) -> None:
        super().__init__(input, top, ties, missing, n_jobs, **options)
        check_flag(normalize, "normalize")
        self.normalize = bool(normalize)
        raw = torch.zeros(*self.batch_shape, 1, 1)
        self.register_parameter("raw_lam", torch.nn.Parameter(raw))
        self.register_constraint("raw_lam", _positive() if lam_constraint is None else lam_constraint)
        if lam_prior is not None:
            self.register_prior("lam_prior", lam_prior, lambda kernel: kernel.lam, lambda kernel, lam: kernel._set(lam))
        self._set(lam)

    @property
    def lam(self) -> Any:
        """The present value of `lam`, a tensor of shape `batch_shape + (1, 1)`."""
        return self.raw_lam_constraint.transform(self.raw_lam)

    @lam.setter
    def lam(self, value: Any) -> None:
        self._set(value)

    def _set(self, value: Any) -> None:
        number = torch.as_tensor(value).to(self.raw_lam)
        if not bool((torch.isfinite(number) & (number > 0)).all()):
            raise bad_argument("lam", f" is {shown(value)}, but must be a finite number above zero")
        self.initialize(raw_lam=self.raw_lam_constraint.inverse_transform(number.expand_as(self.raw_lam)))

    def forward(self, x1: Any, x2: Any, diag: bool = False, **_: Any) -> Any:
        """Return the kernel values between the rankings of two tensors of shape (..., m, n) and (..., m', n).

        With `diag=True`, return only the kernel value of each ranking of `x1` and the ranking of `x2` in the same row.
        """
        distances = self._each(x1, x2, diag, self._distances)
        lam = self.lam.to(distances)
        return torch.exp(-(lam[..., 0] if diag else lam) * distances)

    def _distances(self, x1: Any, x2: Any, diag: bool) -> Any:
        x, y = self._rankings(x1, "x1"), self._rankings(x2, "x2")
        distances: Array = gram_of(x, y, KendallDistance(), self._run)
        if self.normalize and not x.kind == y.kind == "complete":
            distances -= diagonal_of(x, KendallDistance(), self._run)[:, np.newaxis] / 2
            distances -= diagonal_of(y, KendallDistance(), self._run) / 2
        return torch.as_tensor(distances.diagonal().copy() if diag else distances).to(x1)


class WeightedKendallKernel(_RankingKernel):
    """Weighted Kendall kernel for GPyTorch. PyTorch learns the weight of each position.

    Parameters
    ----------
    n_items : int
        The number of items of the rankings.
    weight : {"mult", "add"}
        As for `Kendall`: the weight of a pair of positions is the product or the sum of the two position weights.
    u : {"hyperbolic", "log"} or array-like of shape (n_items,)
        The initial position weights, as for `Kendall`. All weights must be positive.
    u_prior : gpytorch.priors.Prior, optional
        A prior distribution for the position weights.
    u_constraint : gpytorch.constraints.Interval, optional
        The range of the position weights. If absent, the weights are positive.
    normalize : bool
        Whether to divide the kernel by its value for a ranking with itself, which is the same for all rankings. The
        kernel value of a ranking with itself is then 1, whatever the position weights are. To learn the variance of the
        Gaussian process, put a `ScaleKernel` around the kernel.
    input, top, n_jobs
        As for `MallowsKernel`.
    **options
        Options of `gpytorch.kernels.Kernel`: `active_dims`.

    Examples
    --------
    >>> import torch
    >>> from wkendall.gaussian_process.torch import WeightedKendallKernel
    >>> X = torch.tensor([[1, 2, 3], [2, 1, 3], [3, 2, 1]], dtype=torch.float64)
    >>> kernel = WeightedKendallKernel(3, u=[1.0, 0.5, 0.25]).double()
    >>> kernel(X).to_dense().detach().numpy().round(2)
    array([[1.  , 0.19, 0.  ],
           [0.19, 1.  , 0.19],
           [0.  , 0.19, 1.  ]])
    """

    def __init__(
        self,
        n_items: SupportsIndex,
        weight: str = "mult",
        *,
        u: str | ArrayLike = "hyperbolic",
        u_prior: Any = None,
        u_constraint: Any = None,
        normalize: bool = True,
        input: Input = "ranks",
        top: Top = "low",
        n_jobs: SupportsIndex | None = None,
        **options: Any,
    ) -> None:
        super().__init__(input, top, "error", "error", n_jobs, **options)
        # Ties and missing items have no gradient here, so that errors do not advise them.
        self._reading = self._reading._replace(advises=False)
        self.n_items = as_order(n_items, "n_items")
        check_choice(weight, "weight", ("mult", "add"))
        self.weight = weight
        check_flag(normalize, "normalize")
        self.normalize = bool(normalize)
        if len(self.batch_shape):
            raise bad_argument("batch_shape", f" is {tuple(self.batch_shape)}, but must be empty: all batches share u")
        self.register_parameter("raw_u", torch.nn.Parameter(torch.zeros(self.n_items)))
        self.register_constraint("raw_u", _positive() if u_constraint is None else u_constraint)
        if u_prior is not None:
            self.register_prior("u_prior", u_prior, lambda kernel: kernel.u, lambda kernel, u: kernel._set(u))
        self._set(u)

    @property
    def u(self) -> Any:
        """The present position weights, a tensor of shape (n_items,)."""
        return self.raw_u_constraint.transform(self.raw_u)

    @u.setter
    def u(self, value: Any) -> None:
        self._set(value)

    def _set(self, value: Any) -> None:
        if isinstance(value, str):
            check_choice(value, "u", POSITION_WEIGHTS)
            value = _core.position_weights(self.n_items)[value]
        elif isinstance(value, torch.Tensor):
            value = value.detach().cpu().numpy()
        meaning = f"an array of {self.n_items} positive numbers"
        numbers = real_array(value, "u", (1,), meaning)
        if len(numbers) != self.n_items:
            raise bad_argument("u", f" has {len(numbers)} numbers, but must be {meaning}")
        for place in np.flatnonzero(~((numbers > 0) & np.isfinite(numbers)))[:1].tolist():
            raise bad_argument(
                f"u[{place}]",
                f" is {numbers[place]}, but must be a finite number above zero",
                value=float(numbers[place]),
            )
        tensor = torch.as_tensor(numbers).to(self.raw_u)
        self.initialize(raw_u=self.raw_u_constraint.inverse_transform(tensor))

    def forward(self, x1: Any, x2: Any, diag: bool = False, **_: Any) -> Any:
        """Return the kernel values between the rankings of two tensors: (..., m, n_items) and (..., m', n_items).

        With `diag=True`, return only the kernel value of each ranking of `x1` and the ranking of `x2` in the same row.
        """
        if x1.shape[-1] != self.n_items:
            raise bad_argument(
                "x1",
                f" has {x1.shape[-1]} items, but n_items is {self.n_items}",
                value=x1.shape[-1],
                kind="items differ",
            )
        u = self.u.to(x1)
        found = self._each(x1, x2, diag, lambda one, other, diag: self._values(one, other, u, diag))
        if not self.normalize:
            return found
        # What a ranking has with itself is the same for all.
        joined = u[:, None] * u if self.weight == "mult" else u[:, None] + u
        own = torch.triu(joined**2, 1).sum()
        return found / own if bool(own > 0) else found

    def _values(self, x1: Any, x2: Any, u: Any, diag: bool) -> Any:
        x, y = self._rankings(x1, "x1"), self._rankings(x2, "x2")
        found = _Gram.apply(u, x, y, self.weight, self._run)
        return found.diagonal() if diag else found


class _Gram(torch.autograd.Function):  # type: ignore[misc]
    """The Gram matrix as a function of the position weights, with its derivative. The Rust crate computes it."""

    @staticmethod
    def forward(ctx: Any, u: Any, x: Rankings, y: Rankings, weight: str, run: Run) -> Any:
        numbers = u.detach().cpu().numpy().astype(np.float64)
        ctx.given = (x, y, weight, numbers)
        ctx.like = u.detach()
        return torch.as_tensor(gram_of(x, y, Kendall(weight, u=numbers), run)).to(u)

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, gradient: Any) -> tuple[Any, ...]:
        x, y, weight, u = ctx.given
        weights = gradient.detach().cpu().numpy().astype(np.float64)
        found = _slope(x._handle.ranks() - 1, y._handle.ranks() - 1, weights, u, weight)
        return torch.as_tensor(found).to(ctx.like), None, None, None, None


def _slope(x: Any, y: Any, gradient: Array, u: Array, weight: str) -> Array:
    """Return the derivative with respect to u of the sum of all entries of `gradient` times the kernel matrix.

    `gradient` and the kernel matrix are multiplied entry by entry. The rows of the kernel matrix are the rankings of
    `x`, and the columns are the rankings of `y`. The kernel is not normalized. Let U be the matrix with the weights of
    pairs of positions above its diagonal, and zeros elsewhere. A ranking x has a matrix with the entry U[x_i, x_j] for
    each pair of items i and j. The kernel is the inner product of the matrices of the two rankings. An entry of U
    belongs to two positions. In each of the two rankings, one pair of items is at these two positions. The derivative
    of the kernel with respect to this entry is a sum of two terms: for each of the two pairs of items, the entry of the
    matrix of the other ranking.
    """
    U = np.triu(np.multiply.outer(u, u) if weight == "mult" else np.add.outer(u, u), 1)
    slope = np.zeros_like(U)
    for ranks, others, weights in ((x, y, gradient), (y, x, gradient.T)):
        step = max(1, _AT_ONCE // max(1, U.size))
        for first in range(0, len(ranks), step):
            some = ranks[first : first + step]
            sums = np.zeros((len(some), *U.shape))
            for start in range(0, len(others), step):
                part = others[start : start + step]
                tensors = U[part[:, :, np.newaxis], part[:, np.newaxis, :]]
                sums += np.tensordot(weights[first : first + step, start : start + step], tensors, axes=1)
            # From items to positions: the item at position p of a ranking.
            items = np.argsort(some, axis=1)
            slope += np.take_along_axis(
                np.take_along_axis(sums, items[:, :, np.newaxis], axis=1), items[:, np.newaxis, :], axis=2
            ).sum(axis=0)
    slope = np.triu(slope, 1)
    both = slope + slope.T
    found: Array = both @ u if weight == "mult" else both.sum(axis=1)
    return found


def _positive() -> Any:
    return gpytorch.constraints.Positive()


def _is_repeated(x: Any) -> bool:
    """Return whether all matrices of a batch are the same matrix in memory."""
    return all(size == 1 or stride == 0 for size, stride in zip(x.shape[:-2], x.stride()[:-2], strict=True))
