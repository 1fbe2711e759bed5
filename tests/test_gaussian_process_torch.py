"""Kernels for GPyTorch against naive definitions, with gradients by differences; skipped where torch is not installed."""

import re
import warnings
from itertools import combinations

import numpy as np
import pytest
import wkendall
from paths import ROOT

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch = pytest.importorskip("torch", reason="torch is not installed")
    gpytorch = pytest.importorskip("gpytorch", reason="gpytorch is not installed")
    from wkendall.gaussian_process.torch import MallowsKernel, WeightedKendallKernel

pytestmark = pytest.mark.filterwarnings("ignore")


def rankings(rng, *shape):
    return torch.tensor(1.0 + rng.permuted(np.broadcast_to(np.arange(shape[-1]), shape), axis=-1))


def naive_distance(x, y):
    return sum((x[i] < x[j]) != (y[i] < y[j]) for i, j in combinations(range(len(x)), 2))


def naive_kernel(x, y, u, weight):
    """The sum over concordant pairs, as a function of a tensor of weights."""
    found = u.sum() * 0
    for i, j in combinations(range(len(x)), 2):
        if (x[i] < x[j]) == (y[i] < y[j]):
            of_x, of_y = (u[[int(z[i]) - 1, int(z[j]) - 1]] for z in (x, y))
            found = found + (of_x.prod() * of_y.prod() if weight == "mult" else of_x.sum() * of_y.sum())
    return found


def naive_matrix(X, Y, u, weight, normalize):
    K = torch.stack([torch.stack([naive_kernel(x, y, u, weight) for y in Y]) for x in X])
    if not normalize:
        return K
    own = naive_kernel(X[0], X[0], u, weight)
    return K / own if own > 0 else K


def with_parameter(kernel, name, X, Y):
    """The matrix as a function of a parameter, which may be differentiated."""

    class Dense(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.kernel = kernel

        def forward(self, X, Y):
            return self.kernel(X, Y).to_dense()  # otherwise computed later, with the old parameter

    return lambda raw: torch.func.functional_call(Dense(), {f"kernel.{name}": raw}, (X, Y))


@pytest.mark.parametrize("items", range(1, 7))
def test_mallows(items):
    rng = np.random.default_rng(items)
    X, Y = rankings(rng, 5, items), rankings(rng, 3, items)
    kernel = MallowsKernel(0.3).double()
    expected = [[np.exp(-0.3 * naive_distance(x, y)) for y in Y.numpy()] for x in X.numpy()]
    np.testing.assert_allclose(kernel(X, Y).to_dense().detach(), expected, rtol=1e-6)
    np.testing.assert_allclose(kernel(X, diag=True).detach(), np.ones(5))
    np.testing.assert_allclose(kernel(X[:3], Y, diag=True).detach(), np.diag(expected), rtol=1e-6)
    raw = torch.tensor([[0.2]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(with_parameter(kernel, "raw_lam", X, Y), (raw,))
    assert torch.autograd.gradgradcheck(with_parameter(kernel, "raw_lam", X, Y), (raw,))


@pytest.mark.parametrize("items", range(1, 6))
@pytest.mark.parametrize("weight", ["mult", "add"])
@pytest.mark.parametrize("normalize", [False, True])
def test_weighted(items, weight, normalize):
    rng = np.random.default_rng(items)
    X, Y = rankings(rng, 4, items), rankings(rng, 3, items)
    u = rng.uniform(0.2, 2, items)
    kernel = WeightedKendallKernel(items, weight, u=u, normalize=normalize).double()
    kernel.u = u
    np.testing.assert_allclose(kernel.u.detach(), u, rtol=1e-12)
    expected = naive_matrix(X, Y, kernel.u, weight, normalize)
    np.testing.assert_allclose(kernel(X, Y).to_dense().detach(), expected.detach(), rtol=1e-10)
    np.testing.assert_allclose(kernel(X[:3], Y, diag=True).detach(), expected.detach().diagonal(), rtol=1e-10)
    raw = torch.tensor(rng.standard_normal(items), requires_grad=True)
    assert torch.autograd.gradcheck(with_parameter(kernel, "raw_u", X, Y), (raw,))
    coefficients = torch.tensor(rng.standard_normal((4, 3)))
    (with_parameter(kernel, "raw_u", X, Y)(raw) * coefficients).sum().backward()
    found, raw.grad = raw.grad, None
    (naive_matrix(X, Y, torch.nn.functional.softplus(raw), weight, normalize) * coefficients).sum().backward()
    np.testing.assert_allclose(found, raw.grad, rtol=1e-8, atol=1e-10)


def test_gradients_in_parts(monkeypatch):
    rng = np.random.default_rng(0)
    kernel = WeightedKendallKernel(6).double()
    X, Y = rankings(rng, 11, 6), rankings(rng, 7, 6)

    def slope():
        kernel.zero_grad()
        kernel(X, Y).to_dense().pow(2).sum().backward()
        return kernel.raw_u.grad.clone()

    whole = slope()
    monkeypatch.setattr("wkendall.gaussian_process.torch._AT_ONCE", 80)
    np.testing.assert_allclose(slope(), whole, rtol=1e-12)


def test_batches():
    rng = np.random.default_rng(1)
    X, Y = rankings(rng, 2, 4, 5, 6), rankings(rng, 3, 6)
    for kernel in (MallowsKernel().double(), WeightedKendallKernel(6).double()):
        found = kernel(X, Y).to_dense()
        assert found.shape == (2, 4, 5, 3)
        np.testing.assert_allclose(found[1, 2].detach(), kernel(X[1, 2], Y).to_dense().detach())
        both = kernel(X, X[:1]).to_dense()
        assert both.shape == (2, 4, 5, 5)
        np.testing.assert_allclose(both[1, 2].detach(), kernel(X[1, 2], X[0, 2]).to_dense().detach())
        assert kernel(X, diag=True).shape == (2, 4, 5)
    rates = MallowsKernel(batch_shape=torch.Size([2])).double()
    rates.lam = torch.tensor([0.1, 0.5]).reshape(2, 1, 1)
    K = rates(X[:, 0], X[:, 0]).to_dense()
    np.testing.assert_allclose(K[1].detach(), MallowsKernel(0.5).double()(X[1, 0]).to_dense().detach(), rtol=1e-6)


def test_ties_and_lists():
    X = torch.tensor([[1.0, 1, 2, 3], [1, 2, 3, float("nan")], [4, 3, 2, 1]], dtype=torch.float64)
    how = {"ties": "mean", "missing": "bottom"}
    found = MallowsKernel(0.2, **how).double()(X).to_dense().detach()
    read = wkendall.Rankings(X.numpy(), **how)
    np.testing.assert_allclose(found, wkendall.Mallows(0.2, normalize=True)(read), rtol=1e-6)
    found = MallowsKernel(0.2, normalize=False, **how).double()(X).to_dense().detach()
    np.testing.assert_allclose(found, wkendall.Mallows(0.2)(read), rtol=1e-6)


def test_a_process_learns():
    """Values that depend on the first item only: the learned weights fall, and predictions are right."""
    rng = np.random.default_rng(2)
    X = rankings(rng, 40, 5)
    y = (X[:, 0] < X[:, 1]).double()

    class Model(gpytorch.models.ExactGP):
        def __init__(self, likelihood):
            super().__init__(X[:30], y[:30], likelihood)
            self.mean_module = gpytorch.means.ConstantMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(WeightedKendallKernel(5, u="log"))

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    model = Model(likelihood).double()
    before = model.covar_module.base_kernel.u.detach().clone()
    likelihood_of = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        loss = -likelihood_of(model(X[:30]), y[:30])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    assert not torch.equal(model.covar_module.base_kernel.u, before)
    model.eval()
    error = (model(X[30:]).mean - y[30:]).abs().mean()
    assert error < 0.4


def test_botorch():
    botorch = pytest.importorskip("botorch", reason="botorch is not installed")
    rng = np.random.default_rng(3)
    X = rankings(rng, 12, 6)
    y = -torch.tensor([naive_distance(x, np.arange(6)) for x in X.numpy()], dtype=torch.float64)[:, None]
    kernel = gpytorch.kernels.ScaleKernel(MallowsKernel(0.1))
    model = botorch.models.SingleTaskGP(X, y, covar_module=kernel)
    botorch.fit.fit_gpytorch_mll(gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model))
    gain = botorch.acquisition.LogExpectedImprovement(model, best_f=y.max())
    choices = rankings(rng, 50, 6)
    best, value = botorch.optim.optimize_acqf_discrete(gain, q=1, choices=choices)
    assert torch.equal(value.squeeze(), gain(choices[:, None]).max().detach())
    assert (choices == best).all(dim=1).any()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: MallowsKernel(0.0), ValueError, r"^lam is 0\.0, but must be a finite number above zero$"),
        (lambda: MallowsKernel(float("nan")), ValueError, r"^lam is nan, but"),
        (lambda: MallowsKernel(normalize=1), TypeError, r"^normalize must be True or False"),
        (lambda: MallowsKernel(ties="any"), ValueError, r"^ties is 'any', but must be one of"),
        (lambda: MallowsKernel()(torch.tensor([[1.0, 1.0]])).to_dense(), ValueError, r"^x1: row 0 holds 1 twice"),
        (lambda: WeightedKendallKernel(0), ValueError, r"^n_items is 0, but must be at least 1$"),
        (lambda: WeightedKendallKernel(3, "top"), ValueError, r"^weight is 'top', but must be one of 'mult', 'add'$"),
        (lambda: WeightedKendallKernel(3, u=[1, 2]), ValueError, r"^u has 2 numbers, but must be an array of 3 positive"),
        (lambda: WeightedKendallKernel(3, u=[1, 0, 2]), ValueError, r"^u\[1\] is 0\.0, but must be a finite number above zero$"),
        (lambda: WeightedKendallKernel(3, u="steep"), ValueError, r"^u is 'steep', but must be one of 'hyperbolic', 'log'$"),
        (lambda: WeightedKendallKernel(3)(torch.tensor([[1.0, 2.0]])).to_dense(), ValueError, r"^x1 has 2 items, but n_items is"),
        (lambda: WeightedKendallKernel(2)(torch.tensor([[1.0, 1.0]])).to_dense(), ValueError, r"permutation of 1\.\.2$"),
        (lambda: WeightedKendallKernel(3, batch_shape=torch.Size([2])), ValueError, r"^batch_shape is \(2,\), but must be empty"),
    ],
)  # fmt: skip
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_the_example_of_the_page(capsys):
    pytest.importorskip("botorch", reason="botorch is not installed")
    page = (ROOT / "docs" / "optimisation.md").read_text()
    code = next(block for block in re.findall(r"```py\n(.*?)```", page, flags=re.DOTALL) if "botorch" in block)
    exec(code, {"np": np, "makespan": lambda order: float(np.sum(np.arange(8) * order))})
    first, then = map(float, capsys.readouterr().out.split(" then "))
    assert 56 <= then <= first + 10


def test_another_name():
    assert wkendall.torch.MallowsKernel is MallowsKernel
