"""
A survey: how much information is in a ranking?
===============================================

In 2001 Eurobarometer asked people in Europe to rank six sources of information about science. The paper
predicts from the ranking whether a person is 40 or older. The people on this page are simulated from a
model that was fitted to the 12,216 people of the survey. Because the model is known, the best possible
accuracy is known too.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from wkendall import Kendall, KendallFeatures, KendallNystroem, Mallows, Rankings
from wkendall.datasets import make_survey

people = make_survey(rng=0)
sources = [
    "television",
    "radio",
    "newspapers",
    "scientific magazines",
    "internet",
    "school",
]
print(people.X.shape, "people and sources; 40 and over:", people.y.mean().round(2))

# %%
# What they prefer
# ----------------
# Television comes first in both groups. Younger people rank the internet and school higher, older people
# radio and newspapers.

means = np.array([people.X[people.y == group].mean(axis=0) for group in (0, 1)])
place = np.argsort(-means.mean(axis=0))
figure, axes = plt.subplots(figsize=(7, 3.4), layout="constrained")
axes.hlines(range(6), *means[:, place], color="0.8", linewidth=3)
for group, name, color in ((0, "under 40", "#ee6677"), (1, "40 and over", "#4477aa")):
    axes.plot(means[group, place], range(6), "o", color=color, label=name, markersize=9)
axes.set_yticks(range(6), [sources[item] for item in place])
axes.set(
    xlabel="mean rank, 1 is the most important source",
    title="Where people get their information about science",
)
axes.legend(frameon=False, loc="lower left")
axes.spines[["top", "right"]].set_visible(False)

# %%
# Which pairs of sources predict the age
# --------------------------------------
# The signed standard kernel of six items has 15 features: for each pair of sources, which one comes
# first. A linear model on these features is equivalent to a kernel machine, and you can interpret its
# coefficients.

features = KendallFeatures(Kendall(signed=True))
answers = Rankings(people.X, items=sources)
model = LogisticRegression().fit(features.fit_transform(answers), people.y)
names = features.get_feature_names_out()
for place in np.argsort(-np.abs(model.coef_[0]))[:5]:
    print(f"{names[place]:45} {model.coef_[0, place]:+.2f}")

# %%
# A pair with a positive coefficient is evidence for 40 and over.
#
# The best possible accuracy
# --------------------------
# No method can distinguish two people with the same ranking, and there are only 720 rankings. The best
# method predicts, for each ranking, the age group in which it is more frequent. The frequencies come
# from two million simulated people.

many = make_survey(2_000_000, rng=1)
ranking = many.X @ 7 ** np.arange(6)  # a number for each ranking
found, which = np.unique(ranking, return_inverse=True)
counts = np.array(
    [np.bincount(which[many.y == group], minlength=len(found)) for group in (0, 1)]
)
limit = counts.max(axis=0).sum() / counts.sum()
print(f"{len(found)} rankings; the best possible accuracy is {limit:.3f}")
print(f"predicting '40 and over' for everybody: {many.y.mean():.3f}")

# %%
# Accuracy and number of people
# -----------------------------
# Logistic regression with four kernels is trained on 100 to 12,800 people, ten times for each number of
# people, and tested on 20,000 other people. Three kernels have exact features; the Mallows kernel is
# approximated with a hundred landmarks.

kernels = {
    "standard": KendallFeatures(Kendall(signed=True, normalize=True)),
    "multiplicative, hyperbolic": KendallFeatures(
        Kendall("mult", u="hyperbolic", normalize=True)
    ),
    "top-2": KendallFeatures(Kendall("top", k=2, normalize=True)),
    "Mallows": KendallNystroem(Mallows(0.1), n_components=100, random_state=0),
}
sizes = [100, 400, 1600, 6400, 12800]
test = make_survey(20_000, rng=2)
accuracy = {name: np.zeros((len(sizes), 10)) for name in kernels}
for repetition in range(10):
    for row, size in enumerate(sizes):
        sample = make_survey(size, rng=100 + repetition)
        for name, vectors in kernels.items():
            fitted = make_pipeline(vectors, LogisticRegression(max_iter=1000)).fit(
                sample.X, sample.y
            )
            accuracy[name][row, repetition] = fitted.score(test.X, test.y)

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for (name, scores), color in zip(
    accuracy.items(), ("#4477aa", "#ee6677", "#bbbbbb", "#228833"), strict=True
):
    axes.errorbar(
        sizes,
        scores.mean(axis=1),
        scores.std(axis=1, ddof=1) / 10**0.5,
        color=color,
        label=name,
        capsize=3,
        marker="o",
    )
axes.axhline(limit, color="0.3", linestyle=":", label="best possible")
axes.set(
    xscale="log",
    xlabel="training people",
    ylabel="accuracy, mean ± standard error",
)
axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
axes.minorticks_off()
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
print(f"{'people':27}" + "".join(f"{size:>8,}" for size in sizes))
for name, scores in accuracy.items():
    print(f"{name:27}" + "".join(f"{mean:8.3f}" for mean in scores.mean(axis=1)))

# %%
# **Results.** The accuracy is limited by the question of the survey, not by the kernel. Six ranks
# contain little information about age, and the best possible accuracy is two thirds. With a hundred
# people the standard kernel is within 0.03 of it, and with 12,800 people the gap almost closes. Kernels
# that use all pairs differ by less than 0.02 with few people and hardly at all with many. The top-2
# kernel is the exception. It uses only the two favourites, and training on more people does not
# compensate for this loss.
