"""Answers about samples of rankings.

Layers, each using only those below it:

    two_samples, independence  tests: do groups differ, do rankings depend on something else?
    dependence  the criterion of dependence, in the quickest of three ways
    paired_values  what stands beside the rankings: labels, numbers, vectors, other rankings
    permutations  what permutations of a sample give, in batches, and p-values
    samples    different rankings, how often each comes, and a kernel between them
    results    what tests return
"""
