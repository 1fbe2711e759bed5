"""Tests and summaries of samples of rankings, and correlations of columns.

Layers, each using only those below it:

    correlations  Kendall's tau-b between the columns of a table
    two_samples, pair_differences, independence  do groups differ, in which pairs, do rankings depend on something else?
    assignments  people in groups, and random assignments of people to groups
    rank_intervals  how far a ranking by mean scores or mean ranks can be trusted
    relabelings  p-values of any measure
    components  how much rankings agree in each part of a kernel
    consensus, importance  the ranking that agrees most with others; the pairs of items that a function looks at
    ordering   the best order of items for any numbers of pairs
    cutting_planes  the best order of many items, with a proof
    linear_programs  linear programs that grow row by row
    dependence  the criterion of dependence, in the quickest of three ways
    paired_values  what stands beside the rankings: labels, numbers, vectors, other rankings
    permutations  what permutations of a sample give, in batches, p-values, and what tests return
    spectrum   what a kernel of pairs sees
    samples    different rankings, how often each comes, and a kernel between them
"""
