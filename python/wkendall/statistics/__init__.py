"""Tests and summaries of samples of rankings, and correlations of columns.

Modules, the highest first. Each module imports only modules below it:

    correlations  rank correlations between the columns of a table
    two_samples, pair_differences, independence  do groups differ, in which item pairs, do rankings depend on labels?
    assignments  people in groups, and random assignments of people to groups
    rank_intervals  confidence intervals of the ranks of items
    relabelings  p-values of any measure, from random relabellings of the items
    components  how much rankings agree on single positions and on pairs of items
    consensus, importance  the ranking that agrees most with others; the pairs of items that matter to a model
    ordering   the best order of items, given a number for each pair of items
    cutting_planes  the best order of many items, with a proof
    linear_programs  linear programs that grow row by row
    dependence  the statistic of the test of independence, computed in the fastest of three ways
    paired_values  the values that are paired with rankings: labels, numbers, vectors, other rankings
    permutations  the statistics of permuted samples, p-values, and the results of tests
    spectrum   the eigenvalues of a kernel over all rankings
    samples    the distinct rankings of a sample, their counts, and a kernel between them
"""
