"""What a sparse array stores is listed, zeros too; what cannot be told apart from padding is refused."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
import wkendall
import wkendall.dask
from definitions import BOTTOM, NAN, sparse

pytestmark = pytest.mark.filterwarnings("ignore:.*which is read as the best rank:UserWarning")


def with_a_zero():
    """Row 1 stores a 0 for item 1."""
    return np.array([[1.0, 2, NAN, NAN], [NAN, 0, 2, 1], [1, NAN, 2, NAN]])


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok"])
def test_a_stored_zero_is_an_entry(form):
    X = with_a_zero()
    K = wkendall.gram_matrix(sparse(X, form), missing="bottom", signed=True)
    np.testing.assert_array_equal(K, wkendall.gram_matrix(X, missing="bottom", signed=True))


def test_blocks_of_one_entry_have_no_padding():
    blocks = sparse(with_a_zero()).tobsr(blocksize=(1, 1))
    K = wkendall.gram_matrix(blocks, missing="bottom", signed=True)
    np.testing.assert_array_equal(K, wkendall.gram_matrix(with_a_zero(), missing="bottom", signed=True))


PADDED = [
    ("bsr", sparse(with_a_zero()).tobsr(blocksize=(1, 2)), "blocks"),
    ("bsr", sparse(np.where(with_a_zero() == 0, 3, with_a_zero())).tobsr(blocksize=(1, 2)), "blocks"),
    ("dia", sparse(with_a_zero()).todia(), "diagonals"),
]


@pytest.mark.parametrize(("form", "X", "stored"), PADDED)
@pytest.mark.parametrize(
    "call",
    [
        lambda X: wkendall.gram_matrix(X, missing="bottom"),
        lambda X: wkendall.Rankings(X, missing="bottom"),
        lambda X: wkendall.KendallGram(missing="bottom").fit(X),
        lambda X: wkendall.dask.gram_matrix(X, missing="bottom"),
    ],
)
def test_zeros_that_may_be_padding_are_refused(form, X, stored, call):
    message = f"X is sparse and has format {form}, whose {stored} hold zeros here: they may be entries or padding; "
    advice = "pass X.tocsr(), after its eliminate_zeros() if zeros are padding"
    with pytest.raises(wkendall.RankingError, match=re.escape(message + advice)) as caught:
        call(X)
    assert (caught.value.argument, caught.value.kind) == ("X", "sparse")


def test_blocks_and_diagonals_without_zeros_are_read():
    X = np.array([[1.0, 2, NAN, NAN], [NAN, NAN, 2, 1], [1, 2, NAN, NAN]])
    wanted = wkendall.gram_matrix(X, missing="bottom", signed=True)
    blocks = sparse(X).tobsr(blocksize=(1, 2))
    np.testing.assert_array_equal(wkendall.gram_matrix(blocks, missing="bottom", signed=True), wanted)
    X = np.array([[1.0, 2, NAN], [NAN, 2, 1], [NAN, NAN, 1]])
    diagonals = sparse(X, "dia")
    assert (diagonals.data == 0).any()  # outside of the array
    wanted = wkendall.gram_matrix(X, missing="bottom", signed=True)
    np.testing.assert_array_equal(wkendall.gram_matrix(diagonals, missing="bottom", signed=True), wanted)
    for shape in ((2, 4), (4, 2)):
        X = np.where(np.eye(*shape) > 0, 1.0, NAN)
        wanted = wkendall.gram_matrix(X, **BOTTOM)
        np.testing.assert_array_equal(wkendall.gram_matrix(sparse(X, "dia"), **BOTTOM), wanted)


@pytest.mark.parametrize("value", [-0.8, 0.0, -3])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok"])
def test_stored_scores_that_are_not_positive_are_refused(value, form):
    X = sparse([[0.5, NAN, 0.25, NAN], [0.7, NAN, value, 0.2]], form)
    calls = [
        lambda: wkendall.gram_matrix(X, input="scores", missing="bottom"),
        lambda: wkendall.kernel(X[[1]], X[[1]], input="scores", missing="bottom"),
        lambda: wkendall.KendallGram(input="scores", missing="bottom").fit(X),
        lambda: wkendall.KendallNeighbors(input="scores", missing="bottom").fit(X),
    ]
    for call in calls if form == "csr" else calls[:1]:
        with pytest.raises(wkendall.RankingError, match="stored scores must be positive; add a constant") as caught:
            call()
        assert (caught.value.column, caught.value.value, caught.value.kind) == (2, value, "not positive")
    with pytest.raises(wkendall.RankingError) as caught:
        wkendall.gram_matrix(X, input="scores", missing="bottom")
    assert caught.value.row == 1
    assert str(caught.value) == (
        f"X: row 1, column 2 stores the score {float(value)}: an item that is not stored is not listed and comes last, so "
        'that stored scores must be positive; add a constant to the stored scores, or pass ranks with input="ranks"'
    )


def test_the_ways_out_of_scores_that_are_not_positive():
    X = np.array([[0.5, NAN, 0.25, NAN], [0.7, NAN, -0.8, 0.0]])
    wanted = wkendall.gram_matrix(X, input="scores", missing="bottom")
    shifted = sparse(X)
    shifted.data = shifted.data + 1
    np.testing.assert_array_equal(wkendall.gram_matrix(shifted, input="scores", missing="bottom"), wanted)
    ranks = sparse(-X)
    np.testing.assert_array_equal(wkendall.gram_matrix(ranks, missing="bottom"), wanted)
    # Small scores first: these are read as ranks are.
    np.testing.assert_array_equal(wkendall.gram_matrix(ranks, input="scores", top="high", missing="bottom"), wanted)


@pytest.mark.parametrize("dtype", [np.uint64, np.uint8, np.int8, np.float32, np.longdouble])
def test_positive_scores_of_any_type_are_taken(dtype):
    X = sparse([[3, NAN, 1, NAN], [NAN, 2, 1, 4]])
    if dtype is np.uint64:
        stored = sp.csr_array((X.data.astype(dtype) + np.uint64(2**63), X.indices, X.indptr), shape=X.shape)
    else:
        stored = X.astype(dtype)
    wanted = wkendall.gram_matrix(X.toarray(), input="scores", ties="mean")
    np.testing.assert_array_equal(wkendall.gram_matrix(stored, input="scores", missing="bottom"), wanted)


def test_sparse_orders_are_refused():
    with pytest.raises(wkendall.RankingError, match="goes with ranks and scores"):
        wkendall.gram_matrix(sparse([[1, NAN, 2]]), missing="bottom", input="orders")
