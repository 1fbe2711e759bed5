"""Read rankings and columns of numbers from tables, ranked lists and files.

Modules, the highest first. Each module imports only modules below it:

    preflib, trec, csv_files  read rankings from PrefLib files, from run files of TREC and from CSV files
    csv_columns  read columns of numbers from CSV files of observations
    csv_layouts  what the rows of a CSV file mean
    csv_rows   the rows and columns of a CSV file
    lists      make rankings from ranked lists
    contents   the contents of a file of rankings, and the check of these contents
    text_files read text files; errors name the line
    tables     make columns of numbers from tables of observations
    columns    convert values of any type to doubles in the same order
"""
