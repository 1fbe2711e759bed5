"""Write Gram matrices that are larger than memory to files. An interrupted run can be resumed.

Modules, the highest first. Each module imports only modules below it:

    to_file    the function
    matrix_file  the file of a matrix, written block by block
    journal    the record on disk of the finished parts of a long run
    blocks     a matrix cut into blocks
"""
