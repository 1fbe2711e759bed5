"""Classifiers and regressors for rankings that learn position weights, for scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass

from wkendall.estimators.learners import Alternating, Classifier, Regressor, Suquan


@dataclass(eq=False, repr=False)
class SuquanSVDClassifier(Classifier, Suquan):
    """Support vector machine with position weights from singular vectors (SUQUAN-SVD).

    First `suquan_svd` finds the array U: for order 2, U contains a weight for each pair of positions. Then a support
    vector machine is trained with the kernel `TensorKernel(U, order=order)`. The support vector machine finds the array
    B, which contains a coefficient for each pair of items. For order 3, U has a weight for each triple of positions,
    and B a coefficient for each triple of items. Other orders are similar.

    Parameters
    ----------
    order, n_components, pure, n_jobs
        As for `suquan_svd`.
    C : float
        The cost of training errors: the support vector machine minimises `C * sum of hinge losses + |B|^2 / 2`.
    class_weight : dict, "balanced" or None
        The factor by which the cost of errors in each class is multiplied, as in scikit-learn.
    input, top, ties, missing
        As for `KendallGram`. Ties and missing items are allowed only for orders 1 and 2. `missing="anywhere"` is not
        allowed.

    Attributes
    ----------
    U_, B_ : ndarray of shape (n, .., n) or (number of arrays, n, .., n), or lists of these
        The weights U and the coefficients B. If `n_components` is above 1, each of them contains several such arrays
        and has one more axis, in front. For more than two classes, `U_` and `B_` are lists with one entry for each
        class: one model for each class separates this class from the others.
    intercept_ : float, or ndarray of shape (number of classes,)
        The intercept. For more than two classes, there is one intercept for each class.
    classes_ : ndarray
        The classes.
    singular_values_ : ndarray of shape (n_components,), or a list of these
        The singular values that `suquan_svd` finds. For more than two classes, this is a list with one entry for each
        class.
    objective_path_ : ndarray of shape (1,), or a list of these
        The smallest value of the sum that the support vector machine minimises (see `C`). For more than two classes,
        this is a list with one entry for each class.
    n_iter_ : int, or ndarray
        Always 1, because this method does not iterate. For more than two classes, there is one number for each class.

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

    The model works like `SuquanSVDClassifier`, but the targets are numbers, and the loss is the squared error.
    SUQUAN-SVD computes the weights from a matrix M (see `suquan_svd`). M is a sum over the rankings, in which each
    ranking has a coefficient. Let d be the target of a ranking minus the mean of all targets. Let R be the largest
    target minus the smallest target, and Q the sum of d^2 over all rankings. The coefficient of the ranking is then
    `d * R / Q`. If the targets have only two values, these coefficients are the same as the coefficients of
    `SuquanSVDClassifier` for two classes.

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

    For order 2, the array U contains a weight for each pair of positions, and the array B contains a coefficient for
    each pair of items. The learner minimises `C * sum of hinge losses + |B|^2 / 2 + alpha * P(U - U0)`. U0 is an array
    of given weights. P(U - U0) is a penalty, multiplied by the number alpha. The penalty is large if U is far from U0.
    With the defaults, U0 is zero, and the penalty is `|U|^2 / 2`.

    The learner repeats two kinds of steps. The first kind keeps U fixed and finds the best B: this is the training of a
    support vector machine with the kernel `TensorKernel(U)`. The second kind keeps B fixed and finds the best U. With
    the defaults, this is the training of a support vector machine with the kernel `TensorKernel(B)`, on the inverse
    permutations of the rankings. No step increases the objective, that is, the minimised sum. The objective has many
    local minima, so the result depends on the initial weights.

    Learned weights can overfit. Two combinations of parameters help:

    - `alpha="auto"` with weights U0 in `toward`: the learner also tries the kernel with the unchanged weights U0.
    - `penalty="smooth", C="auto", alpha="auto", toward="auto"`: the learner chooses C, alpha and U0 itself.

    Parameters
    ----------
    order : int
        The number of axes of U and B: 2 means pairs of positions and pairs of items.
    C : float or "auto"
        The cost of training errors. If C is very small and U0 is zero, the result is U = B = 0. "auto", which needs
        `alpha="auto"`, chooses the C with the best score on held-out rankings, for the kernel with the unchanged
        weights U0. If U0 is zero, "auto" means C = 1.
    alpha : float or "auto"
        The strength of the penalty. If alpha is large, U stays near U0. "auto" tries several values of alpha with
        five-fold cross-validation: with each value, the model is fitted five times on four fifths of the rankings, and
        scored on the other fifth. With `toward`, the kernel with the unchanged weights U0 is also tried. This kernel is
        called the fixed kernel. Learned weights are then chosen only if their score is better than the score of the
        fixed kernel by more than 1.5 standard errors. For this comparison, the score of a classifier is the mean of two
        numbers: the accuracy, and the area under the ROC curve. The score of a regressor is R^2.
    penalty : {"ridge", "smooth", "monotone", "low-rank"}
        The penalty P(V) of V = U - U0:

        - "ridge": `|V|^2 / 2`.
        - "smooth": `(|V|^2 + n^2 D(V)) / 2`, where n is the number of positions. D(V) is the sum of the squared
          differences between neighbouring entries of V, along all axes. V is a weighted sum of cosine waves: the 20
          waves with the lowest frequencies along each axis, and their products. For order 2 and more than 200
          positions, `V[a, b] = f[a] + g[b]`, where f and g are weighted sums of these 20 waves.
        - "monotone", for orders 1 and 2: `|V|^2 / 2`, with two conditions. U does not increase from the first position
          to the last. V is constant on each of at most 30 groups of neighbouring positions. For order 2, the conditions
          apply only to the main diagonals of U and V.
        - "low-rank", for order 2: the sum of the singular values of V, slightly changed for values near zero so that
          the penalty is smooth.
    toward : "standard", "ramp", "hyperbolic", "log", "auto" or array-like of shape (n, .., n), optional
        The weights U0. If absent, U0 is zero.

        - "standard": the weights of the kernel `Kendall("standard")`. For order 1: n, n - 1, .., 1.
        - "ramp", for order 2: differences of positions, `U0[a, b] = b - a`.
        - "hyperbolic": the weights of the kernel `Kendall("mult", u="hyperbolic")`. "log": the weights of the kernel
          `Kendall("mult", u="log")`.
        - "auto", which needs `alpha="auto"`: the learner chooses zero or one of the named weights above. Each of the
          named weights is multiplied by a number, so that its kernel has variance 1 (see `KernelMixtureClassifier`).
        - An array: these weights.
    init : "standard", "suquan" or array-like of shape (n, .., n)
        The initial weights. "standard": U0, or the weights of `Kendall("standard")` if `toward` is absent. "suquan":
        the weights of `suquan_svd`. An array: these weights. If `toward` is "auto", each fit with U0 = 0 starts from
        the weights of `suquan_svd`.
    max_iter : int
        The maximum number of iterations. An iteration has two steps: the first finds B, and the second finds U.
    tol : float
        The iterations stop if each of the two steps of an iteration lowers the objective by at most `tol` times the
        objective.
    class_weight, input, top, ties, missing, n_jobs
        As for `SuquanSVDClassifier`.

    Attributes
    ----------
    U_, B_, intercept_, classes_, n_iter_, singular_values_
        As for `SuquanSVDClassifier`. With the defaults, U and B have equal norms. `singular_values_` exists only with
        `init="suquan"`. With `penalty="smooth"`, order 2, and n items in m rankings, `U_` and `B_` are large matrices
        if n is above 200 and above 4 m. The two matrices are then computed only when you use them. Predictions do not
        need them.
    objective_path_ : ndarray, or a list of these
        The value of the objective at the start and after each step.
    alpha_, C_, toward_, validated_ : float, float, U0 (None for zero), float
        With `alpha="auto"`: the chosen values of alpha, C and `toward`, and the mean score of this choice on held-out
        rankings. This score is the accuracy of a classifier, or R^2 of a regressor.
    candidates_ : list of (toward, C, alpha, score)
        With `alpha="auto"`: the combinations of values that were tried, and their mean scores on held-out rankings, as
        for `validated_`. The fixed kernels (see `alpha`) come first. The other combinations have learned weights. Such
        a combination is not tried further, and is not listed, if its score is worse than the score of the fixed kernel
        on the first two of the five folds.

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

    The learner works like `AlternatingClassifier`, but the targets are numbers, and the loss is the squared error. The
    learner minimises `C * sum of squared errors + |B|^2 / 2 + alpha * P(U - U0)`. The symbols have the same meaning as
    in the description of `AlternatingClassifier`.

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
