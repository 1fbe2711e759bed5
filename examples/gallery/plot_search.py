"""
Search results: who copies from whom?
=====================================

Six search engines answer the same queries, each with its ten best documents. The lists have
different documents, so they are no rankings of the same items; they are the tops of such rankings.
``from_lists`` and ``missing="bottom"`` compare them as they are: what an engine does not list is
below all that it lists, in an order that nobody knows.

The engines are simulated. A, B and C search one index, D, E and F another one. And F cheats: its
first three results are those of A.
"""

import matplotlib.pyplot as plt
import numpy as np
import wkendall

ENGINES = "ABCDEF"


def answer(rng):
    """Lists of six engines for one query, of 60 documents."""
    relevance = rng.gumbel(size=60)
    indexes = relevance + rng.standard_normal((2, 60))
    seen = indexes.repeat(3, axis=0) + 0.6 * rng.standard_normal((6, 60))
    lists = [
        [f"doc {document}" for document in order[:10]]
        for order in np.argsort(-seen, axis=1).tolist()
    ]
    copied = lists[0][:3]
    own = [document for document in lists[5] if document not in copied]
    lists[5] = copied + own[:7]
    return lists


rng = np.random.default_rng(0)
queries = [answer(rng) for _ in range(40)]
for engine, results in zip(ENGINES, queries[0], strict=True):
    print(engine, ", ".join(results[:5]), "...")

# %%
# From lists to ranks
# -------------------
# Each query has its own documents. ``from_lists`` finds them and makes an array of ranks, with NaN
# for what an engine does not list.

X, documents = wkendall.from_lists(queries[0])
print(len(documents), "documents:", documents[:4], "...")
print(X[:, :8])

# %%
# Three similarities
# ------------------
# The part of the ten results that two engines share is the plainest measure. The signed standard
# kernel looks at the order of all pairs, listed or not. The multiplicative kernel with hyperbolic
# weights also looks at all pairs, and the first results count most. All are averaged over 40
# queries; a mean of kernels is a kernel.


def overlap(lists):
    """Part of the results that engines share."""
    return np.array([[len(set(a) & set(b)) / 10 for b in lists] for a in lists])


def similarity(lists, **kernel):
    return wkendall.gram_matrix(
        wkendall.from_lists(lists).X, missing="bottom", normalize=True, **kernel
    )


found = {
    "shared results": np.mean([overlap(lists) for lists in queries], axis=0),
    "standard, signed": np.mean(
        [similarity(lists, signed=True) for lists in queries], axis=0
    ),
    "multiplicative, hyperbolic": np.mean(
        [similarity(lists, weight="mult", u="hyperbolic") for lists in queries], axis=0
    ),
}
figure, panels = plt.subplots(1, 3, figsize=(10, 3.7), layout="constrained")
for axes, (name, K) in zip(panels, found.items(), strict=True):
    axes.imshow(K, cmap="Blues", vmin=0, vmax=1.1)
    for (row, column), value in np.ndenumerate(K):
        color = "white" if value > 0.6 else "black"
        axes.text(
            column,
            row,
            f"{value:.2f}",
            ha="center",
            va="center",
            color=color,
            fontsize=9,
        )
    axes.set_xticks(range(6), ENGINES)
    axes.set_yticks(range(6), ENGINES)
    axes.set_title(name)

# %%
# Whom is F most like?

for name, K in found.items():
    others = K[5, :5]
    print(
        f"{name:27} F is most like {ENGINES[others.argmax()]}: {others.max():.2f}, next {np.sort(others)[-2]:.2f}"
    )

# %%
# How many queries does it take to notice? For each number of queries, the part of 200 random
# choices among the 40 for which F is most like A:

weighted = np.array(
    [similarity(lists, weight="mult", u="hyperbolic")[5, :5] for lists in queries]
)
for size in (1, 2, 5, 10):
    chosen = [rng.choice(40, size, replace=False) for _ in range(200)]
    caught = np.mean([weighted[choice].mean(axis=0).argmax() == 0 for choice in chosen])
    print(f"{size:3} queries: {caught:.2f}")

# %%
# **What comes out.** All three see the two indexes. By shared results and by all pairs alike, F
# belongs to D and E, whose index it has: seven of its ten results come from there. Only with
# weights that fall with the rank is F most like A, and by far. The first results are what a user
# looks at and what a copier copies, and it takes few queries to notice.
