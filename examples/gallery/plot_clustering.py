"""
Clusters of rankings: the kernel decides which
==============================================

600 people rank twelve items. They are of three groups, which nobody has told us. ``KernelKMeans``
looks for groups in the geometry of a kernel, and finds those that the kernel can see. Two data sets
show it: in the first the groups differ in everything, in the second only in how they order their
four favourites.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.metrics import adjusted_rand_score
from wkendall import KernelKMeans, gram_matrix
from wkendall.datasets import make_mallows, make_uniform

group = np.repeat([0, 1, 2], 200)
FAVOURITES = ([1, 2, 3, 4], [4, 3, 2, 1], [2, 4, 1, 3])


def everything(rng):
    """Three Mallows models around random rankings."""
    centres = make_uniform(3, 12, rng=rng)
    return np.concatenate(
        [make_mallows(200, centre, 0.35, rng=rng) for centre in centres]
    )


def top(rng):
    """Mallows models for the four favourites, and noise for the other eight."""
    first = [make_mallows(200, centre, 1.5, rng=rng) for centre in FAVOURITES]
    return np.hstack([np.concatenate(first), make_uniform(600, 8, rng=rng) + 4])


makers = {"differ in everything": everything, "differ at the top": top}
draws = {
    title: [make(np.random.default_rng(seed)) for seed in range(10)]
    for title, make in makers.items()
}
for title, people in draws.items():
    print(people[0][0], "a person; groups", title)

# %%
# Three groups, with and without weights
# --------------------------------------
# The adjusted Rand index says how well clusters agree with the groups: 1 for equal, 0 for what
# chance would give. Mean and standard deviation of ten draws of each data set:

kernels = {
    "standard": {"weight": "standard"},
    "multiplicative, log": {"weight": "mult", "u": "log"},
    "average": {"weight": "average"},
    "top-4": {"weight": "top", "k": 4},
    "Mallows": {"weight": "mallows", "lam": 0.05},
}


def agreement(X, kernel):
    labels = KernelKMeans(3, n_init=4, random_state=0, **kernel).fit_predict(X)
    return adjusted_rand_score(group, labels)


print(f"{'':21}" + "".join(f"{title:>22}" for title in draws))
for name, kernel in kernels.items():
    found = [[agreement(X, kernel) for X in people] for people in draws.values()]
    cells = [f"{np.mean(of):.2f} ± {np.std(of, ddof=1):.2f}" for of in found]
    print(f"{name:21}" + "".join(f"{cell:>22}" for cell in cells))

# %%
# What the kernels see
# --------------------
# Kernel principal components put the people on a map, in the geometry in which k-means works. The
# colour is the cluster that was found, and a cross marks who is not with most of their group.

colors = np.array(["#4477aa", "#ee6677", "#228833"])
figure, panels = plt.subplots(2, 2, figsize=(9, 8), layout="constrained")
for row, (title, people) in zip(panels, draws.items(), strict=True):
    X = people[0]
    for axes, name in zip(row, ("standard", "average"), strict=True):
        K = gram_matrix(X, normalize=True, **kernels[name])
        labels = KernelKMeans(3, random_state=0, **kernels[name]).fit_predict(X)
        place = KernelPCA(2, kernel="precomputed").fit_transform(K)
        usual = np.array(
            [
                np.bincount(labels[group == one], minlength=3).argmax()
                for one in range(3)
            ]
        )[group]
        for right, marker in ((True, "o"), (False, "x")):
            shown = (labels == usual) == right
            axes.scatter(
                *place[shown].T,
                c=colors[labels[shown]],
                marker=marker,
                s=16,
                linewidths=1,
                alpha=0.8,
            )
        axes.set(title=f"groups {title}; {name} kernel", xticks=[], yticks=[])

# %%
# What the clusters prefer
# ------------------------
# The mean ranks of the four favourites in the clusters that the average kernel finds in the second
# data set, which are those of the three groups: 1 2 3 4, 4 3 2 1 and 2 4 1 3.

labels = KernelKMeans(3, random_state=0, weight="average").fit_predict(people[0])
for cluster in range(3):
    print(
        f"{np.sum(labels == cluster)} people:",
        people[0][labels == cluster, :4].mean(axis=0).round(1),
    )

# %%
# **What comes out.** A clustering finds what its kernel looks at. Where groups differ in everything,
# all pairs help, and the multiplicative and the top-4 kernel throw much of it away. Where groups
# differ at the top only, six of the 66 pairs of items tell them apart, 32 are the same for
# all, and 28 are noise: the standard and the Mallows kernel find next to nothing, because k-means splits the
# noise. The average kernel, which has no parameter to choose, is close to the best in both, and the
# one to begin with if it is not known where groups differ.
#
# The groups were made distinct enough to be found. With a concentration of 0.7 instead of 1.5 in the
# second data set, the weighted kernels reach about 0.2 only, and the standard kernel still 0.
