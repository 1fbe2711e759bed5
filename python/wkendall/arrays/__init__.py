"""Convert array-likes and sparse arrays to rankings in the Rust crate.

Layers, each using only those below it:

    options    what numbers mean, and the check that they are rankings
    sparse     sparse arrays to rows that the Rust crate takes
    convert    array-likes to arrays that the Rust crate takes
"""
