"""The commands of the program, one file each, and the parts of what they print.

In: words of the command line. Out: a call of the other rooms, its result printed.
"""
