"""Models as files for other programs: their functions as source code, a step of their motion in C.

In: a model and the settings of a call. Out: texts and files. It knows no file format of models.
"""
