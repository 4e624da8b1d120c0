"""The owner of the state x = (q, v, z): mechanics, circuits and inputs become one system f(t, x, u, p).

In: a Model. Out: its state derivative, its equations and its compiled functions, with names and units for every entry.
"""
