"""Tests and summaries of samples of rankings, and correlations of columns.

Layers, each using only those below it:

    correlations  Kendall's tau-b between the columns of a table
    two_samples, independence  tests: do groups differ, do rankings depend on something else?
    relabelings  p-values of any measure
    components  how much rankings agree in each part of a kernel
    consensus, importance  the ranking that agrees most with others; the pairs of items that a function looks at
    dependence  the criterion of dependence, in the quickest of three ways
    paired_values  what stands beside the rankings: labels, numbers, vectors, other rankings
    permutations  what permutations of a sample give, in batches, p-values, and what tests return
    spectrum   what a kernel of pairs sees
    samples    different rankings, how often each comes, and a kernel between them
"""
