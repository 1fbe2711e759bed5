"""From tables, ranked lists and files to rankings and columns.

Layers, each using only those below it:

    preflib, trec, csv_files  PrefLib files, run files of TREC and CSV files to rankings
    csv_columns  CSV files of observations to columns of numbers
    csv_layouts  what the rows of a CSV file mean
    csv_rows   the rows and columns of a CSV file
    lists      ranked lists to rankings
    contents   the contents of a file of rankings, and their check
    text_files text files, read with errors that name the line
    tables     tables of observations to columns of numbers
    columns    values of any type to doubles in the same order
"""
