"""Tests and summaries of samples of rankings, and correlations of columns.

Layers, each using only those below it:

    correlations  Kendall's tau-b between the columns of a table
    two_samples, independence  tests: do groups differ, do rankings depend on another variable?
    consensus, importance  the ranking that agrees most with others; the pairs of items that matter most to a function
    pair_kernels  kernels that are sums over pairs of items, and lists expanded to all items
    dependence  the independence criterion, computed in the fastest of three ways
    paired_values  the variable that is paired with the rankings: labels, numbers, vectors, other rankings
    permutations  permutations of a sample, drawn in batches, and p-values
    samples    distinct rankings, their counts, and a kernel between them
    results    the results of tests
"""
