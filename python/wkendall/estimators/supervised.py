"""Classifiers and regressors for rankings that learn position weights, for scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass

from wkendall.estimators.learners import Alternating, Classifier, Regressor, Suquan


@dataclass(eq=False, repr=False)
class SuquanSVDClassifier(Classifier, Suquan):
    """Support vector machine with position weights from singular vectors (SUQUAN-SVD).

    First `suquan_svd` finds the position weights U. Then a support vector machine with the kernel of U finds the item
    coefficients B.

    Parameters
    ----------
    order, n_components, pure, n_jobs
        As for `suquan_svd`.
    C : float
        The cost of training errors relative to the norm of B.
    class_weight : dict, "balanced" or None
        The weight of errors in each class, as in scikit-learn.
    input, top, ties, missing
        As for `KendallGram`. Ties and missing items are for orders 1 and 2; `missing="anywhere"` is not available.

    Attributes
    ----------
    U_, B_ : ndarray of shape (n, .., n), or stacks of these for several components
        Weights and coefficients. For more than two classes, each is a list with one entry for each class.
    intercept_ : float, or ndarray of shape (number of classes,)
        The intercept. For more than two classes, one for each class.
    classes_ : ndarray
        The classes.
    singular_values_ : ndarray of shape (n_components,), or a list of these
        The singular values. For more than two classes, a list with one entry for each class.
    objective_path_ : ndarray of shape (1,), or a list of these
        The objective of the support vector machine. For more than two classes, a list with one entry for each class.
    n_iter_ : int, or ndarray
        The number of iterations, which is 1. For more than two classes, one number for each class.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1], [3, 4, 1, 2]]
    >>> wkendall.SuquanSVDClassifier().fit(X, ["a", "a", "b", "b"]).predict([[1, 2, 4, 3]])
    array(['a'], dtype='<U1')
    """


@dataclass(eq=False, repr=False)
class SuquanSVDRegressor(Regressor, Suquan):
    """Ridge regression with position weights from singular vectors.

    It works as `SuquanSVDClassifier` does, but with numbers as targets and with squared errors. SUQUAN-SVD finds the
    weights from a matrix M, a sum over rankings with a coefficient for each. Let d be the target of a ranking minus the
    mean of all targets. Let R be the range of the targets, and Q the sum of all d^2. The coefficient of the ranking is
    then d R / Q. If the targets have only two values, these coefficients are the same as for two classes.

    Parameters
    ----------
    order, n_components, pure, C, input, top, ties, missing, n_jobs
        As for `SuquanSVDClassifier`.

    Attributes
    ----------
    U_, B_, intercept_, singular_values_, objective_path_, n_iter_
        As for `SuquanSVDClassifier` with two classes.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3], [1, 3, 2], [3, 2, 1], [2, 3, 1]]
    >>> wkendall.SuquanSVDRegressor(C=1000.0).fit(X, [0, 0, 1, 1]).predict(X).round(2)
    array([0., 0., 1., 1.])
    """


@dataclass(eq=False, repr=False)
class AlternatingClassifier(Classifier, Alternating):
    """Support vector machine that learns position weights and item coefficients together.

    U has the position weights, and B has the item coefficients. The learner minimises
    `C * sum of hinge losses + |B|^2 / 2 + alpha * P(U - U0)`. Here P is a penalty, and U0 are given weights that U
    should stay near to. With the defaults, `P(V) = |V|^2 / 2` and `U0 = 0`.

    For fixed U this is the problem of a support vector machine with the kernel of U. For fixed B it is the problem of a
    support vector machine with the kernel of B on the inverse permutations. Steps of these two kinds alternate, and the
    objective never increases. The objective has many local minima, so the result depends on the start.

    Learned weights can overfit. Two options help. With `alpha="auto"` and a U0, the fixed kernel of U0 is one of the
    candidates. With `penalty="smooth", C="auto", alpha="auto", toward="auto"` the learner chooses C, alpha and U0.

    Parameters
    ----------
    order : int
        Number of axes of U and B.
    C : float or "auto"
        The cost of training errors relative to the norms of U and B. If C is very small, the optimum is U = B = 0.
        "auto" chooses the best C for the fixed kernel of U0. Without U0, "auto" means C = 1.
    alpha : float or "auto"
        The strength of the penalty. If alpha is large, U stays at U0. "auto" chooses alpha on held-out rankings: five
        times, each candidate is fitted on four fifths of the rankings and scored on the other fifth. With `toward`, the
        fixed kernel of U0 is also a candidate. Learned weights are then chosen only if they are better than the fixed
        kernel by more than 1.5 standard errors. The score of a candidate for classes is the mean of two numbers: the
        accuracy, and the area under the ROC curve. For numbers it is the score of the regression.
    penalty : {"ridge", "smooth", "monotone", "low-rank"}
        The penalty P(V) of V = U - U0:

        - "ridge": `|V|^2 / 2`.
        - "smooth": `(|V|^2 + n^2 D(V)) / 2`, where D is the sum of the squared differences between neighbouring positions
          along each axis. V is a combination of the first 20 cosines of each axis. For order 2 and more than 200
          positions, `V[a, b] = f[a] + g[b]`, where f and g are combinations of 20 cosines.
        - "monotone", for orders 1 and 2: `|V|^2 / 2`, with two conditions. U does not increase from the first position to
          the last, and V is constant on each of at most 30 bins of positions. For order 2 the conditions apply only to
          the diagonals of U and V.
        - "low-rank", for order 2: the sum of the singular values of V. The sum is smoothed near zero.
    toward : "standard", "ramp", "hyperbolic", "log", "auto" or array-like of shape (n, .., n), optional
        The weights U0. If absent, U0 is zero.

        - "standard": the weights of the standard kernel (for order 1: n, n - 1, .., 1).
        - "ramp", for order 2: differences of ranks.
        - "hyperbolic" and "log": the weights of the kernel "mult" with `u="hyperbolic"` or `u="log"`.
        - "auto", which needs `alpha="auto"`: the learner chooses from zero and the named weights, each scaled so that its
          kernel has variance 1.
        - An array: these weights.
    init : "standard", "suquan" or array-like of shape (n, .., n)
        The initial weights. "standard": U0, or the weights of the standard kernel if `toward` is absent. "suquan": the
        weights of `suquan_svd`. An array: these weights. If `toward` is "auto", learning toward zero always starts from
        the weights of `suquan_svd`.
    max_iter : int
        The maximum number of iterations. An iteration has two half steps, one for B and one for U.
    tol : float
        The search stops if each of the two half steps lowers the objective by at most `tol` times the objective.
    class_weight, input, top, ties, missing, n_jobs
        As for `SuquanSVDClassifier`.

    Attributes
    ----------
    U_, B_, intercept_, classes_, n_iter_, singular_values_
        As for `SuquanSVDClassifier`. With the defaults, U and B have equal norms. `singular_values_` exists only with
        `init="suquan"`. For smooth weights of order 2 with n > 200 positions and n > 4 m, `U_` and `B_` are large
        matrices. They are computed only when you use them; predictions do not need them.
    objective_path_ : ndarray, or a list of these
        The objective at the start and after each half step.
    alpha_, C_, toward_, validated_ : float, float, U0 (None for zero), float
        With `alpha="auto"`: the chosen values of alpha, C and `toward`, and their mean score on held-out rankings.
    candidates_ : list of (toward, C, alpha, score)
        With `alpha="auto"`: the candidates, fixed kernels first, and their mean scores on held-out rankings. If learned
        weights are worse than the fixed kernel on the first two of the five parts, they are dropped and not listed.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3, 4], [2, 1, 3, 4], [4, 3, 2, 1], [3, 4, 1, 2]]
    >>> wkendall.AlternatingClassifier().fit(X, ["a", "a", "b", "b"]).predict([[1, 2, 4, 3]])
    array(['a'], dtype='<U1')
    """


@dataclass(eq=False, repr=False)
class AlternatingRegressor(Regressor, Alternating):
    """Regression that learns position weights and item coefficients together.

    It minimises `C * sum of squared errors + |B|^2 / 2 + alpha * P(U - U0)`, in the same way as `AlternatingClassifier`.

    Parameters
    ----------
    order, C, alpha, penalty, toward, init, max_iter, tol, input, top, ties, missing, n_jobs
        As for `AlternatingClassifier`.

    Attributes
    ----------
    U_, B_, intercept_, objective_path_, n_iter_, singular_values_, alpha_, C_, toward_, validated_, candidates_
        As for `AlternatingClassifier` with two classes.

    Examples
    --------
    >>> import wkendall
    >>> X = [[1, 2, 3], [1, 3, 2], [3, 2, 1], [2, 3, 1]]
    >>> wkendall.AlternatingRegressor(C=1000.0).fit(X, [0, 0, 1, 1]).predict(X).round(2)
    array([0., 0., 1., 1.])
    """
