"""From what people have to checked rankings: arrays, data frames, ranked lists and files.

preflib, csv_files, lists  PrefLib files, CSV files and ranked lists to arrays of ranks
rdata      data frames in files of R
files      files of text, read with errors that name the line
rankings   arrays, data frames and lists to checked rankings
"""
