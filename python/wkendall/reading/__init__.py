"""From arrays, data frames, ranked lists and files to checked rankings.

Layers, each using only those below it:

    preflib, csv_files  PrefLib files and CSV files to arrays of ranks
    csv_columns  CSV files of observations to columns of numbers
    csv_layouts  what the rows of a CSV file mean
    csv_rows   the rows and columns of a CSV file
    csv_header whether the first row of a CSV file, which has the names, could be one of the others
    lists      ranked lists to arrays of ranks
    rdata      data frames in files of R
    text_files text files, read with errors that name the line
    distinct   equal rankings, merged
    tables     tables of observations to columns of numbers
    columns    values of any type to doubles in the same order
    rankings   arrays to checked rankings: how they are read, and the handle that travels on
    sparse     sparse arrays to rows that the Rust crate takes
    arrays     array-likes to arrays that the Rust crate takes
"""
