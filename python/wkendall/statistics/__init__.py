"""Answers about samples of rankings.

Layers, each using only those below it:

    consensus, importance  the ranking that agrees most with others; the pairs of items that a function looks at
    pair_kernels  kernels that are sums over pairs of items, and rankings whose pairs are looked at
"""
