"""Lanczos iterations on operators whose eigenvalues are known."""

import numpy as np
import pytest
from wkendall.learning import lanczos


def search(eigenvalues, start, floor):
    """The leading eigenvector of a diagonal matrix if its eigenvalue is not below the floor, and the number of products."""
    products = []

    def product(vector):
        products.append(1)
        return eigenvalues * vector

    iterations = lanczos.Lanczos(product, lambda _, rows: rows, float(eigenvalues.max()))
    (found,) = iterations.largest(start[np.newaxis], [np.empty((0, len(start)))], floor, False)
    return found, len(products)


SPECTRA = {
    "even": np.linspace(0, 1, 2000),
    "one large": np.append(np.linspace(0, 0.9, 1999), 1.0),
    "close": np.append(np.full(1999, 0.999), 1.0),
    # The roots of a Chebyshev polynomial are the worst case of the bound.
    "worst": (1 + np.cos(np.pi * (np.arange(2000) + 0.5) / 2000)) / 2,
}


@pytest.mark.parametrize("name", SPECTRA)
def test_a_clearly_smaller_part_ends_early(name, monkeypatch):
    start = np.random.default_rng(0).standard_normal(2000)
    found, few = search(SPECTRA[name], start, floor=2.0)
    assert found is None
    monkeypatch.setattr(lanczos, "MISSED", 1e-300)
    found, many = search(SPECTRA[name], start, floor=2.0)
    assert found is None
    assert few <= 16
    assert few <= many


@pytest.mark.parametrize("name", SPECTRA)
def test_a_part_that_is_not_smaller_is_kept(name):
    rng = np.random.default_rng(1)
    largest = int(SPECTRA[name].argmax())
    for share in (0.9, 0.99, 0.9999):
        for _ in range(10):
            found, _ = search(SPECTRA[name], rng.standard_normal(2000), floor=share * SPECTRA[name][largest])
            assert abs(found[largest]) == pytest.approx(1.0, abs=1e-6)


def test_the_bound_of_an_early_end_holds_for_random_starts():
    rng = np.random.default_rng(2)
    eigenvalues = SPECTRA["worst"]
    for steps in (5, 10, 20, 40):
        wrong = 0
        for _ in range(50):
            basis = [rng.standard_normal(len(eigenvalues))]
            for _ in range(steps - 1):
                basis.append(eigenvalues * basis[-1] / np.linalg.norm(basis[-1]))
                basis[-1] -= sum(one * (one @ basis[-1]) / (one @ one) for one in basis[:-1])
                basis[-1] -= sum(one * (one @ basis[-1]) / (one @ one) for one in basis[:-1])
            Q = np.linalg.qr(np.transpose(basis))[0]
            value = np.linalg.eigvalsh(Q.T @ (eigenvalues[:, np.newaxis] * Q))[-1]
            wrong += lanczos._below(value, np.inf, eigenvalues.max() * (1 - 1e-6), steps, len(eigenvalues))
        assert wrong == 0
