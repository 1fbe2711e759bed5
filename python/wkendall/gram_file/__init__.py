"""Gram matrices larger than memory, written to files. An interrupted run can be resumed.

Layers, each using only those below it:

    to_file    the function
    matrix_file  the file of a matrix, written block by block
    journal    the record on disk of the finished parts of a long run
    blocks     a matrix cut into blocks
"""
