"""Convert array-likes and sparse arrays to rankings in the Rust crate.

Modules, the highest first. Each module imports only modules below it:

    options    what numbers mean, and the check that they are rankings
    sparse     sparse arrays to rows that the Rust crate takes
    convert    array-likes to arrays that the Rust crate takes
"""
